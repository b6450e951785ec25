'use strict';

// The name of node:stream's duplex from before it was one module.

module.exports = require('#stream/duplex');
