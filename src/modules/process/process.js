'use strict';

// node:process is the global object.
module.exports = process;
