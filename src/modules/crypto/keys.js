'use strict';
// KeyObject and its classes, and how every function that takes a key turns what it was given into a native key.

const { Buffer } = require('buffer');
const {
  codes: {
    ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS, ERR_CRYPTO_INVALID_JWK, ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE,
    ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE,
  },
} = require('#internal/errors');
const { validateObject, validateOneOf, validateString } = require('#internal/validators');
const {
  asBytes, getArrayBufferOrView, isAnyArrayBuffer, kHandle, stringToBytes,
} = require('#crypto/util');

const native = binding('crypto_keys');

const kKeyType = Symbol('kKeyType');
const kAsymmetricKeyType = Symbol('kAsymmetricKeyType');
const kAsymmetricKeyDetails = Symbol('kAsymmetricKeyDetails');

const kFormats = { __proto__: null, pem: 0, der: 1 };
const kPkcs1 = 0;
const kPkcs8 = 1;
const kSpki = 2;
const kSec1 = 3;
const kTypes = ['secret', 'public', 'private'];

class KeyObject {
  constructor(type, handle) {
    if (type !== 'secret' && type !== 'public' && type !== 'private') {
      throw new ERR_INVALID_ARG_VALUE('type', type);
    }
    if (typeof handle !== 'object' || handle === null || !(handle instanceof native.KeyHandle)) {
      throw new ERR_INVALID_ARG_TYPE('handle', 'object', handle);
    }
    this[kKeyType] = type;
    Object.defineProperty(this, kHandle, { __proto__: null, value: handle, enumerable: false, configurable: false,
      writable: false });
  }

  get type() {
    return this[kKeyType];
  }

  static from(key) {
    const { isCryptoKey, keyObjectOf } = require('#crypto/crypto_key');
    if (!isCryptoKey(key)) throw new ERR_INVALID_ARG_TYPE('key', 'CryptoKey', key);
    return keyObjectOf(key);
  }

  equals(otherKeyObject) {
    if (!isKeyObject(otherKeyObject)) {
      throw new ERR_INVALID_ARG_TYPE('otherKeyObject', 'KeyObject', otherKeyObject);
    }
    return otherKeyObject.type === this.type && this[kHandle].equals(otherKeyObject[kHandle]);
  }
}
Object.defineProperties(KeyObject.prototype, {
  [Symbol.toStringTag]: { __proto__: null, configurable: true, value: 'KeyObject' },
});

require('#crypto/key_clone').makeKeyObjectCloneable(KeyObject);

class SecretKeyObject extends KeyObject {
  constructor(handle) {
    super('secret', handle);
  }

  get symmetricKeySize() {
    return this[kHandle].size();
  }

  export(options) {
    if (options !== undefined) {
      validateObject(options, 'options');
      validateOneOf(options.format, 'options.format', [undefined, 'buffer', 'jwk']);
      if (options.format === 'jwk') return this[kHandle].exportJwk();
    }
    return this[kHandle].exportBytes();
  }

  toCryptoKey(algorithm, extractable, keyUsages) {
    return require('#crypto/webcrypto_keys').secretToCryptoKey(this, algorithm, extractable, keyUsages);
  }
}

class AsymmetricKeyObject extends KeyObject {
  get asymmetricKeyType() {
    return this[kAsymmetricKeyType] ??= this[kHandle].asymmetricType();
  }

  get asymmetricKeyDetails() {
    const type = this.asymmetricKeyType;
    switch (type) {
      case 'rsa': case 'rsa-pss': case 'dsa': case 'ec':
        return this[kAsymmetricKeyDetails] ??= this[kHandle].details();
      default:
        return {};
    }
  }

  toCryptoKey(algorithm, extractable, keyUsages) {
    return require('#crypto/webcrypto_keys').asymmetricToCryptoKey(this, algorithm, extractable, keyUsages);
  }
}

class PublicKeyObject extends AsymmetricKeyObject {
  constructor(handle) {
    super('public', handle);
  }

  export(options) {
    if (options && options.format === 'jwk') return this[kHandle].exportJwk(false);
    const { format, type } = parsePublicKeyEncoding(options, this.asymmetricKeyType);
    return this[kHandle].exportPublic(format, type);
  }
}

class PrivateKeyObject extends AsymmetricKeyObject {
  constructor(handle) {
    super('private', handle);
  }

  export(options) {
    if (options && options.format === 'jwk') {
      if (options.passphrase !== undefined) {
        throw new ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS('jwk', 'does not support encryption');
      }
      return this[kHandle].exportJwk(false);
    }
    const { format, type, cipher, passphrase } = parsePrivateKeyEncoding(options, this.asymmetricKeyType);
    return this[kHandle].exportPrivate(format, type, cipher, passphrase);
  }
}
/** The KeyObject of a native key. */
function wrapKey(handle) {
  switch (kTypes[handle.type()]) {
    case 'secret': return new SecretKeyObject(handle);
    case 'public': return new PublicKeyObject(handle);
    default: return new PrivateKeyObject(handle);
  }
}

function isKeyObject(value) {
  return value instanceof KeyObject && value[kHandle] !== undefined;
}

function isCryptoKey(value) {
  // No CryptoKey exists before its file is loaded.
  return typeof value === 'object' && value !== null && require('#crypto/crypto_key').isCryptoKey(value);
}

// --- options of encodings ---

function optionName(option, objName) {
  return objName === undefined ? `options.${option}` : `options.${objName}.${option}`;
}

function parseFormat(format, fallback, name) {
  if (format === undefined && fallback !== undefined) return fallback;
  const code = kFormats[format];
  if (code === undefined || typeof format !== 'string') throw new ERR_INVALID_ARG_VALUE(name, format);
  return code;
}

/** The encoding's number: undefined where the format alone decides. */
function parseEncodingType(type, required, keyType, isPublic, name) {
  if (type === undefined && !required) return undefined;
  if (type === 'pkcs1') {
    if (keyType !== undefined && keyType !== 'rsa') {
      throw new ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS(type, 'can only be used for RSA keys');
    }
    return kPkcs1;
  }
  if (type === 'spki' && isPublic !== false) return kSpki;
  if (type === 'pkcs8' && isPublic !== true) return kPkcs8;
  if (type === 'sec1' && isPublic !== true) {
    if (keyType !== undefined && keyType !== 'ec') {
      throw new ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS(type, 'can only be used for EC keys');
    }
    return kSec1;
  }
  throw new ERR_INVALID_ARG_VALUE(name, type);
}

function parseFormatAndType(encoding, keyType, isPublic, isInput, objName) {
  const format = parseFormat(encoding.format, isInput ? kFormats.pem : undefined, optionName('format', objName));
  const required = !isInput || format === kFormats.der;
  const type = parseEncodingType(encoding.type, required, keyType, isPublic, optionName('type', objName));
  return { format, type };
}

function isStringOrBuffer(value) {
  return typeof value === 'string' || ArrayBuffer.isView(value) || isAnyArrayBuffer(value);
}

function parseKeyEncoding(encoding, keyType, isPublic, objName) {
  validateObject(encoding, objName === undefined ? 'options' : objName);
  const isInput = keyType === undefined;
  const { format, type } = parseFormatAndType(encoding, keyType, isPublic, isInput, objName);
  let cipher;
  let passphrase;
  const text = encoding.encoding;
  if (isPublic !== true) {
    ({ cipher, passphrase } = encoding);
    if (!isInput) {
      if (cipher !== undefined && cipher !== null) {
        if (typeof cipher !== 'string') throw new ERR_INVALID_ARG_VALUE(optionName('cipher', objName), cipher);
        if (format === kFormats.der && (type === kPkcs1 || type === kSec1)) {
          throw new ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS(encoding.type, 'does not support encryption');
        }
      } else if (passphrase !== undefined) {
        throw new ERR_INVALID_ARG_VALUE(optionName('cipher', objName), cipher);
      }
    }
    const wanted = !isInput && cipher !== undefined && cipher !== null;
    if ((isInput && passphrase !== undefined && passphrase !== null && !isStringOrBuffer(passphrase)) ||
        (wanted && !isStringOrBuffer(passphrase))) {
      throw new ERR_INVALID_ARG_VALUE(optionName('passphrase', objName), passphrase);
    }
  }
  if (passphrase !== undefined && passphrase !== null) {
    passphrase = asBytes(getArrayBufferOrView(passphrase, 'key.passphrase', text));
  }
  return { format, type, cipher: cipher ?? undefined, passphrase: passphrase ?? undefined };
}

function parsePublicKeyEncoding(encoding, keyType, objName) {
  return parseKeyEncoding(encoding, keyType, keyType ? true : undefined, objName);
}

function parsePrivateKeyEncoding(encoding, keyType, objName) {
  return parseKeyEncoding(encoding, keyType, false, objName);
}

// --- JWK ---

function jwkMember(key, name, objName = 'key') {
  const value = key[name];
  validateString(value, `${objName}.${name}`);
  return Buffer.from(value, 'base64url');
}

const kJwkCurves = { '__proto__': null, 'P-256': ['prime256v1', 32], 'secp256k1': ['secp256k1', 32],
  'P-384': ['secp384r1', 48], 'P-521': ['secp521r1', 66] };
const kOkpCurves = ['Ed25519', 'Ed448', 'X25519', 'X448'];

function rsaFromJwk(jwk, isPublic) {
  validateString(jwk.n, 'key.n');
  validateString(jwk.e, 'key.e');
  const names = ['n', 'e'];
  if (!isPublic) {
    for (const name of ['d', 'p', 'q', 'dp', 'dq', 'qi']) validateString(jwk[name], `key.${name}`);
    names.push('d', 'p', 'q', 'dp', 'dq', 'qi');
  }
  return native.rsaKey(names.map((name) => jwkMember(jwk, name)));
}

function ecFromJwk(jwk, isPublic) {
  validateString(jwk.crv, 'key.crv');
  validateOneOf(jwk.crv, 'key.crv', Object.keys(kJwkCurves));
  validateString(jwk.x, 'key.x');
  validateString(jwk.y, 'key.y');
  if (!isPublic) validateString(jwk.d, 'key.d');
  const [curve, width] = kJwkCurves[jwk.crv];
  const x = jwkMember(jwk, 'x');
  const y = jwkMember(jwk, 'y');
  if (x.length > width || y.length > width) throw invalidJwk('Invalid JWK EC key');
  const point = Buffer.alloc(1 + 2 * width);
  point[0] = 4;
  x.copy(point, 1 + width - x.length);
  y.copy(point, 1 + 2 * width - y.length);
  return native.ecKey(curve, point, isPublic ? undefined : jwkMember(jwk, 'd'));
}

function invalidJwk(message) {
  const error = new ERR_CRYPTO_INVALID_JWK();
  error.message = message;
  return error;
}

function okpFromJwk(jwk, isPublic) {
  validateString(jwk.crv, 'key.crv');
  validateOneOf(jwk.crv, 'key.crv', kOkpCurves);
  validateString(jwk.x, 'key.x');
  if (!isPublic) validateString(jwk.d, 'key.d');
  const handle = native.rawKey(jwk.crv, jwkMember(jwk, isPublic ? 'x' : 'd'), !isPublic);
  if (handle === undefined) throw new ERR_CRYPTO_INVALID_JWK();
  return handle;
}

/** A native key of a JSON Web Key. */
function handleFromJwk(jwk, wantsPrivate) {
  validateObject(jwk, 'key');
  validateOneOf(jwk.kty, 'key.kty', ['RSA', 'EC', 'OKP', 'AKP']);
  switch (jwk.kty) {
    case 'RSA': return rsaFromJwk(jwk, !wantsPrivate);
    case 'EC': return ecFromJwk(jwk, !wantsPrivate);
    case 'OKP': return okpFromJwk(jwk, !wantsPrivate);
    default: throw new (require('#internal/errors').codes.ERR_FEATURE_UNAVAILABLE_ON_PLATFORM)('AKP keys');
  }
}

// --- keys as arguments ---

const kKeyInputTypes = ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView', 'KeyObject', 'CryptoKey'];
const kBytesInputTypes = ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'];

/** What a context allows: createPublicKey and its kin. */
const kConsumePublic = 0;
const kConsumePrivate = 1;
const kCreatePublic = 2;
const kCreatePrivate = 3;

function handleFromObject(key, context) {
  const { type } = key;
  if (context === kCreatePrivate) {
    throw new ERR_INVALID_ARG_TYPE('key', ['string', ...kBytesInputTypes], key);
  }
  if (type !== 'private') {
    if (context === kConsumePrivate || context === kCreatePublic) {
      throw new ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(type, 'private');
    }
    if (type !== 'public') throw new ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(type, 'private or public');
  }
  return key[kHandle];
}

/** A native key of bytes in one of the encodings. */
function readKey(data, encoding, context) {
  const isPrivate = context === kConsumePrivate || context === kCreatePrivate;
  const { format, type, passphrase } = parseKeyEncoding(encoding, undefined, isPrivate ? false : undefined);
  return native.readKey(asBytes(data), format, type ?? -1, isPrivate, passphrase);
}

const kDefaultEncoding = Object.freeze({ format: 'pem' });

/** The native key of what a caller gave as `key`. */
function prepareAsymmetricKey(key, context, name = 'key') {
  if (isKeyObject(key)) return handleFromObject(key, context);
  if (isCryptoKey(key)) {
    return handleFromObject(require('#crypto/crypto_key').keyObjectOf(key), context);
  }
  if (isStringOrBuffer(key)) return readKey(getArrayBufferOrView(key, name), kDefaultEncoding, context);
  if (typeof key === 'object' && key !== null) {
    const { key: data, encoding, format } = key;
    if (isKeyObject(data)) return handleFromObject(data, context);
    if (isCryptoKey(data)) {
      return handleFromObject(require('#crypto/crypto_key').keyObjectOf(data), context);
    }
    if (format === 'jwk') {
      validateObject(data, `${name}.key`);
      return handleFromJwk(data, context === kConsumePrivate || context === kCreatePrivate);
    }
    if (!isStringOrBuffer(data)) {
      throw new ERR_INVALID_ARG_TYPE(`${name}.key`,
        ['string', ...(context === kCreatePrivate ? kBytesInputTypes : kKeyInputTypes)], data);
    }
    return readKey(getArrayBufferOrView(data, `${name}.key`, encoding), key, context);
  }
  throw new ERR_INVALID_ARG_TYPE(name,
    ['string', ...(context === kCreatePrivate ? kBytesInputTypes : kKeyInputTypes)], key);
}

const preparePrivateKey = (key, name) => prepareAsymmetricKey(key, kConsumePrivate, name);
const preparePublicOrPrivateKey = (key, name) => prepareAsymmetricKey(key, kConsumePublic, name);

/** Bytes, or the native key, of a secret: a KeyObject, a CryptoKey, a string or a buffer. */
function prepareSecretKey(key, encoding, bufferOnly = false) {
  if (!bufferOnly) {
    if (isKeyObject(key)) {
      if (key.type !== 'secret') throw new ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(key.type, 'secret');
      return key[kHandle];
    }
    if (isCryptoKey(key)) {
      if (key.type !== 'secret') throw new ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(key.type, 'secret');
      return require('#crypto/crypto_key').keyObjectOf(key)[kHandle];
    }
  }
  if (typeof key === 'string') return stringToBytes(key, encoding);
  if (!ArrayBuffer.isView(key) && !isAnyArrayBuffer(key)) {
    throw new ERR_INVALID_ARG_TYPE('key', bufferOnly ? kBytesInputTypes : ['string', ...kKeyInputTypes], key);
  }
  return key;
}

/** Bytes of a secret KeyObject. */
function secretBytes(key) {
  if (key.type !== 'secret') throw new ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(key.type, 'secret');
  return key[kHandle].exportBytes();
}

/** Bytes of what prepareSecretKey gave. */
function bytesOfSecret(secret) {
  return secret instanceof native.KeyHandle ? secret.exportBytes() : asBytes(secret);
}

function createSecretKey(key, encoding) {
  key = prepareSecretKey(key, encoding, true);
  return new SecretKeyObject(native.secretKey(asBytes(key)));
}

function createPublicKey(key) {
  const handle = prepareAsymmetricKey(key, kCreatePublic);
  return new PublicKeyObject(handle.type() === 2 ? handle.toPublic() : handle);
}

function createPrivateKey(key) {
  return new PrivateKeyObject(prepareAsymmetricKey(key, kCreatePrivate));
}

module.exports = {
  KeyObject,
  PrivateKeyObject,
  PublicKeyObject,
  SecretKeyObject,
  bytesOfSecret,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  handleFromJwk,
  isCryptoKey,
  isKeyObject,
  kKeyType,
  parsePrivateKeyEncoding,
  parsePublicKeyEncoding,
  preparePrivateKey,
  preparePublicOrPrivateKey,
  prepareSecretKey,
  secretBytes,
  wrapKey,
};
