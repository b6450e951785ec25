'use strict';
// The algorithms of WebCrypto and how an AlgorithmIdentifier is read: which members it must have for which operation.
// https://w3c.github.io/webcrypto/#algorithm-normalization

const { Buffer } = require('buffer');
const {
  codes: { ERR_INVALID_ARG_TYPE, ERR_MISSING_OPTION },
} = require('#internal/errors');
const { lazyDOMException } = require('#internal/util');
const { isAnyArrayBuffer, lazyTypes } = require('#crypto/util');

// --- WebIDL conversions ---

/** A BufferSource, copied: what the caller does with it afterwards has no effect. */
function bufferSource(value, name) {
  if (ArrayBuffer.isView(value)) {
    if (lazyTypes().isSharedArrayBuffer(value.buffer)) throw notBufferSource(value, name);
    return Buffer.from(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  }
  if (isAnyArrayBuffer(value) && !lazyTypes().isSharedArrayBuffer(value)) return Buffer.from(new Uint8Array(value));
  throw notBufferSource(value, name);
}

function notBufferSource(value, name) {
  return new ERR_INVALID_ARG_TYPE(name, ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], value);
}

function bigInteger(value, name) {
  if (!(value instanceof Uint8Array)) throw new ERR_INVALID_ARG_TYPE(name, 'Uint8Array', value);
  return new Uint8Array(value);
}

/** An unsigned integer of so many bits, by [EnforceRange]. */
function unsigned(bits) {
  const limit = 2 ** bits - 1;
  return (value, name, dictionary) => {
    const number = Math.trunc(Number(value));
    if (typeof value === 'bigint' || !Number.isFinite(number) || number < 0 || number > limit) {
      const member = name.slice(name.indexOf('.') + 1);
      const error = new TypeError(`Failed to normalize algorithm: '${member}' of '${dictionary}' (passed algorithm) ` +
        `is outside the expected range of 0 to ${limit}.`);
      error.code = 'ERR_OUT_OF_RANGE';
      throw error;
    }
    return number;
  };
}

function domString(value, name) {
  if (typeof value === 'symbol') throw new ERR_INVALID_ARG_TYPE(name, 'string', value);
  return `${value}`;
}

function hashIdentifier(value) {
  return normalizeAlgorithm(value, 'digest');
}

function cryptoKey(value, name) {
  if (!require('#crypto/crypto_key').isCryptoKey(value)) throw new ERR_INVALID_ARG_TYPE(name, 'CryptoKey', value);
  return value;
}

const octet = unsigned(8);
const unsignedShort = unsigned(16);
const unsignedLong = unsigned(32);
const required = true;

// --- the dictionaries: [member, conversion, required] ---

/** A dictionary by its name in the specification. */
function named(name, members) {
  return Object.assign(members, { dictionaryName: name });
}

const hashed = [['hash', hashIdentifier, required]];
const aesKeyGen = named('AesKeyGenParams', [['length', unsignedShort, required]]);
const ecParams = named('EcKeyImportParams', [['namedCurve', domString, required]]);
const rsaKeyGen = named('RsaHashedKeyGenParams', [['hash', hashIdentifier, required],
  ['modulusLength', unsignedLong, required], ['publicExponent', bigInteger, required]]);
const ivOnly = named('AesCbcParams', [['iv', bufferSource, required]]);
const gcm = named('AeadParams', [['additionalData', bufferSource], ['iv', bufferSource, required],
  ['tagLength', octet]]);
const ctr = named('AesCtrParams', [['counter', bufferSource, required], ['length', octet, required]]);
const oaep = named('RsaOaepParams', [['label', bufferSource]]);
const pss = named('RsaPssParams', [['saltLength', unsignedLong, required]]);
const hmacKeyGen = named('HmacKeyGenParams', [['hash', hashIdentifier, required], ['length', unsignedLong]]);
const ecdhDerive = named('EcdhKeyDeriveParams', [['public', cryptoKey, required]]);
const hkdf = named('HkdfParams', [['hash', hashIdentifier, required], ['info', bufferSource, required],
  ['salt', bufferSource, required]]);
const pbkdf2 = named('Pbkdf2Params', [['hash', hashIdentifier, required], ['iterations', unsignedLong, required],
  ['salt', bufferSource, required]]);
const cshake = [['customization', bufferSource], ['functionName', bufferSource], ['length', unsignedLong, required]];
const kmac = [['customization', bufferSource], ['length', unsignedLong, required]];
const kmacKey = [['length', unsignedLong]];
const ed448 = [['context', bufferSource]];
const none = [];

const digests = { 'SHA-1': none, 'SHA-256': none, 'SHA-384': none, 'SHA-512': none, 'SHA3-256': none,
  'SHA3-384': none, 'SHA3-512': none, 'cSHAKE128': cshake, 'cSHAKE256': cshake };
const okpKeys = { Ed25519: none, Ed448: none, X25519: none, X448: none };
const rsaNames = ['RSASSA-PKCS1-v1_5', 'RSA-PSS', 'RSA-OAEP'];
const aesNames = ['AES-CTR', 'AES-CBC', 'AES-GCM', 'AES-KW', 'AES-OCB'];

const all = (names, dictionary) => Object.fromEntries(names.map((name) => [name, dictionary]));

/** operation -> algorithm -> dictionary */
const kOperations = {
  'digest': digests,
  'generateKey': {
    ...all(rsaNames, rsaKeyGen), 'ECDSA': ecParams, 'ECDH': ecParams, 'HMAC': hmacKeyGen, ...all(aesNames, aesKeyGen),
    ...okpKeys, 'ChaCha20-Poly1305': none, 'KMAC128': kmacKey, 'KMAC256': kmacKey,
  },
  'sign': {
    'RSASSA-PKCS1-v1_5': none, 'RSA-PSS': pss, 'ECDSA': hashed, 'HMAC': none, 'Ed25519': none, 'Ed448': ed448,
    'KMAC128': kmac, 'KMAC256': kmac,
  },
  'verify': {
    'RSASSA-PKCS1-v1_5': none, 'RSA-PSS': pss, 'ECDSA': hashed, 'HMAC': none, 'Ed25519': none, 'Ed448': ed448,
    'KMAC128': kmac, 'KMAC256': kmac,
  },
  'importKey': {
    ...all(rsaNames, hashed), 'ECDSA': ecParams, 'ECDH': ecParams, 'HMAC': hmacKeyGen, ...all(aesNames, none),
    ...okpKeys, 'HKDF': none, 'PBKDF2': none, 'ChaCha20-Poly1305': none, 'KMAC128': kmacKey, 'KMAC256': kmacKey,
  },
  'exportKey': {
    ...all(rsaNames, none), 'ECDSA': none, 'ECDH': none, 'HMAC': none, ...all(aesNames, none), ...okpKeys,
    'ChaCha20-Poly1305': none, 'KMAC128': none, 'KMAC256': none,
  },
  'deriveBits': { 'HKDF': hkdf, 'PBKDF2': pbkdf2, 'ECDH': ecdhDerive, 'X25519': ecdhDerive, 'X448': ecdhDerive },
  'encrypt': {
    'RSA-OAEP': oaep, 'AES-CBC': ivOnly, 'AES-GCM': gcm, 'AES-OCB': gcm, 'AES-CTR': ctr, 'ChaCha20-Poly1305': gcm,
  },
  'decrypt': {
    'RSA-OAEP': oaep, 'AES-CBC': ivOnly, 'AES-GCM': gcm, 'AES-OCB': gcm, 'AES-CTR': ctr, 'ChaCha20-Poly1305': gcm,
  },
  'get key length': {
    ...all(aesNames, aesKeyGen), 'HMAC': hmacKeyGen, 'HKDF': none, 'PBKDF2': none, 'ChaCha20-Poly1305': none,
    'KMAC128': kmacKey, 'KMAC256': kmacKey,
  },
  'wrapKey': { 'AES-KW': none },
  'unwrapKey': { 'AES-KW': none },
};

/** lower-case name -> [name, dictionary], one map an operation */
const registered = new Map();
for (const [operation, algorithms] of Object.entries(kOperations)) {
  registered.set(operation, new Map(Object.entries(algorithms).map(
    ([name, dictionary]) => [name.toLowerCase(), [name, dictionary]])));
}

/**
 * @param {unknown} algorithm an AlgorithmIdentifier
 * @param {string} operation
 * @returns {{ name: string, [member: string]: unknown }}
 */
function normalizeAlgorithm(algorithm, operation) {
  // What is no object is a string to WebIDL.
  if ((typeof algorithm !== 'object' && typeof algorithm !== 'function') || algorithm === null) {
    algorithm = { name: domString(algorithm, 'algorithm') };
  }
  const { name: given } = algorithm;
  if (given === undefined) throw missing('name', 'Algorithm');
  const found = registered.get(operation)?.get(domString(given, 'algorithm.name').toLowerCase());
  if (found === undefined) throw lazyDOMException('Unrecognized algorithm name', 'NotSupportedError');
  const [name, dictionary] = found;
  const normalized = { name };
  for (const [member, convert, isRequired] of dictionary) {
    const value = algorithm[member];
    if (value !== undefined) {
      normalized[member] = convert(value, `algorithm.${member}`, dictionary.dictionaryName ?? name);
    } else if (isRequired) {
      throw missing(member, dictionary.dictionaryName ?? name);
    }
  }
  require('#crypto/webcrypto_checks').check(normalized, operation);
  return normalized;
}

function missing(member, name) {
  const error = new ERR_MISSING_OPTION(member);
  error.message = `Failed to normalize algorithm: passed algorithm can not be converted to '${name}' because ` +
    `'${member}' is required in '${name}'.`;
  return Object.defineProperty(new TypeError(error.message), 'code', { __proto__: null, value: 'ERR_MISSING_OPTION',
    enumerable: true, writable: true, configurable: true });
}

/** OpenSSL's name of a WebCrypto hash. */
function digestName(hash) {
  if (hash.name.startsWith('cSHAKE')) return hash.name.slice(1).toLowerCase();
  return hash.name.startsWith('SHA3') ? hash.name.toLowerCase() : hash.name.replace('-', '').toLowerCase();
}

/** Bits of a hash's block: the default length of an HMAC key. */
function blockBits(hash) {
  switch (hash.name) {
    case 'SHA-1': case 'SHA-256': return 512;
    case 'SHA-384': case 'SHA-512': return 1024;
    case 'SHA3-256': return 1088;
    case 'SHA3-384': return 832;
    case 'SHA3-512': return 576;
    default: throw lazyDOMException('Unrecognized algorithm name', 'NotSupportedError');
  }
}

/** A failure that OpenSSL reported, as the specification names it. */
function operationError(cause, message = 'The operation failed for an operation-specific reason') {
  return cause === undefined ? lazyDOMException(message, 'OperationError') :
    lazyDOMException(message, { name: 'OperationError', cause });
}

/** Runs a native function on the crypto lane. */
function onLane(fn, ...args) {
  return new Promise((resolve, reject) => {
    fn(...args, (error, result) => {
      if (error) reject(operationError(error));
      else resolve(result);
    });
  });
}

module.exports = {
  blockBits,
  bufferSource,
  digestName,
  domString,
  kOperations,
  normalizeAlgorithm,
  onLane,
  operationError,
};
