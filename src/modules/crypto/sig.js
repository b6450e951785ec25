'use strict';
// Sign, Verify, and signatures in one step.

const { Writable } = require('stream');
const { Buffer } = require('buffer');
const {
  codes: { ERR_CRYPTO_SIGN_KEY_REQUIRED, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE },
} = require('#internal/errors');
const { validateFunction, validateOneOf, validateString } = require('#internal/validators');
const { preparePrivateKey, preparePublicOrPrivateKey } = require('#crypto/keys');
const {
  asBytes, encodeResult, getArrayBufferOrView, kHandle, stringToBytes, validateEncodingOfData,
} = require('#crypto/util');

const native = binding('crypto_sign');

function Sign(algorithm, options) {
  if (!(this instanceof Sign)) return new Sign(algorithm, options);
  validateString(algorithm, 'algorithm');
  this[kHandle] = new native.SignState(algorithm);
  Writable.call(this, options);
}
Object.setPrototypeOf(Sign.prototype, Writable.prototype);
Object.setPrototypeOf(Sign, Writable);

Sign.prototype._write = function _write(chunk, encoding, callback) {
  this.update(chunk, encoding);
  callback();
};

Sign.prototype.update = function update(data, encoding) {
  if (typeof data === 'string') {
    validateEncodingOfData(data, encoding);
    data = stringToBytes(data, encoding === 'buffer' ? 'utf8' : encoding);
  } else if (!ArrayBuffer.isView(data)) {
    throw new ERR_INVALID_ARG_TYPE('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
  }
  this[kHandle].update(data);
  return this;
};

/** An option that OpenSSL takes as a 32-bit integer. */
function intOption(name, options) {
  const value = options?.[name];
  if (value === undefined) return undefined;
  if (value === value >> 0) return value;
  throw new ERR_INVALID_ARG_VALUE(`options.${name}`, value);
}

function isP1363(options) {
  if (typeof options === 'object' && options !== null) {
    const { dsaEncoding } = options;
    if (dsaEncoding !== undefined) validateOneOf(dsaEncoding, 'options.dsaEncoding', ['der', 'ieee-p1363']);
    return dsaEncoding === 'ieee-p1363';
  }
  return false;
}

Sign.prototype.sign = function sign(options, encoding) {
  if (!options) throw new ERR_CRYPTO_SIGN_KEY_REQUIRED();
  const key = preparePrivateKey(options);
  const padding = intOption('padding', options);
  const saltLength = intOption('saltLength', options);
  const signature = this[kHandle].sign(key, padding, saltLength, isP1363(options));
  return encoding && encoding !== 'buffer' ? encodeResult(signature, encoding) : signature;
};

function Verify(algorithm, options) {
  if (!(this instanceof Verify)) return new Verify(algorithm, options);
  validateString(algorithm, 'algorithm');
  this[kHandle] = new native.SignState(algorithm);
  Writable.call(this, options);
}
Object.setPrototypeOf(Verify.prototype, Writable.prototype);
Object.setPrototypeOf(Verify, Writable);

Verify.prototype._write = Sign.prototype._write;
Verify.prototype.update = Sign.prototype.update;

Verify.prototype.verify = function verify(options, signature, sigEncoding) {
  const key = preparePublicOrPrivateKey(options);
  const padding = intOption('padding', options);
  const saltLength = intOption('saltLength', options);
  const p1363 = isP1363(options);
  signature = asBytes(getArrayBufferOrView(signature, 'signature', sigEncoding));
  return this[kHandle].verify(key, signature, padding, saltLength, p1363);
};

function dataBytes(data) {
  return asBytes(getArrayBufferOrView(data, 'data'));
}

function signOneShot(algorithm, data, key, callback) {
  if (algorithm !== undefined && algorithm !== null) validateString(algorithm, 'algorithm');
  if (callback !== undefined) validateFunction(callback, 'callback');
  data = dataBytes(data);
  if (!key) throw new ERR_CRYPTO_SIGN_KEY_REQUIRED();
  const padding = intOption('padding', key);
  const saltLength = intOption('saltLength', key);
  const p1363 = isP1363(key);
  const handle = preparePrivateKey(key);
  if (callback === undefined) {
    return Buffer.from(native.signOnce(handle, algorithm, data, padding, saltLength, p1363, undefined));
  }
  native.signOnce(handle, algorithm, data, padding, saltLength, p1363, (error, signature) => {
    if (error) callback(error);
    else callback(null, Buffer.from(signature));
  });
}

function verifyOneShot(algorithm, data, key, signature, callback) {
  if (algorithm !== undefined && algorithm !== null) validateString(algorithm, 'algorithm');
  if (callback !== undefined) validateFunction(callback, 'callback');
  data = dataBytes(data);
  const padding = intOption('padding', key);
  const saltLength = intOption('saltLength', key);
  const p1363 = isP1363(key);
  if (!ArrayBuffer.isView(signature) && !(signature instanceof ArrayBuffer)) {
    throw new ERR_INVALID_ARG_TYPE('signature', ['Buffer', 'TypedArray', 'DataView'], signature);
  }
  const handle = preparePublicOrPrivateKey(key);
  return native.verifyOnce(handle, algorithm, data, padding, saltLength, p1363, asBytes(signature),
    callback === undefined ? undefined : (error, verified) => {
      if (error) callback(error);
      else callback(null, verified);
    });
}

module.exports = { Sign, Verify, signOneShot, verifyOneShot };
