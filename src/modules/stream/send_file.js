'use strict';

// By this name a destination of a pipe says that it takes a file by itself: dest[kSendFile](fd, position, size, keep, callback).
// `position` is negative for the descriptor's own; the last `keep` bytes of the file are left. It returns false if it cannot right now, with nothing done; else it
// calls callback(sent) once, later: `sent` is less than `size` if the file or the destination came to an end, or if the file
// cannot be sent so from there. `fd` may be closed meanwhile.
module.exports = { kSendFile: Symbol('kSendFile') };
