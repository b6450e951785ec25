'use strict';
// node:crypto: what programs see. Each family of functions has its own file.

const {
  codes: { ERR_INVALID_ARG_TYPE },
} = require('#internal/errors');
const { deprecate } = require('#internal/util');
const { constants } = require('#crypto/constants');
const hash = require('#crypto/hash');
const kdf = require('#crypto/kdf');
const keys = require('#crypto/keys');
const prime = require('#crypto/prime');
const random = require('#crypto/random');
const util = require('#crypto/util');

const native = binding('crypto');

function createHash(algorithm, options) {
  return hash.createHash(algorithm, options);
}

function createHmac(hmac, key, options) {
  return hash.createHmac(hmac, key, options);
}

/** An ERR_INVALID_ARG_TYPE that does not show the value, which may be secret. */
function notBytes(name) {
  const error = new ERR_INVALID_ARG_TYPE(name, util.kByteSourceTypes, '');
  const text = `The "${name}" argument must be an instance of ArrayBuffer, Buffer, TypedArray, or DataView.`;
  Object.defineProperty(error, 'message', { __proto__: null, value: text, enumerable: false, writable: true,
    configurable: true });
  return error;
}

const timingSafeEqual = (() => (...args) => {
  const { 0: a, 1: b } = args;
  if (!ArrayBuffer.isView(a) && !util.isAnyArrayBuffer(a)) throw notBytes('buf1');
  if (!ArrayBuffer.isView(b) && !util.isAnyArrayBuffer(b)) throw notBytes('buf2');
  return native.timingSafeEqual(a, b);
})();

function getFips() {
  return native.getFips();
}

function setFips(value) {
  native.setFips(value);
}

module.exports = {
  checkPrime: prime.checkPrime,
  checkPrimeSync: prime.checkPrimeSync,
  createHash,
  createHmac,
  createPrivateKey: keys.createPrivateKey,
  createPublicKey: keys.createPublicKey,
  createSecretKey: keys.createSecretKey,
  generatePrime: prime.generatePrime,
  generatePrimeSync: prime.generatePrimeSync,
  getCiphers: util.getCiphers,
  getCurves: util.getCurves,
  getHashes: util.getHashes,
  hkdf: kdf.hkdf,
  hkdfSync: kdf.hkdfSync,
  pbkdf2: kdf.pbkdf2,
  pbkdf2Sync: kdf.pbkdf2Sync,
  randomBytes: random.randomBytes,
  randomFill: random.randomFill,
  randomFillSync: random.randomFillSync,
  randomInt: random.randomInt,
  randomUUID: random.randomUUID,
  scrypt: kdf.scrypt,
  scryptSync: kdf.scryptSync,
  setEngine: util.setEngine,
  timingSafeEqual,
  getFips,
  setFips,
  hash: hash.hash,
  Hash: hash.Hash,
  Hmac: hash.Hmac,
  KeyObject: keys.KeyObject,
  secureHeapUsed: util.secureHeapUsed,
};

function getter(get, extra) {
  return { __proto__: null, configurable: false, enumerable: true, get, ...extra };
}

const getRandomValuesOfModule = (array) => require('#crypto/webcrypto').crypto.getRandomValues(array);

Object.defineProperties(module.exports, {
  fips: {
    __proto__: null,
    get: deprecate(getFips, 'The crypto.fips is deprecated. Please use crypto.setFips() and crypto.getFips()',
      'DEP0093'),
    set: deprecate(setFips, 'The crypto.fips is deprecated. Please use crypto.setFips() and crypto.getFips()',
      'DEP0093'),
    enumerable: false,
    configurable: false,
  },
  constants: { __proto__: null, configurable: false, enumerable: true, value: constants },
  webcrypto: getter(() => require('#crypto/webcrypto').crypto, { set: undefined }),
  subtle: getter(() => require('#crypto/webcrypto').crypto.subtle, { set: undefined }),
  getRandomValues: getter(() => getRandomValuesOfModule, { set: undefined }),
});

/** The old names of randomBytes; they can be overwritten. */
for (const name of ['pseudoRandomBytes', 'prng', 'rng']) {
  const accessor = (value) => ({ __proto__: null, value, configurable: true, enumerable: false, writable: true });
  Object.defineProperty(module.exports, name, {
    __proto__: null,
    configurable: true,
    enumerable: false,
    get() {
      return random.randomBytes;
    },
    set(value) {
      Object.defineProperty(this, name, accessor(value));
    },
  });
}

