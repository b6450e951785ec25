'use strict';
// node:crypto: what programs see. Each family of functions has its own file.

const {
  codes: { ERR_CRYPTO_ARGON2_NOT_SUPPORTED, ERR_INVALID_ARG_TYPE },
} = require('#internal/errors');
const { deprecate, isPendingDeprecation } = require('#internal/util');
const cipher = require('#crypto/cipher');
const { constants } = require('#crypto/constants');
const dh = require('#crypto/dh');
const hash = require('#crypto/hash');
const kdf = require('#crypto/kdf');
const kem = require('#crypto/kem');
const keygen = require('#crypto/keygen');
const keys = require('#crypto/keys');
const prime = require('#crypto/prime');
const random = require('#crypto/random');
const sig = require('#crypto/sig');
const util = require('#crypto/util');
const x509 = require('#crypto/x509');

const { Cipheriv, Decipheriv } = cipher;
const { DiffieHellman, DiffieHellmanGroup, ECDH } = dh;
const { Sign, Verify } = sig;
const native = binding('crypto');

function createHash(algorithm, options) {
  return hash.createHash(algorithm, options);
}

function createHmac(hmac, key, options) {
  return hash.createHmac(hmac, key, options);
}

function createCipheriv(cipher, key, iv, options) {
  return new Cipheriv(cipher, key, iv, options);
}

function createDecipheriv(cipher, key, iv, options) {
  return new Decipheriv(cipher, key, iv, options);
}

function createDiffieHellman(sizeOrKey, keyEncoding, generator, generatorEncoding) {
  return new DiffieHellman(sizeOrKey, keyEncoding, generator, generatorEncoding);
}

function createDiffieHellmanGroup(name) {
  return new DiffieHellmanGroup(name);
}

function createECDH(curve) {
  return new ECDH(curve);
}

function createSign(algorithm, options) {
  return new Sign(algorithm, options);
}

function createVerify(algorithm, options) {
  return new Verify(algorithm, options);
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

function argon2(algorithm, parameters, callback) {
  kdf.checkArgon2(algorithm, parameters);
  require('#internal/validators').validateFunction(callback, 'callback');
  throw new ERR_CRYPTO_ARGON2_NOT_SUPPORTED();
}

function argon2Sync(algorithm, parameters) {
  kdf.checkArgon2(algorithm, parameters);
  throw new ERR_CRYPTO_ARGON2_NOT_SUPPORTED();
}

module.exports = {
  argon2,
  argon2Sync,
  checkPrime: prime.checkPrime,
  checkPrimeSync: prime.checkPrimeSync,
  createCipheriv,
  createDecipheriv,
  createDiffieHellman,
  createDiffieHellmanGroup,
  createECDH,
  createHash,
  createHmac,
  createPrivateKey: keys.createPrivateKey,
  createPublicKey: keys.createPublicKey,
  createSecretKey: keys.createSecretKey,
  createSign,
  createVerify,
  diffieHellman: dh.diffieHellman,
  generatePrime: prime.generatePrime,
  generatePrimeSync: prime.generatePrimeSync,
  getCiphers: util.getCiphers,
  getCipherInfo: cipher.getCipherInfo,
  getCurves: util.getCurves,
  getDiffieHellman: createDiffieHellmanGroup,
  getHashes: util.getHashes,
  hkdf: kdf.hkdf,
  hkdfSync: kdf.hkdfSync,
  pbkdf2: kdf.pbkdf2,
  pbkdf2Sync: kdf.pbkdf2Sync,
  generateKeyPair: keygen.generateKeyPair,
  generateKeyPairSync: keygen.generateKeyPairSync,
  generateKey: keygen.generateKey,
  generateKeySync: keygen.generateKeySync,
  privateDecrypt: cipher.privateDecrypt,
  privateEncrypt: cipher.privateEncrypt,
  publicDecrypt: cipher.publicDecrypt,
  publicEncrypt: cipher.publicEncrypt,
  randomBytes: random.randomBytes,
  randomFill: random.randomFill,
  randomFillSync: random.randomFillSync,
  randomInt: random.randomInt,
  randomUUID: random.randomUUID,
  scrypt: kdf.scrypt,
  scryptSync: kdf.scryptSync,
  sign: sig.signOneShot,
  setEngine: util.setEngine,
  timingSafeEqual,
  getFips,
  setFips,
  verify: sig.verifyOneShot,
  hash: hash.hash,
  encapsulate: kem.encapsulate,
  decapsulate: kem.decapsulate,
  Certificate: x509.Certificate,
  Cipheriv,
  Decipheriv,
  DiffieHellman,
  DiffieHellmanGroup,
  ECDH,
  Hash: hash.Hash,
  Hmac: hash.Hmac,
  KeyObject: keys.KeyObject,
  Sign,
  Verify,
  X509Certificate: x509.X509Certificate,
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

/** The old names of randomBytes; they can be overwritten. With --pending-deprecation they warn. */
for (const name of ['pseudoRandomBytes', 'prng', 'rng']) {
  const deprecated = deprecate(random.randomBytes, `crypto.${name} is deprecated.`, 'DEP0115', true);
  const accessor = (value) => ({ __proto__: null, value, configurable: true, enumerable: false, writable: true });
  Object.defineProperty(module.exports, name, {
    __proto__: null,
    configurable: true,
    enumerable: false,
    get() {
      return isPendingDeprecation() ? deprecated : random.randomBytes;
    },
    set(value) {
      Object.defineProperty(this, name, accessor(value));
    },
  });
}

