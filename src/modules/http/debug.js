'use strict';

// NODE_DEBUG=http.

let log;

/** @param {string} format @param {...unknown} values */
function debug(format, ...values) {
  if (log === undefined) {
    log = require('util').debuglog('http');
    if (log.enabled) {
      process.emitWarning("Setting the NODE_DEBUG environment variable to 'http' can expose sensitive data (such as " +
        'passwords, tokens and authentication headers) in the resulting log.');
    }
  }
  if (log.enabled) log(format, ...values);
}

module.exports = { debug };
