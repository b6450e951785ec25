'use strict';

// The global fetch. undici is loaded by the first call, not by who only looks whether there is a fetch.

/**
 * @param {RequestInfo} input
 * @param {RequestInit} [init]
 * @returns {Promise<Response>}
 */
function fetch(input, init = undefined) {
  return require('#web/undici').fetch(input, init).catch((error) => {
    // Errors of the network have a stack of undici's; the caller's is of more use.
    if (error && typeof error === 'object') Error.captureStackTrace(error);
    return Promise.reject(error);
  });
}

module.exports = { fetch };

for (const name of ['FormData', 'Headers', 'Request', 'Response', 'WebSocket', 'EventSource']) {
  Object.defineProperty(module.exports, name, {
    __proto__: null, configurable: true, enumerable: true, get() { return require('#web/undici')[name]; },
  });
}
