'use strict';
// node:_stream_wrap, an old name: net.Socket over any Duplex.

process.emitWarning('The _stream_wrap module is deprecated.', 'DeprecationWarning', 'DEP0125');

module.exports = require('#net/stream_socket').JSStreamSocket;
