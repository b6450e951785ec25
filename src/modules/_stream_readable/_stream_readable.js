'use strict';

// The name of node:stream's readable from before it was one module.

module.exports = require('#stream/readable');
