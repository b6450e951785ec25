'use strict';
// DiffieHellman, DiffieHellmanGroup, ECDH, and agreement between two KeyObjects.

const { Buffer } = require('buffer');
const {
  codes: {
    ERR_CRYPTO_ECDH_INVALID_FORMAT, ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY, ERR_CRYPTO_INCOMPATIBLE_KEY,
    ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE,
  },
} = require('#internal/errors');
const { deprecate } = require('#internal/util');
const { validateFunction, validateInt32, validateObject, validateString } = require('#internal/validators');
const { constants } = require('#crypto/constants');
const { isKeyObject } = require('#crypto/keys');
const { asBytes, encodeResult, getArrayBufferOrView, isAnyArrayBuffer, kHandle } = require('#crypto/util');

const native = binding('crypto_keygen');
const kDefaultGenerator = 2;

function DiffieHellman(sizeOrKey, keyEncoding, generator, genEncoding) {
  if (!(this instanceof DiffieHellman)) {
    return new DiffieHellman(sizeOrKey, keyEncoding, generator, genEncoding);
  }
  if (typeof sizeOrKey !== 'number' && typeof sizeOrKey !== 'string' && !ArrayBuffer.isView(sizeOrKey) &&
      !isAnyArrayBuffer(sizeOrKey)) {
    throw new ERR_INVALID_ARG_TYPE('sizeOrKey',
      ['number', 'string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], sizeOrKey);
  }
  // Sizes that are no 32-bit integers are refused before OpenSSL sees them.
  if (typeof sizeOrKey === 'number') validateInt32(sizeOrKey, 'sizeOrKey');
  if (keyEncoding && !Buffer.isEncoding(keyEncoding) && keyEncoding !== 'buffer') {
    genEncoding = generator;
    generator = keyEncoding;
    keyEncoding = false;
  }
  if (typeof sizeOrKey !== 'number') sizeOrKey = asBytes(getArrayBufferOrView(sizeOrKey, 'sizeOrKey', keyEncoding));
  if (!generator) {
    generator = kDefaultGenerator;
  } else if (typeof generator === 'number') {
    validateInt32(generator, 'generator');
  } else if (typeof generator === 'string') {
    generator = asBytes(getArrayBufferOrView(generator, 'generator', genEncoding));
  } else if (!ArrayBuffer.isView(generator) && !isAnyArrayBuffer(generator)) {
    throw new ERR_INVALID_ARG_TYPE('generator',
      ['number', 'string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], generator);
  } else {
    generator = asBytes(generator);
  }
  this[kHandle] = new native.DiffieHellman(sizeOrKey, generator);
  defineVerifyError(this);
}

function defineVerifyError(self) {
  Object.defineProperty(self, 'verifyError', {
    __proto__: null,
    enumerable: true,
    value: self[kHandle].verifyError(),
    writable: false,
  });
}

function DiffieHellmanGroup(name) {
  if (!(this instanceof DiffieHellmanGroup)) return new DiffieHellmanGroup(name);
  validateString(name, 'name');
  this[kHandle] = new native.DiffieHellman(name);
  defineVerifyError(this);
}

function dhGenerateKeys(encoding) {
  return encodeResult(this[kHandle].generateKeys(), encoding);
}

function dhComputeSecret(key, inEnc, outEnc) {
  key = asBytes(getArrayBufferOrView(key, 'key', inEnc));
  const secret = this[kHandle].computeSecret(key);
  return encodeResult(secret, outEnc);
}

function dhGetPrime(encoding) {
  return encodeResult(this[kHandle].getPrime(), encoding);
}

function dhGetGenerator(encoding) {
  return encodeResult(this[kHandle].getGenerator(), encoding);
}

function dhGetPublicKey(encoding) {
  return encodeResult(this[kHandle].getPublicKey(), encoding);
}

function dhGetPrivateKey(encoding) {
  return encodeResult(this[kHandle].getPrivateKey(), encoding);
}

function named(name, fn) {
  Object.defineProperty(fn, 'name', { __proto__: null, value: name, configurable: true });
  return fn;
}

const kShared = {
  generateKeys: named('dhGenerateKeys', dhGenerateKeys),
  computeSecret: named('dhComputeSecret', dhComputeSecret),
  getPrime: dhGetPrime,
  getGenerator: dhGetGenerator,
  getPublicKey: dhGetPublicKey,
  getPrivateKey: dhGetPrivateKey,
};
Object.assign(DiffieHellman.prototype, kShared);
Object.assign(DiffieHellmanGroup.prototype, kShared);

DiffieHellman.prototype.setPublicKey = function setPublicKey(key, encoding) {
  this[kHandle].setPublicKey(asBytes(getArrayBufferOrView(key, 'key', encoding)));
  return this;
};

DiffieHellman.prototype.setPrivateKey = function setPrivateKey(key, encoding) {
  this[kHandle].setPrivateKey(asBytes(getArrayBufferOrView(key, 'key', encoding)));
  return this;
};

// --- ECDH ---

function ECDH(curve) {
  if (!(this instanceof ECDH)) return new ECDH(curve);
  validateString(curve, 'curve');
  this[kHandle] = new native.ECDH(curve);
}

function pointForm(format) {
  switch (format) {
    case undefined: case '': case null: case 'uncompressed': return constants.POINT_CONVERSION_UNCOMPRESSED;
    case 'compressed': return constants.POINT_CONVERSION_COMPRESSED;
    case 'hybrid': return constants.POINT_CONVERSION_HYBRID;
    default: throw new ERR_CRYPTO_ECDH_INVALID_FORMAT(format);
  }
}

ECDH.prototype.computeSecret = function computeSecret(key, inEnc, outEnc) {
  key = asBytes(getArrayBufferOrView(key, 'key', inEnc));
  const secret = this[kHandle].computeSecret(key);
  if (secret === undefined) throw new ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY();
  return encodeResult(secret, outEnc);
};

ECDH.prototype.setPrivateKey = function setPrivateKey(key, encoding) {
  this[kHandle].setPrivateKey(asBytes(getArrayBufferOrView(key, 'key', encoding)));
  return this;
};

ECDH.prototype.setPublicKey = deprecate(function setPublicKey(key, encoding) {
  this[kHandle].setPublicKey(asBytes(getArrayBufferOrView(key, 'key', encoding)));
  return this;
}, 'ecdh.setPublicKey() is deprecated.', 'DEP0031');

ECDH.prototype.getPrivateKey = dhGetPrivateKey;

ECDH.prototype.generateKeys = function generateKeys(encoding, format) {
  this[kHandle].generateKeys();
  return this.getPublicKey(encoding, format);
};

ECDH.prototype.getPublicKey = function getPublicKey(encoding, format) {
  const form = pointForm(format);
  return encodeResult(this[kHandle].getPublicKey(form), encoding);
};

ECDH.convertKey = function convertKey(key, curve, inEnc, outEnc, format) {
  validateString(curve, 'curve');
  key = asBytes(getArrayBufferOrView(key, 'key', inEnc));
  const form = pointForm(format);
  return encodeResult(native.convertPoint(key, curve, form), outEnc);
};

// --- without state ---

const kAgreeing = new Set(['dh', 'ec', 'x448', 'x25519']);

function checkKeys(options) {
  validateObject(options, 'options');
  const { privateKey, publicKey } = options;
  if (!isKeyObject(privateKey)) throw new ERR_INVALID_ARG_VALUE('options.privateKey', privateKey);
  if (!isKeyObject(publicKey)) throw new ERR_INVALID_ARG_VALUE('options.publicKey', publicKey);
  if (privateKey.type !== 'private') throw new ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(privateKey.type, 'private');
  if (publicKey.type !== 'public' && publicKey.type !== 'private') {
    throw new ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(publicKey.type, 'private or public');
  }
  const privateType = privateKey.asymmetricKeyType;
  const publicType = publicKey.asymmetricKeyType;
  if (privateType !== publicType || !kAgreeing.has(privateType)) {
    throw new ERR_CRYPTO_INCOMPATIBLE_KEY('key types for Diffie-Hellman', `${privateType} and ${publicType}`);
  }
  return { privateKey: privateKey[kHandle], publicKey: publicKey[kHandle] };
}

function diffieHellman(options, callback) {
  if (callback !== undefined) validateFunction(callback, 'callback');
  const { privateKey, publicKey } = checkKeys(options);
  if (callback === undefined) return Buffer.from(native.agree(privateKey, publicKey, undefined));
  native.agree(privateKey, publicKey, (error, secret) => {
    if (error) callback(error);
    else callback(null, Buffer.from(secret));
  });
}

module.exports = { DiffieHellman, DiffieHellmanGroup, ECDH, diffieHellman };
