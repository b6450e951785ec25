'use strict';

// node:stream.

module.exports = require('~readable-stream');
