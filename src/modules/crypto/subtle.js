'use strict';
// The methods of SubtleCrypto. https://w3c.github.io/webcrypto/#SubtleCrypto-interface
// Each gets the number of arguments that its caller gave, then the arguments.

const { Buffer } = require('buffer');
const {
  codes: { ERR_MISSING_ARGS, ERR_OUT_OF_RANGE },
} = require('#internal/errors');
const { lazyDOMException } = require('#internal/util');
const { isCryptoKey, keyObjectOf, makeCryptoKey, slotsOf } = require('#crypto/crypto_key');
const { PublicKeyObject } = require('#crypto/keys');
const { digestId, kHandle } = require('#crypto/util');
const {
  bufferSource, digestName, domString, kOperations, normalizeAlgorithm, onLane, operationError,
} = require('#crypto/webcrypto_algorithms');
const { tagBytes } = require('#crypto/webcrypto_checks');
const webKeys = require('#crypto/webcrypto_keys');
const { constants } = require('#crypto/constants');

const native = binding('crypto');
const signNative = binding('crypto_sign');
const cipherNative = binding('crypto_cipher');
const keygenNative = binding('crypto_keygen');

const kFormats = ['raw', 'raw-public', 'raw-secret', 'raw-seed', 'pkcs8', 'spki', 'jwk'];
const kUsageNames = ['encrypt', 'decrypt', 'sign', 'verify', 'deriveKey', 'deriveBits', 'wrapKey', 'unwrapKey',
  'encapsulateKey', 'encapsulateBits', 'decapsulateKey', 'decapsulateBits'];
const kOrdinals = ['1st', '2nd', '3rd', '4th', '5th', '6th', '7th'];

function requireArguments(method, given, needed) {
  if (given >= needed) return;
  const error = new ERR_MISSING_ARGS('algorithm');
  const text = `Failed to execute '${method}' on 'SubtleCrypto': ${needed} ` +
    `argument${needed === 1 ? '' : 's'} required, but only ${given} present.`;
  error.message = text;
  throw error;
}

function typeError(method, index, text) {
  const which = `${kOrdinals[index]} argument${text.startsWith('[') ? '' : ' '}`;
  const error = new TypeError(`Failed to execute '${method}' on 'SubtleCrypto': ${which}${text}`);
  error.code = 'ERR_INVALID_ARG_TYPE';
  return error;
}

function toKey(method, index, value) {
  if (!isCryptoKey(value)) throw typeError(method, index, 'is not of type CryptoKey.');
  return value;
}

function toBytes(method, index, value) {
  try {
    return bufferSource(value, 'data');
  } catch {
    throw typeError(method, index, 'is not instance of ArrayBuffer, Buffer, TypedArray, or DataView.');
  }
}

function toFormat(method, index, value) {
  const format = domString(value, 'format');
  if (!kFormats.includes(format)) {
    const error = typeError(method, index, `value '${format}' is not a valid enum value of type KeyFormat.`);
    error.code = 'ERR_INVALID_ARG_VALUE';
    throw error;
  }
  return format;
}

function toUsages(method, index, value) {
  if (typeof value !== 'object' || value === null || typeof value[Symbol.iterator] !== 'function') {
    throw typeError(method, index, 'can not be converted to sequence.');
  }
  const usages = [...value].map(String);
  for (const [i, usage] of usages.entries()) {
    if (!kUsageNames.includes(usage)) {
      const error = typeError(method, index, `[${i}] value '${usage}' is not a valid enum value of type KeyUsage.`);
      error.code = 'ERR_INVALID_ARG_VALUE';
      throw error;
    }
  }
  return [...new Set(usages)];
}

/** That a key may be used in this way, with this algorithm. */
function checkKey(key, name, usage) {
  if (algorithmOf(key).name === name && usagesOf(key).includes(usage)) return;
  if (usage === 'encrypt' || usage === 'decrypt') {
    throw lazyDOMException('The requested operation is not valid for the provided key', 'InvalidAccessError');
  }
  throw lazyDOMException(`Unable to use this key to ${usage}`, 'InvalidAccessError');
}

function checkBaseKey(key, name, usage) {
  if (algorithmOf(key).name !== name) throw lazyDOMException('Key algorithm mismatch', 'InvalidAccessError');
  if (!usagesOf(key).includes(usage)) {
    throw lazyDOMException(`baseKey does not have ${usage} usage`, 'InvalidAccessError');
  }
}

const handleOf = (key) => keyObjectOf(key)[kHandle];
const algorithmOf = (key) => slotsOf(key).algorithm;
const usagesOf = (key) => slotsOf(key).usages;
const typeOf = (key) => keyObjectOf(key).type;

async function digest(given, algorithm, data) {
  requireArguments('digest', given, 2);
  data = toBytes('digest', 1, data);
  const normalized = normalizeAlgorithm(algorithm, 'digest');
  const id = digestId(digestName(normalized));
  if (!normalized.name.startsWith('cSHAKE')) return onLane(native.digestJob, id, data, -1);
  if (normalized.length % 8 !== 0) throw lazyDOMException('Unsupported CShakeParams length', 'NotSupportedError');
  if (normalized.functionName?.byteLength > 0 || normalized.customization?.byteLength > 0) {
    throw lazyDOMException('Non zero-length functionName or customization is not supported', 'NotSupportedError');
  }
  return normalized.length === 0 ? new ArrayBuffer(0) : onLane(native.digestJob, id, data, normalized.length / 8);
}

// --- encryption ---

/** AES in any mode, and ChaCha20-Poly1305. */
function cipherSymmetric(encrypts, algorithm, key, data) {
  const { name } = algorithm;
  const bits = algorithmOf(key).length;
  const handle = handleOf(key);
  switch (name) {
    case 'AES-CBC':
      return onLane(cipherNative.wholeCipher, encrypts, `aes-${bits}-cbc`, handle, algorithm.iv, data, undefined, 0);
    case 'AES-CTR': return counterMode(algorithm, bits, handle, data);
    case 'AES-GCM': case 'AES-OCB': case 'ChaCha20-Poly1305': {
      const tag = tagBytes(algorithm);
      if (!encrypts && data.byteLength < tag) {
        throw lazyDOMException('The provided data is too small.', 'OperationError');
      }
      const cipher = name === 'ChaCha20-Poly1305' ? 'chacha20-poly1305' : `aes-${bits}-${name.slice(4).toLowerCase()}`;
      return onLane(cipherNative.wholeCipher, encrypts, cipher, handle, algorithm.iv, data, algorithm.additionalData,
        tag);
    }
    default: throw lazyDOMException('Unrecognized algorithm name', 'NotSupportedError');
  }
}

/** A counter of fewer than 128 bits wraps around within its own bits, where OpenSSL's goes on into the nonce. */
async function counterMode({ counter, length }, bits, handle, data) {
  const cipher = `aes-${bits}-ctr`;
  const blocks = BigInt(Math.ceil(data.byteLength / 16));
  const limit = 1n << BigInt(length);
  if (blocks > limit) throw operationError();
  const value = BigInt(`0x${Buffer.from(counter).toString('hex')}`);
  const current = value & (limit - 1n);
  const untilWrap = limit - current;
  const run = (iv, part) => onLane(cipherNative.wholeCipher, true, cipher, handle, iv, part, undefined, 0);
  if (blocks <= untilWrap) return run(counter, data);
  const split = Number(untilWrap) * 16;
  const wrapped = Buffer.from((value - current).toString(16).padStart(32, '0'), 'hex');
  const parts = await Promise.all([run(counter, data.subarray(0, split)), run(wrapped, data.subarray(split))]);
  const joined = Buffer.concat(parts.map((part) => new Uint8Array(part)));
  return joined.buffer.slice(joined.byteOffset, joined.byteOffset + joined.byteLength);
}

function cipherRsa(encrypts, algorithm, key, data) {
  if (typeOf(key) !== (encrypts ? 'public' : 'private')) {
    throw lazyDOMException('The requested operation is not valid for the provided key', 'InvalidAccessError');
  }
  const operation = encrypts ? 0 : 1;
  return onLane(cipherNative.rsaCipher, operation, handleOf(key), data, constants.RSA_PKCS1_OAEP_PADDING,
    digestName(algorithmOf(key).hash), algorithm.label);
}

function cipher(encrypts, algorithm, key, data) {
  return algorithm.name === 'RSA-OAEP' ? cipherRsa(encrypts, algorithm, key, data) :
    cipherSymmetric(encrypts, algorithm, key, data);
}

async function encrypt(given, algorithm, key, data) {
  requireArguments('encrypt', given, 3);
  toKey('encrypt', 1, key);
  data = toBytes('encrypt', 2, data);
  const normalized = normalizeAlgorithm(algorithm, 'encrypt');
  checkKey(key, normalized.name, 'encrypt');
  return cipher(true, normalized, key, data);
}

async function decrypt(given, algorithm, key, data) {
  requireArguments('decrypt', given, 3);
  toKey('decrypt', 1, key);
  data = toBytes('decrypt', 2, data);
  const normalized = normalizeAlgorithm(algorithm, 'decrypt');
  checkKey(key, normalized.name, 'decrypt');
  return cipher(false, normalized, key, data);
}

// --- signatures ---

function signArguments(algorithm, key) {
  switch (algorithm.name) {
    case 'RSASSA-PKCS1-v1_5': return [digestName(algorithmOf(key).hash), constants.RSA_PKCS1_PADDING, undefined, false];
    case 'RSA-PSS':
      return [digestName(algorithmOf(key).hash), constants.RSA_PKCS1_PSS_PADDING, algorithm.saltLength, false];
    case 'ECDSA': return [digestName(algorithm.hash), undefined, undefined, true];
    default: {
      if (algorithm.context?.byteLength > 0) {
        throw lazyDOMException('Non zero-length context is not yet supported', 'NotSupportedError');
      }
      return [undefined, undefined, undefined, false];
    }
  }
}

const isMac = ({ name }) => name === 'HMAC' || name.startsWith('KMAC');

async function hmac(key, data) {
  const id = digestId(digestName(algorithmOf(key).hash));
  return onLane(native.hmacJob, id, handleOf(key).exportBytes(), data);
}

/** The MAC of an HMAC or KMAC key. */
async function mac(algorithm, key, data) {
  if (algorithm.name === 'HMAC') return hmac(key, data);
  const { length, customization } = algorithm;
  if (length % 8 !== 0) throw lazyDOMException('Unsupported KmacParams length', 'NotSupportedError');
  if (length === 0) return new ArrayBuffer(0);
  return onLane(native.kmacJob, algorithm.name, handleOf(key).exportBytes(), customization, data, length / 8);
}

/** RFC 8017, section 9.1.1: hash and salt have to fit into what the modulus can hold. */
function checkSaltLength({ saltLength }, key) {
  const { modulusLength, hash } = algorithmOf(key);
  const hashLength = native.digestSize(digestId(digestName(hash)));
  const max = Math.ceil((modulusLength - 1) / 8) - hashLength - 2;
  if (saltLength <= max) return;
  const cause = new ERR_OUT_OF_RANGE('algorithm.saltLength', `>= 0 && <= ${max}`, saltLength);
  throw lazyDOMException('The operation failed for an operation-specific reason', { name: 'OperationError', cause });
}

async function sign(given, algorithm, key, data) {
  requireArguments('sign', given, 3);
  toKey('sign', 1, key);
  data = toBytes('sign', 2, data);
  const normalized = normalizeAlgorithm(algorithm, 'sign');
  checkKey(key, normalized.name, 'sign');
  if (isMac(normalized)) return mac(normalized, key, data);
  if (typeOf(key) !== 'private') {
    throw lazyDOMException('Key must be a private key', 'InvalidAccessError');
  }
  if (normalized.name === 'RSA-PSS') checkSaltLength(normalized, key);
  const [hash, padding, salt, p1363] = signArguments(normalized, key);
  return onLane(signNative.signOnce, handleOf(key), hash, data, padding, salt, p1363);
}

async function verify(given, algorithm, key, signature, data) {
  requireArguments('verify', given, 4);
  toKey('verify', 1, key);
  signature = toBytes('verify', 2, signature);
  data = toBytes('verify', 3, data);
  const normalized = normalizeAlgorithm(algorithm, 'verify');
  checkKey(key, normalized.name, 'verify');
  if (isMac(normalized)) {
    const expected = new Uint8Array(await mac(normalized, key, data));
    return expected.byteLength === signature.byteLength && native.timingSafeEqual(expected, signature);
  }
  if (typeOf(key) !== 'public') {
    throw lazyDOMException('Key must be a public key', 'InvalidAccessError');
  }
  if (normalized.name === 'RSA-PSS') checkSaltLength(normalized, key);
  const [hash, padding, salt, p1363] = signArguments(normalized, key);
  return onLane(signNative.verifyOnce, handleOf(key), hash, data, padding, salt, p1363, signature);
}

// --- derivation ---

async function derive(algorithm, key, length) {
  const { name } = algorithm;
  if (name === 'ECDH' || name === 'X25519' || name === 'X448') return deriveAgreed(algorithm, key, length);
  if (length === null || length === undefined) throw lazyDOMException('length cannot be null', 'OperationError');
  if (length % 8 !== 0) throw lazyDOMException('length must be a multiple of 8', 'OperationError');
  const bytes = length / 8;
  const secret = handleOf(key).exportBytes();
  const id = digestId(digestName(algorithm.hash));
  if (name === 'HKDF') {
    if (bytes > 255 * native.digestSize(id)) throw operationError();
    if (bytes === 0) return new ArrayBuffer(0);
    return onLane(native.hkdf, id, secret, algorithm.salt, algorithm.info, bytes);
  }
  if (algorithm.iterations === 0) throw lazyDOMException('iterations cannot be zero', 'OperationError');
  if (bytes === 0) return new ArrayBuffer(0);
  return onLane(native.pbkdf2, secret, algorithm.salt, algorithm.iterations, bytes, id);
}

async function deriveAgreed(algorithm, key, length) {
  const peer = algorithm.public;
  if (typeOf(key) !== 'private') throw lazyDOMException('baseKey must be a private key', 'InvalidAccessError');
  if (typeOf(peer) !== 'public') throw lazyDOMException('algorithm.public must be a public key', 'InvalidAccessError');
  if (algorithmOf(peer).name !== algorithm.name) {
    throw lazyDOMException('key algorithm mismatch', 'InvalidAccessError');
  }
  if (algorithm.name === 'ECDH' && algorithmOf(key).namedCurve !== algorithmOf(peer).namedCurve) {
    throw lazyDOMException('Named curve mismatch', 'InvalidAccessError');
  }
  const secret = await onLane(keygenNative.agree, handleOf(key), handleOf(peer));
  if (length === null || length === undefined) return secret;
  if (secret.byteLength * 8 < length) throw lazyDOMException('derived bit length is too small', 'OperationError');
  const bytes = Math.ceil(length / 8);
  const result = secret.slice(0, bytes);
  const spare = length % 8;
  if (spare !== 0) {
    const view = new Uint8Array(result);
    view[bytes - 1] &= 0xff << (8 - spare);
  }
  return result;
}

function toLength(length) {
  if (length === null || length === undefined) return null;
  const number = Math.trunc(Number(length));
  return number >>> 0;
}

async function deriveBits(given, algorithm, baseKey, length) {
  requireArguments('deriveBits', given, 2);
  toKey('deriveBits', 1, baseKey);
  length = toLength(length);
  const normalized = normalizeAlgorithm(algorithm, 'deriveBits');
  checkBaseKey(baseKey, normalized.name, 'deriveBits');
  return derive(normalized, baseKey, length);
}

/** How many bits a key of this kind takes from a derivation. */
function keyLength(algorithm) {
  const { name } = algorithm;
  if (name === 'HKDF' || name === 'PBKDF2') return null;
  if (name === 'HMAC') return webKeys.hmacBits(algorithm);
  return name.startsWith('KMAC') ? webKeys.kmacBits(algorithm) : webKeys.aesBits(algorithm);
}

async function deriveKey(given, algorithm, baseKey, derivedKeyType, extractable, usages) {
  requireArguments('deriveKey', given, 5);
  toKey('deriveKey', 1, baseKey);
  usages = toUsages('deriveKey', 4, usages);
  const normalized = normalizeAlgorithm(algorithm, 'deriveBits');
  const importAlgorithm = normalizeAlgorithm(derivedKeyType, 'importKey');
  const lengthAlgorithm = normalizeAlgorithm(derivedKeyType, 'get key length');
  checkBaseKey(baseKey, normalized.name, 'deriveKey');
  const bits = await derive(normalized, baseKey, keyLength(lengthAlgorithm));
  return webKeys.importKey('raw-secret', Buffer.from(bits), importAlgorithm, Boolean(extractable), usages);
}

// --- keys ---

async function generateKey(given, algorithm, extractable, usages) {
  requireArguments('generateKey', given, 3);
  usages = toUsages('generateKey', 2, usages);
  const normalized = normalizeAlgorithm(algorithm, 'generateKey');
  return webKeys.generateKey(normalized, Boolean(extractable), usages);
}

async function importKey(given, format, keyData, algorithm, extractable, usages) {
  requireArguments('importKey', given, 4);
  format = toFormat('importKey', 0, format);
  if (format === 'jwk') {
    // A dictionary may be null.
    if (typeof keyData !== 'object' && keyData !== undefined) {
      throw typeError('importKey', 1, 'can not be converted to a dictionary');
    }
  } else {
    keyData = toBytes('importKey', 1, keyData);
  }
  usages = toUsages('importKey', 4, usages);
  const normalized = normalizeAlgorithm(algorithm, 'importKey');
  return webKeys.importKey(format, keyData, normalized, Boolean(extractable), usages);
}

async function exportKey(given, format, key) {
  requireArguments('exportKey', given, 2);
  format = toFormat('exportKey', 0, format);
  toKey('exportKey', 1, key);
  if (!(algorithmOf(key).name in kOperations.exportKey)) {
    throw lazyDOMException(`${algorithmOf(key).name} key export is not supported`, 'NotSupportedError');
  }
  if (!slotsOf(key).extractable) throw lazyDOMException('key is not extractable', 'InvalidAccessError');
  return webKeys.exportKey(format, key);
}

const wrapCipher = (key) => `aes${algorithmOf(key).length}-wrap`;

async function wrapKey(given, format, key, wrappingKey, wrapAlgorithm) {
  requireArguments('wrapKey', given, 4);
  format = toFormat('wrapKey', 0, format);
  toKey('wrapKey', 1, key);
  toKey('wrapKey', 2, wrappingKey);
  const normalized = eitherAlgorithm(wrapAlgorithm, 'wrapKey', 'encrypt');
  checkKey(wrappingKey, normalized.name, 'wrapKey');
  if (!slotsOf(key).extractable) throw lazyDOMException('key is not extractable', 'InvalidAccessError');
  let data = webKeys.exportKey(format, key);
  data = format === 'jwk' ? jwkBytes(data, normalized.name) : Buffer.from(data);
  if (normalized.name !== 'AES-KW') return cipher(true, normalized, wrappingKey, data);
  return onLane(cipherNative.wholeCipher, true, wrapCipher(wrappingKey), handleOf(wrappingKey), undefined, data,
    undefined, 0);
}

/** RFC 3394 takes whole blocks of 8 bytes: a JWK may be filled up with spaces. */
function jwkBytes(jwk, name) {
  const text = JSON.stringify(jwk);
  const bytes = Buffer.from(text, 'utf8');
  if (name !== 'AES-KW' || bytes.length % 8 === 0) return bytes;
  const padding = 8 - (bytes.length % 8);
  return Buffer.from(`${text.slice(0, -1)}${' '.repeat(padding)}}`, 'utf8');
}

function eitherAlgorithm(algorithm, first, second) {
  try {
    return normalizeAlgorithm(algorithm, first);
  } catch {
    return normalizeAlgorithm(algorithm, second);
  }
}

async function unwrapKey(given, format, wrapped, unwrappingKey, unwrapAlgorithm, unwrappedKeyAlgorithm, extractable,
  usages) {
  requireArguments('unwrapKey', given, 7);
  format = toFormat('unwrapKey', 0, format);
  wrapped = toBytes('unwrapKey', 1, wrapped);
  toKey('unwrapKey', 2, unwrappingKey);
  usages = toUsages('unwrapKey', 6, usages);
  const normalized = eitherAlgorithm(unwrapAlgorithm, 'unwrapKey', 'decrypt');
  const importAlgorithm = normalizeAlgorithm(unwrappedKeyAlgorithm, 'importKey');
  checkKey(unwrappingKey, normalized.name, 'unwrapKey');
  let data = normalized.name === 'AES-KW' ?
    await onLane(cipherNative.wholeCipher, false, wrapCipher(unwrappingKey), handleOf(unwrappingKey), undefined,
      wrapped, undefined, 0) :
    await cipher(false, normalized, unwrappingKey, wrapped);
  data = Buffer.from(data);
  if (format === 'jwk') {
    try {
      data = JSON.parse(data.toString('utf8'));
    } catch (cause) {
      throw lazyDOMException('Invalid wrapped JWK key', { name: 'DataError', cause });
    }
  }
  return webKeys.importKey(format, data, importAlgorithm, Boolean(extractable), usages);
}

async function getPublicKey(given, key, usages) {
  requireArguments('getPublicKey', given, 2);
  toKey('getPublicKey', 0, key);
  usages = toUsages('getPublicKey', 1, usages);
  if (typeOf(key) !== 'private') {
    throw lazyDOMException('key must be a private key', typeOf(key) === 'secret' ? 'NotSupportedError' :
      'InvalidAccessError');
  }
  const { name } = algorithmOf(key);
  webKeys.checkUsages(usages, webKeys.kUsages[name][0], name);
  return makeCryptoKey(new PublicKeyObject(handleOf(key).toPublic()), algorithmOf(key), usages, true);
}

/** Whether so many bits can be had. */
function derivable({ name, hash, iterations }, length) {
  if (name === 'HKDF' || name === 'PBKDF2') {
    if (length === null || length % 8 !== 0) return false;
    if (name === 'PBKDF2') return iterations !== 0;
    return length / 8 <= 255 * native.digestSize(digestId(digestName(hash)));
  }
  const most = { X25519: 256, X448: 448 }[name];
  return length === null || most === undefined || length <= most;
}

/** SubtleCrypto.supports() */
function supports(operation, algorithm, extra, given) {
  requireArguments('supports', given, 2);
  operation = `${operation}`;
  const ops = { __proto__: null, encrypt: 'encrypt', decrypt: 'decrypt', sign: 'sign', verify: 'verify',
    digest: 'digest', generateKey: 'generateKey', deriveBits: 'deriveBits', deriveKey: 'deriveBits',
    importKey: 'importKey', exportKey: 'exportKey', wrapKey: 'wrapKey', unwrapKey: 'unwrapKey' };
  if (!ops[operation]) return false;
  try {
    if (operation === 'wrapKey') eitherAlgorithm(algorithm, 'wrapKey', 'encrypt');
    else if (operation === 'unwrapKey') eitherAlgorithm(algorithm, 'unwrapKey', 'decrypt');
    else normalizeAlgorithm(algorithm, ops[operation]);
    if (operation === 'deriveKey') {
      normalizeAlgorithm(extra, 'importKey');
      const length = keyLength(normalizeAlgorithm(extra, 'get key length'));
      return derivable(normalizeAlgorithm(algorithm, 'deriveBits'), length);
    }
    return operation !== 'deriveBits' || derivable(normalizeAlgorithm(algorithm, 'deriveBits'), toLength(extra));
  } catch {
    return false;
  }
}

function encapsulate(method, given, wanted, key) {
  return require('#crypto/subtle_kem').refuse(method, given, key, wanted, { requireArguments, toKey });
}

module.exports = {
  encapsulate,
  decrypt,
  deriveBits,
  deriveKey,
  digest,
  encrypt,
  exportKey,
  generateKey,
  getPublicKey,
  importKey,
  sign,
  supports,
  unwrapKey,
  verify,
  wrapKey,
};
