'use strict';

// The name of node:stream's writable from before it was one module.

module.exports = require('#stream/writable');
