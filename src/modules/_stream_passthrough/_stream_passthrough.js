'use strict';

// The name of node:stream's passthrough from before it was one module.

module.exports = require('#stream/passthrough');
