'use strict';
// Cipheriv, Decipheriv, getCipherInfo, and encryption with RSA keys.

const { StringDecoder } = require('string_decoder');
const {
  codes: {
    ERR_CRYPTO_INVALID_STATE, ERR_INTERNAL_ASSERTION, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE,
    ERR_UNKNOWN_ENCODING,
  },
} = require('#internal/errors');
const {
  validateInt32, validateObject, validateString, validateUint32,
} = require('#internal/validators');
const { constants } = require('#crypto/constants');
const LazyTransform = require('#crypto/lazy_transform');
const { preparePrivateKey, preparePublicOrPrivateKey, prepareSecretKey } = require('#crypto/keys');
const {
  asBytes, canonicalEncoding, digestId, encodeResult, getArrayBufferOrView, getStringOption, kHandle,
  stringToBytes, validateEncodingOfData,
} = require('#crypto/util');

const native = binding('crypto_cipher');

const kDecoder = Symbol('kDecoder');
const kDone = Symbol('kDone');

function uintOption(options, key) {
  const value = options?.[key];
  if (value === undefined || value === null) return -1;
  if (value >>> 0 !== value) throw new ERR_INVALID_ARG_VALUE(`options.${key}`, value);
  return value;
}

function initialize(self, encrypts, cipher, key, options, iv) {
  validateString(cipher, 'cipher');
  const encoding = getStringOption(options, 'encoding');
  const secret = prepareSecretKey(key, encoding);
  const vector = iv === null ? null : asBytes(getArrayBufferOrView(iv, 'iv'));
  const authTagLength = uintOption(options, 'authTagLength');
  self[kHandle] = new native.CipherBase(encrypts, cipher,
    ArrayBuffer.isView(secret) || !isBuffer(secret) ? secret : asBytes(secret), vector, authTagLength);
  self[kDecoder] = null;
  self[kDone] = false;
  LazyTransform.call(self, options);
}

function isBuffer(value) {
  return value instanceof ArrayBuffer || value instanceof SharedArrayBuffer;
}

/** Text of a piece of output; what is half a character waits for the next piece. */
function decode(self, bytes, encoding, last) {
  const name = canonicalEncoding(encoding);
  if (self[kDecoder] === null) {
    if (name === undefined) throw new ERR_UNKNOWN_ENCODING(encoding);
    self[kDecoder] = new StringDecoder(name);
  } else if (canonicalEncoding(self[kDecoder].encoding) !== name) {
    if (name === undefined) throw new ERR_UNKNOWN_ENCODING(encoding);
    throw new ERR_INTERNAL_ASSERTION('Cannot change encoding');
  }
  return last ? self[kDecoder].end(bytes) : self[kDecoder].write(bytes);
}

function _transform(chunk, encoding, callback) {
  this.push(this[kHandle].update(typeof chunk === 'string' ? stringToBytes(chunk, encoding) : chunk));
  callback();
}

function _flush(callback) {
  try {
    this.push(this[kHandle].final());
  } catch (error) {
    callback(error);
    return;
  }
  callback();
}

function update(data, inputEncoding, outputEncoding) {
  if (typeof data === 'string') {
    validateEncodingOfData(data, inputEncoding);
    data = stringToBytes(data, inputEncoding === 'buffer' ? 'utf8' : inputEncoding);
  } else if (!ArrayBuffer.isView(data)) {
    throw new ERR_INVALID_ARG_TYPE('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
  }
  const result = this[kHandle].update(data);
  if (outputEncoding && outputEncoding !== 'buffer') return decode(this, result, outputEncoding, false);
  return result;
}

function final(outputEncoding) {
  if (this[kDone]) {
    const error = new ERR_CRYPTO_INVALID_STATE('final');
    error.message = 'Invalid state';
    throw error;
  }
  const result = this[kHandle].final();
  this[kDone] = true;
  if (outputEncoding && outputEncoding !== 'buffer') return decode(this, result, outputEncoding, true);
  return result;
}

function setAutoPadding(autoPadding) {
  if (!this[kHandle].setAutoPadding(!(autoPadding !== undefined && !autoPadding))) {
    throw new ERR_CRYPTO_INVALID_STATE('setAutoPadding');
  }
  return this;
}

function setAAD(buffer, options) {
  const encoding = getStringOption(options, 'encoding');
  const plaintextLength = uintOption(options, 'plaintextLength');
  buffer = asBytes(getArrayBufferOrView(buffer, 'aadbuf', encoding));
  if (!this[kHandle].setAAD(buffer, plaintextLength)) throw new ERR_CRYPTO_INVALID_STATE('setAAD');
  return this;
}

function getAuthTag() {
  const tag = this[kHandle].getAuthTag();
  if (tag === undefined) throw new ERR_CRYPTO_INVALID_STATE('getAuthTag');
  return tag;
}

let warnedShortTag = false;

function setAuthTag(tagbuf, encoding) {
  tagbuf = asBytes(getArrayBufferOrView(tagbuf, 'buffer', encoding));
  const result = this[kHandle].setAuthTag(tagbuf);
  if (result === false) throw new ERR_CRYPTO_INVALID_STATE('setAuthTag');
  if (result !== true && !warnedShortTag) {
    warnedShortTag = true;
    process.emitWarning('Using AES-GCM authentication tags of less than 128 bits without specifying the ' +
      'authTagLength option when initializing decryption is deprecated.', 'DeprecationWarning', 'DEP0182');
  }
  return this;
}

function Cipheriv(cipher, key, iv, options) {
  if (!(this instanceof Cipheriv)) return new Cipheriv(cipher, key, iv, options);
  initialize(this, true, cipher, key, options, iv);
}

function Decipheriv(cipher, key, iv, options) {
  if (!(this instanceof Decipheriv)) return new Decipheriv(cipher, key, iv, options);
  initialize(this, false, cipher, key, options, iv);
}

for (const Class of [Cipheriv, Decipheriv]) {
  Object.setPrototypeOf(Class.prototype, LazyTransform.prototype);
  Object.setPrototypeOf(Class, LazyTransform);
  Object.assign(Class.prototype, { _transform, _flush, update, final, setAutoPadding });
}
Cipheriv.prototype.getAuthTag = getAuthTag;
Decipheriv.prototype.setAuthTag = setAuthTag;
Cipheriv.prototype.setAAD = setAAD;
Decipheriv.prototype.setAAD = setAAD;

function getCipherInfo(nameOrNid, options) {
  if (typeof nameOrNid !== 'string' && typeof nameOrNid !== 'number') {
    throw new ERR_INVALID_ARG_TYPE('nameOrNid', ['string', 'number'], nameOrNid);
  }
  if (typeof nameOrNid === 'number') validateInt32(nameOrNid, 'nameOrNid');
  let keyLength = -1;
  let ivLength = -1;
  if (options !== undefined) {
    validateObject(options, 'options');
    if (options.keyLength !== undefined) {
      validateInt32(options.keyLength, 'options.keyLength');
      ({ keyLength } = options);
    }
    if (options.ivLength !== undefined) {
      validateInt32(options.ivLength, 'options.ivLength');
      ({ ivLength } = options);
    }
  }
  return native.cipherInfo(nameOrNid, keyLength, ivLength);
}

// --- RSA ---

/** publicEncrypt and its three kin differ in the operation, the kind of key and the padding of old. */
function rsaFunction(operation, prepare, defaultPadding) {
  return (() => (options, buffer) => {
    const { padding = defaultPadding, oaepHash, encoding } = options ?? {};
    let { oaepLabel } = options ?? {};
    let hashName;
    // What is wrong with the options is told before what is wrong with the key.
    if (oaepHash !== undefined) {
      validateString(oaepHash, 'key.oaepHash');
      if (digestId(oaepHash) < 0) native.throwInvalidDigest();
    }
    if (oaepLabel !== undefined) oaepLabel = asBytes(getArrayBufferOrView(oaepLabel, 'key.oaepLabel', encoding));
    if (padding !== undefined) validateUint32(padding, 'options.padding');
    const key = prepare(options);
    buffer = asBytes(getArrayBufferOrView(buffer, 'buffer', encoding));
    if (padding === constants.RSA_PKCS1_OAEP_PADDING) {
      hashName = oaepHash ?? 'sha1';
    }
    const result = native.rsaCipher(operation, key, buffer, padding, hashName, oaepLabel, undefined);
    return encodeResult(result, undefined);
  })();
}

const publicEncrypt = rsaFunction(0, preparePublicOrPrivateKey, constants.RSA_PKCS1_OAEP_PADDING);
const privateDecrypt = rsaFunction(1, preparePrivateKey, constants.RSA_PKCS1_OAEP_PADDING);
const privateEncrypt = rsaFunction(2, preparePrivateKey, constants.RSA_PKCS1_PADDING);
const publicDecrypt = rsaFunction(3, preparePublicOrPrivateKey, constants.RSA_PKCS1_PADDING);

module.exports = {
  Cipheriv,
  Decipheriv,
  getCipherInfo,
  privateDecrypt,
  privateEncrypt,
  publicDecrypt,
  publicEncrypt,
};
