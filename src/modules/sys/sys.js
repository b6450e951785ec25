'use strict';

// node:sys, an old name of node:util.

process.emitWarning('sys is deprecated. Use `node:util` instead.', 'DeprecationWarning', 'DEP0025');

module.exports = require('util');
