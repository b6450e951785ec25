'use strict';
// Key encapsulation of SubtleCrypto. Its algorithms are the ML-KEM family, which the linked OpenSSL has not: what is
// asked for is checked, then refused as an algorithm that nobody knows.
// https://wicg.github.io/webcrypto-modern-algos/#SubtleCrypto-method-encapsulateBits

const { emitExperimentalWarning, lazyDOMException } = require('#internal/util');

/** @param {string} method @param {number} given @param {{ requireArguments: Function, toKey: Function }} checks */
async function refuse(method, given, key, wanted, { requireArguments, toKey }) {
  emitExperimentalWarning(`The ${method} Web Crypto API method`);
  requireArguments(method, given, wanted);
  toKey(method, 1, key);
  throw lazyDOMException('Unrecognized algorithm name', 'NotSupportedError');
}

module.exports = { refuse };
