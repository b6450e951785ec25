'use strict';
// Key derivation: pbkdf2, scrypt, hkdf. The synchronous and the asynchronous form are one native call each, which
// runs here without a callback and on the crypto lane with one.

const { Buffer } = require('buffer');
const {
  codes: {
    ERR_CRYPTO_INVALID_DIGEST, ERR_CRYPTO_INVALID_KEYLEN, ERR_INCOMPATIBLE_OPTION_PAIR, ERR_INVALID_ARG_TYPE,
    ERR_OUT_OF_RANGE,
  },
} = require('#internal/errors');
const {
  validateFunction, validateInt32, validateInteger, validateObject, validateOneOf, validateString, validateUint32,
} = require('#internal/validators');
const { asBytes, digestId, getArrayBufferOrView, isAnyArrayBuffer } = require('#crypto/util');

const native = binding('crypto');
const kMaxInfoLength = 1024;

function digestOrThrow(name) {
  const id = digestId(name);
  if (id < 0) throw new ERR_CRYPTO_INVALID_DIGEST(name);
  return id;
}

/** Hands an ArrayBuffer from the native side to `callback` as a Buffer. */
function withBuffer(callback) {
  return (error, result) => {
    if (error) callback(error);
    else callback(null, Buffer.from(result));
  };
}

function checkPbkdf2(password, salt, iterations, keylen, digest) {
  validateString(digest, 'digest');
  password = asBytes(getArrayBufferOrView(password, 'password'));
  salt = asBytes(getArrayBufferOrView(salt, 'salt'));
  // OpenSSL takes both as int.
  validateInt32(iterations, 'iterations', 1);
  validateInt32(keylen, 'keylen', 0);
  return { password, salt, iterations, keylen, digest: digestOrThrow(digest) };
}

function pbkdf2(password, salt, iterations, keylen, digest, callback) {
  if (typeof digest === 'function') {
    callback = digest;
    digest = undefined;
  }
  const a = checkPbkdf2(password, salt, iterations, keylen, digest);
  validateFunction(callback, 'callback');
  native.pbkdf2(a.password, a.salt, a.iterations, a.keylen, a.digest, withBuffer(callback));
}

function pbkdf2Sync(password, salt, iterations, keylen, digest) {
  const a = checkPbkdf2(password, salt, iterations, keylen, digest);
  return Buffer.from(native.pbkdf2(a.password, a.salt, a.iterations, a.keylen, a.digest, undefined));
}

const kScryptDefaults = Object.freeze({ N: 16384, r: 8, p: 1, maxmem: 32 << 20 });

/** One of two names of a scrypt parameter. */
function scryptOption(options, short, long, current) {
  const hasShort = options[short] !== undefined;
  let value = current;
  if (hasShort) {
    value = options[short];
    validateUint32(value, short);
  }
  if (options[long] !== undefined) {
    if (hasShort) throw new ERR_INCOMPATIBLE_OPTION_PAIR(short, long);
    value = options[long];
    validateUint32(value, long);
  }
  return value || current;
}

function checkScrypt(password, salt, keylen, options) {
  password = asBytes(getArrayBufferOrView(password, 'password'));
  salt = asBytes(getArrayBufferOrView(salt, 'salt'));
  validateInt32(keylen, 'keylen', 0);
  let { N, r, p, maxmem } = kScryptDefaults;
  if (options && options !== kScryptDefaults) {
    N = scryptOption(options, 'N', 'cost', N);
    r = scryptOption(options, 'r', 'blockSize', r);
    p = scryptOption(options, 'p', 'parallelization', p);
    if (options.maxmem !== undefined) {
      maxmem = options.maxmem;
      validateInteger(maxmem, 'maxmem', 0);
      maxmem ||= kScryptDefaults.maxmem;
    }
  }
  native.checkScrypt(N, r, p, maxmem);
  return { password, salt, keylen, N, r, p, maxmem };
}

function scrypt(password, salt, keylen, options, callback = undefined) {
  if (callback === undefined) {
    callback = options;
    options = kScryptDefaults;
  }
  const a = checkScrypt(password, salt, keylen, options);
  validateFunction(callback, 'callback');
  native.scrypt(a.password, a.salt, a.N, a.r, a.p, a.maxmem, a.keylen, withBuffer(callback));
}

function scryptSync(password, salt, keylen, options = kScryptDefaults) {
  const a = checkScrypt(password, salt, keylen, options);
  return Buffer.from(native.scrypt(a.password, a.salt, a.N, a.r, a.p, a.maxmem, a.keylen, undefined));
}

/** Bytes of the input key of HKDF, which may be a KeyObject. */
function inputKey(key) {
  const { isKeyObject, secretBytes } = require('#crypto/keys');
  if (isKeyObject(key)) return secretBytes(key);
  if (typeof key !== 'string' && !isAnyArrayBuffer(key) && !ArrayBuffer.isView(key)) {
    throw new ERR_INVALID_ARG_TYPE('ikm',
      ['string', 'SecretKeyObject', 'ArrayBuffer', 'TypedArray', 'DataView', 'Buffer'], key);
  }
  return asBytes(getArrayBufferOrView(key, 'ikm'));
}

function checkHkdf(digest, key, salt, info, length) {
  validateString(digest, 'digest');
  key = inputKey(key);
  salt = asBytes(getArrayBufferOrView(salt, 'salt'));
  info = asBytes(getArrayBufferOrView(info, 'info'));
  validateInteger(length, 'length', 0, 2 ** 31 - 1);
  if (info.byteLength > kMaxInfoLength) {
    throw new ERR_OUT_OF_RANGE('info', `must not contain more than ${kMaxInfoLength} bytes`, info.byteLength);
  }
  const id = digestOrThrow(digest);
  // RFC 5869, section 2.3: at most 255 blocks.
  if (length > 255 * native.digestSize(id)) throw new ERR_CRYPTO_INVALID_KEYLEN();
  return { id, key, salt, info, length };
}

function hkdf(digest, key, salt, info, length, callback) {
  const a = checkHkdf(digest, key, salt, info, length);
  validateFunction(callback, 'callback');
  native.hkdf(a.id, a.key, a.salt, a.info, a.length, (error, result) => {
    if (error) callback(error);
    else callback(null, result);
  });
}

function hkdfSync(digest, key, salt, info, length) {
  const a = checkHkdf(digest, key, salt, info, length);
  return native.hkdf(a.id, a.key, a.salt, a.info, a.length, undefined);
}

/** What argon2() takes is checked even though the OpenSSL that is linked (before 3.2) has none. */
function checkArgon2(algorithm, parameters) {
  validateString(algorithm, 'algorithm');
  validateOneOf(algorithm, 'algorithm', ['argon2d', 'argon2i', 'argon2id']);
  validateObject(parameters, 'parameters');
}

module.exports = { checkArgon2, hkdf, hkdfSync, pbkdf2, pbkdf2Sync, scrypt, scryptSync };
