'use strict';

// The name of node:stream's transform from before it was one module.

module.exports = require('#stream/transform');
