'use strict';
// Keys of WebCrypto: generating, importing and exporting each kind.

const { Buffer } = require('buffer');
const { lazyDOMException } = require('#internal/util');
const { PrivateKeyObject, PublicKeyObject, SecretKeyObject, handleFromJwk } = require('#crypto/keys');
const { keyObjectOf, makeCryptoKey, slotsOf } = require('#crypto/crypto_key');
const { kHandle } = require('#crypto/util');
const { blockBits, normalizeAlgorithm, onLane } = require('#crypto/webcrypto_algorithms');

const keys = binding('crypto_keys');
const keygen = binding('crypto_keygen');

const kSpki = 2;
const kPkcs8 = 1;
const kDer = 1;

const notSupported = (message) => lazyDOMException(message, 'NotSupportedError');
const dataError = (message, cause) => lazyDOMException(message, cause ? { name: 'DataError', cause } : 'DataError');
const syntaxError = (message) => lazyDOMException(message, 'SyntaxError');

/** The usages that a kind of key may have: [public, private], or one list for secrets. */
const kUsages = {
  'RSASSA-PKCS1-v1_5': [['verify'], ['sign']],
  'RSA-PSS': [['verify'], ['sign']],
  'RSA-OAEP': [['encrypt', 'wrapKey'], ['decrypt', 'unwrapKey']],
  'ECDSA': [['verify'], ['sign']],
  'ECDH': [[], ['deriveKey', 'deriveBits']],
  'Ed25519': [['verify'], ['sign']],
  'Ed448': [['verify'], ['sign']],
  'X25519': [[], ['deriveKey', 'deriveBits']],
  'X448': [[], ['deriveKey', 'deriveBits']],
  'HMAC': ['sign', 'verify'],
  'KMAC128': ['sign', 'verify'],
  'KMAC256': ['sign', 'verify'],
  'AES-CBC': ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'],
  'AES-CTR': ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'],
  'AES-GCM': ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'],
  'AES-OCB': ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'],
  'ChaCha20-Poly1305': ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'],
  'AES-KW': ['wrapKey', 'unwrapKey'],
  'HKDF': ['deriveKey', 'deriveBits'],
  'PBKDF2': ['deriveKey', 'deriveBits'],
};
const isPairAlgorithm = (name) => Array.isArray(kUsages[name][0]);

/** With the article that Node's messages have. */
function labelOf(name) {
  if (name.startsWith('AES')) return 'an AES';
  if (name === 'HMAC' || name.startsWith('KMAC')) return name;
  return /^[EXR]/.test(name) ? `an ${name}` : `a ${name}`;
}

function checkUsages(usages, allowed, name) {
  for (const usage of usages) {
    if (!allowed.includes(usage)) throw syntaxError(`Unsupported key usage for ${labelOf(name)} key`);
  }
}

// --- generating ---

/** The public exponent as a number: OpenSSL takes no larger ones from here. */
function exponentOf(bytes) {
  let value = 0;
  for (const byte of bytes) {
    value = value * 256 + byte;
    if (value > 0xffffffff) return undefined;
  }
  return value;
}

async function generatePair(algorithm, extractable, usages) {
  const { name } = algorithm;
  const [publicUsages, privateUsages] = kUsages[name];
  checkUsages(usages, [...publicUsages, ...privateUsages], name);
  let handles;
  let shown;
  if (name.startsWith('RSA')) {
    const exponent = exponentOf(algorithm.publicExponent);
    if (exponent === undefined || exponent === 0 || exponent % 2 === 0) {
      throw lazyDOMException('The publicExponent must be equivalent to an unsigned 32-bit value', 'OperationError');
    }
    handles = await onLane(keygen.rsaPair, false, algorithm.modulusLength, exponent, undefined, undefined, -1);
    const { modulusLength, publicExponent, hash } = algorithm;
    shown = { name, modulusLength, publicExponent, hash };
  } else if (name === 'ECDSA' || name === 'ECDH') {
    const { namedCurve } = algorithm;
    if (!kCurves[namedCurve]) throw notSupported('Unrecognized namedCurve');
    handles = await onLane(keygen.ecPair, kCurves[namedCurve], false);
    shown = { name, namedCurve };
  } else {
    handles = await onLane(keygen.plainPair, name);
    shown = { name };
  }
  const own = usages.filter((usage) => privateUsages.includes(usage));
  if (own.length === 0) throw syntaxError('Usages cannot be empty when creating a key.');
  return {
    publicKey: makeCryptoKey(new PublicKeyObject(handles[0].type() === 2 ? handles[0].toPublic() : handles[0]), shown,
      usages.filter((usage) => publicUsages.includes(usage)), true),
    privateKey: makeCryptoKey(new PrivateKeyObject(handles[1]), shown, own, extractable),
  };
}

async function generateKey(algorithm, extractable, usages) {
  const { name } = algorithm;
  if (isPairAlgorithm(name)) return generatePair(algorithm, extractable, usages);
  checkUsages(usages, kUsages[name], name);
  const bits = secretBits(algorithm);
  const bytes = await new Promise((resolve, reject) => {
    require('#crypto/random').randomBytes(Math.ceil(bits / 8), (error, result) => {
      if (error) reject(error);
      else resolve(result);
    });
  });
  if (usages.length === 0) throw syntaxError('Usages cannot be empty when creating a key.');
  return secretCryptoKey(algorithm, bytes, bits, extractable, usages);
}

function secretBits(algorithm) {
  if (algorithm.name === 'HMAC') return hmacBits(algorithm);
  return algorithm.name.startsWith('KMAC') ? kmacBits(algorithm) : aesBits(algorithm);
}

function kmacBits({ name, length }) {
  if (length === undefined) return name === 'KMAC128' ? 128 : 256;
  if (length === 0) throw lazyDOMException('Zero-length key is not supported', 'OperationError');
  return length;
}

function hmacBits(algorithm) {
  if (algorithm.length === undefined) return blockBits(algorithm.hash);
  if (algorithm.length === 0) throw lazyDOMException('Zero-length key is not supported', 'OperationError');
  return algorithm.length;
}

function aesBits({ name, length }) {
  if (name === 'ChaCha20-Poly1305') return 256;
  if (length !== 128 && length !== 192 && length !== 256) {
    throw lazyDOMException('Invalid key length', 'OperationError');
  }
  return length;
}

function secretCryptoKey(algorithm, bytes, bits, extractable, usages) {
  const { name, hash } = algorithm;
  const keyObject = new SecretKeyObject(keys.secretKey(bytes));
  let shown = { name };
  if (name === 'HMAC') shown = { name, length: bits, hash };
  else if (name.startsWith('AES') || name.startsWith('KMAC')) shown = { name, length: bits };
  return makeCryptoKey(keyObject, shown, usages, extractable);
}

// --- importing ---

const kCurves = { '__proto__': null, 'P-256': 'prime256v1', 'P-384': 'secp384r1', 'P-521': 'secp521r1' };

const kKeyOps = ['encrypt', 'decrypt', 'sign', 'verify', 'deriveKey', 'deriveBits', 'wrapKey', 'unwrapKey'];

/** What every JWK is checked for. */
function checkJwk(jwk, { kty, use, extractable, usages }) {
  if (typeof jwk !== 'object' || jwk === null || !jwk.kty) throw dataError('Invalid keyData');
  if (jwk.kty !== kty) throw dataError('Invalid JWK "kty" Parameter');
  if (usages.length > 0 && jwk.use !== undefined && jwk.use !== use) {
    throw dataError('Invalid JWK "use" Parameter');
  }
  if (jwk.key_ops !== undefined) {
    if (!Array.isArray(jwk.key_ops) || new Set(jwk.key_ops).size !== jwk.key_ops.length) {
      throw dataError('Invalid JWK "key_ops" Parameter');
    }
    const ops = jwk.key_ops.filter((op) => kKeyOps.includes(op));
    if (!usages.every((usage) => ops.includes(usage))) {
      throw dataError('Key operations and usage mismatch');
    }
  }
  if (jwk.ext !== undefined && jwk.ext === false && extractable === true) {
    throw dataError('JWK "ext" Parameter and extractable mismatch');
  }
}

function readDer(data, isPrivate) {
  try {
    return keys.readKey(data, kDer, isPrivate ? kPkcs8 : kSpki, isPrivate, undefined);
  } catch (error) {
    throw dataError('Invalid keyData', error);
  }
}

function readJwk(jwk, isPrivate) {
  try {
    return handleFromJwk(jwk, isPrivate);
  } catch (error) {
    throw dataError('Invalid keyData', error);
  }
}

/** 'public' or 'private', by the format and what a JWK holds. */
function pairHalf(format, keyData) {
  switch (format) {
    case 'spki': case 'raw': case 'raw-public': return 'public';
    case 'pkcs8': return 'private';
    case 'jwk': return keyData?.d !== undefined ? 'private' : 'public';
    default: return undefined;
  }
}

const kJwkHashNames = { 'SHA-1': '1', 'SHA-256': '256', 'SHA-384': '384', 'SHA-512': '512' };

function rsaAlg(name, hash) {
  const bits = kJwkHashNames[hash.name];
  if (bits === undefined) return undefined;
  if (name === 'RSASSA-PKCS1-v1_5') return `RS${bits}`;
  if (name === 'RSA-PSS') return `PS${bits}`;
  return bits === '1' ? 'RSA-OAEP' : `RSA-OAEP-${bits}`;
}

function importRsa(format, keyData, algorithm, extractable, usages) {
  const { name, hash } = algorithm;
  const half = pairHalf(format, keyData);
  if (half === undefined || format === 'raw' || format === 'raw-public') throw unsupportedImport(name, format);
  checkUsages(usages, kUsages[name][half === 'public' ? 0 : 1], name);
  let handle;
  if (format === 'jwk') {
    checkJwk(keyData, { kty: 'RSA', use: name === 'RSA-OAEP' ? 'enc' : 'sig', extractable, usages });
    if (keyData.alg !== undefined && keyData.alg !== rsaAlg(name, hash)) {
      throw dataError('JWK "alg" does not match the requested algorithm');
    }
    handle = readJwk(keyData, half === 'private');
  } else {
    handle = readDer(keyData, half === 'private');
  }
  if (handle.asymmetricType() !== 'rsa') throw dataError('Invalid key type');
  const { modulusLength, publicExponent } = handle.details();
  let hex = publicExponent.toString(16);
  if (hex.length % 2) hex = `0${hex}`;
  const shown = { name, modulusLength, publicExponent: new Uint8Array(Buffer.from(hex, 'hex')), hash };
  return pairKey(handle, half, shown, usages, extractable);
}

function pairKey(handle, half, shown, usages, extractable) {
  return makeCryptoKey(half === 'public' ? new PublicKeyObject(handle) : new PrivateKeyObject(handle), shown, usages,
    extractable);
}

function unsupportedImport(name, format) {
  return notSupported(`Unable to import ${name} using ${format} format`);
}

function importEc(format, keyData, algorithm, extractable, usages) {
  const { name, namedCurve } = algorithm;
  const curve = kCurves[namedCurve];
  if (!curve) throw notSupported('Unrecognized namedCurve');
  const half = pairHalf(format, keyData);
  if (half === undefined) throw unsupportedImport(name, format);
  checkUsages(usages, kUsages[name][half === 'public' ? 0 : 1], name);
  let handle;
  if (format === 'jwk') {
    checkJwk(keyData, { kty: 'EC', use: name === 'ECDH' ? 'enc' : 'sig', extractable, usages });
    if (keyData.crv !== namedCurve) throw dataError('JWK "crv" does not match the requested algorithm');
    if (name === 'ECDSA' && keyData.alg !== undefined) {
      const expected = { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512' }[namedCurve];
      if (keyData.alg !== expected) throw dataError('JWK "alg" does not match the requested algorithm');
    }
    handle = readJwk(keyData, half === 'private');
  } else if (format === 'raw' || format === 'raw-public') {
    try {
      handle = keys.ecKey(curve, keyData, undefined);
    } catch (error) {
      throw dataError('Invalid keyData', error);
    }
  } else {
    handle = readDer(keyData, half === 'private');
    // However the point came, it is exported uncompressed.
    if (half === 'public' && handle.asymmetricType() === 'ec' && handle.details().namedCurve === curve) {
      handle = keys.ecKey(curve, handle.exportRaw(4), undefined);
    }
  }
  if (handle.asymmetricType() !== 'ec') throw dataError('Invalid key type');
  if (handle.details().namedCurve !== curve) throw dataError('Named curve mismatch');
  if (format === 'pkcs8' || format === 'spki') {
    if (!handle.checkEc()) throw dataError('Invalid keyData');
  }
  return pairKey(handle, half, { name, namedCurve }, usages, extractable);
}

function importOkp(format, keyData, algorithm, extractable, usages) {
  const { name } = algorithm;
  const half = pairHalf(format, keyData);
  if (half === undefined) throw unsupportedImport(name, format);
  checkUsages(usages, kUsages[name][half === 'public' ? 0 : 1], name);
  let handle;
  if (format === 'jwk') {
    checkJwk(keyData, { kty: 'OKP', use: name.startsWith('X') ? 'enc' : 'sig', extractable, usages });
    if (keyData.crv !== name) throw dataError('JWK "crv" Parameter and algorithm name mismatch');
    if (keyData.alg !== undefined && name.startsWith('Ed') && keyData.alg !== 'EdDSA' && keyData.alg !== name) {
      throw dataError('JWK "alg" does not match the requested algorithm');
    }
    handle = readJwk(keyData, half === 'private');
    // The public half of a private key must be its own.
    if (half === 'private') {
      const x = handle.exportJwk(false).x;
      if (x !== keyData.x) throw dataError('Invalid JWK');
    }
  } else if (format === 'raw' || format === 'raw-public') {
    handle = keys.rawKey(name, keyData, false);
    if (handle === undefined) throw dataError('Invalid keyData');
  } else {
    handle = readDer(keyData, half === 'private');
  }
  if (handle.asymmetricType() !== name.toLowerCase()) throw dataError('Invalid key type');
  return pairKey(handle, half, { name }, usages, extractable);
}

/** Bytes of a secret in any of its formats. */
function secretBytesOf(format, keyData, use, extractable, usages, checkAlg) {
  if (format !== 'jwk') return keyData;
  checkJwk(keyData, { kty: 'oct', use, extractable, usages });
  if (typeof keyData.k !== 'string') throw dataError('Invalid keyData');
  const bytes = Buffer.from(keyData.k, 'base64url');
  checkAlg(bytes);
  return bytes;
}

function importMac(format, keyData, algorithm, extractable, usages) {
  const { name, hash, length } = algorithm;
  checkUsages(usages, kUsages[name], name);
  const formats = name === 'HMAC' ? ['raw', 'raw-secret', 'jwk'] : ['raw-secret', 'jwk'];
  if (!formats.includes(format)) throw unsupportedImport(name, format);
  const bytes = secretBytesOf(format, keyData, 'sig', extractable, usages, () => {
    const expected = macAlg(name, hash);
    if (keyData.alg !== undefined && expected !== undefined && keyData.alg !== expected) {
      throw dataError('JWK "alg" does not match the requested algorithm');
    }
  });
  let bits = bytes.byteLength * 8;
  if (bits === 0) throw dataError('Zero-length key is not supported');
  if (length !== undefined) {
    if (length === 0) throw dataError(`${name === 'HMAC' ? 'Hmac' : 'Kmac'}ImportParams.length cannot be 0`);
    if (length > bits || length <= bits - 8) throw dataError('Invalid key length');
    bits = length;
  }
  return secretCryptoKey(algorithm, bytes, bits, extractable, usages);
}

/** The JWK's name of a MAC; hashes of newer kinds have none. */
function macAlg(name, hash) {
  if (name.startsWith('KMAC')) return `K${name.slice(4)}`;
  const bits = kJwkHashNames[hash.name];
  return bits === undefined ? undefined : `HS${bits}`;
}

function importAes(format, keyData, algorithm, extractable, usages) {
  const { name } = algorithm;
  checkUsages(usages, kUsages[name], name);
  const isNew = name === 'AES-OCB' || name === 'ChaCha20-Poly1305';
  const allowed = isNew ? ['raw-secret', 'jwk'] : ['raw', 'raw-secret', 'jwk'];
  if (!allowed.includes(format)) throw unsupportedImport(name, format);
  const bytes = secretBytesOf(format, keyData, 'enc', extractable, usages, (secret) => {
    const expected = name === 'ChaCha20-Poly1305' ? 'C20P' :
      `A${secret.byteLength * 8}${name.slice(4)}`;
    if (keyData.alg !== undefined && keyData.alg !== expected) {
      throw dataError('JWK "alg" does not match the requested algorithm');
    }
  });
  const bits = bytes.byteLength * 8;
  const valid = name === 'ChaCha20-Poly1305' ? bits === 256 : bits === 128 || bits === 192 || bits === 256;
  if (!valid) throw dataError('Invalid key length');
  return secretCryptoKey(algorithm, bytes, bits, extractable, usages);
}

function importDerivable(format, keyData, algorithm, extractable, usages) {
  const { name } = algorithm;
  checkUsages(usages, kUsages[name], name);
  if (extractable) throw syntaxError(`${name} keys are not extractable`);
  if (format !== 'raw' && format !== 'raw-secret') throw unsupportedImport(name, format);
  return secretCryptoKey(algorithm, keyData, undefined, false, usages);
}

function importKey(format, keyData, algorithm, extractable, usages) {
  const { name } = algorithm;
  let key;
  if (name.startsWith('RSA')) key = importRsa(format, keyData, algorithm, extractable, usages);
  else if (name === 'ECDSA' || name === 'ECDH') key = importEc(format, keyData, algorithm, extractable, usages);
  else if (isPairAlgorithm(name)) key = importOkp(format, keyData, algorithm, extractable, usages);
  else if (name === 'HMAC' || name.startsWith('KMAC')) key = importMac(format, keyData, algorithm, extractable, usages);
  else if (name === 'HKDF' || name === 'PBKDF2') key = importDerivable(format, keyData, algorithm, extractable, usages);
  else key = importAes(format, keyData, algorithm, extractable, usages);
  if ((key.type === 'secret' || key.type === 'private') && usages.length === 0) {
    throw syntaxError(`Usages cannot be empty when importing a ${key.type} key.`);
  }
  return key;
}

// --- exporting ---

function jwkAlg({ name, hash, length }) {
  if (name.startsWith('RSA')) return rsaAlg(name, hash);
  if (name === 'HMAC' || name.startsWith('KMAC')) return macAlg(name, hash);
  if (name === 'ChaCha20-Poly1305') return 'C20P';
  if (name.startsWith('AES')) return `A${length}${name.slice(4)}`;
  if (name.startsWith('Ed')) return name;
  return undefined;
}

function exportJwk(key) {
  const jwk = keyObjectOf(key)[kHandle].exportJwk(true);
  jwk.key_ops = [...slotsOf(key).usages];
  jwk.ext = slotsOf(key).extractable;
  const alg = jwkAlg(slotsOf(key).algorithm);
  if (alg !== undefined) jwk.alg = alg;
  return jwk;
}

function exportKey(format, key) {
  const keyObject = keyObjectOf(key);
  const handle = keyObject[kHandle];
  const { type } = keyObject;
  const { name } = slotsOf(key).algorithm;
  const unsupported = () => notSupported(`Unable to export ${name} ${type} key using ${format} format`);
  switch (format) {
    case 'jwk': return exportJwk(key);
    case 'spki':
      if (type !== 'public') throw unsupported();
      return toArrayBuffer(handle.exportPublic(kDer, kSpki));
    case 'pkcs8':
      if (type !== 'private') throw unsupported();
      return toArrayBuffer(handle.exportPrivate(kDer, kPkcs8));
    case 'raw': case 'raw-public': case 'raw-secret':
      if (type === 'secret' && format !== 'raw-public') {
        const onlyAsSecret = name === 'AES-OCB' || name.startsWith('KMAC') || name === 'ChaCha20-Poly1305';
        if (format === 'raw' && onlyAsSecret) throw unsupported();
        return toArrayBuffer(handle.exportBytes());
      }
      if (type === 'public' && format !== 'raw-secret' && !name.startsWith('RSA')) return handle.exportRaw(4);
      throw unsupported();
    default: throw unsupported();
  }
}

function toArrayBuffer(buffer) {
  return buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength);
}

// --- KeyObject.toCryptoKey() ---

function secretToCryptoKey(keyObject, algorithm, extractable, usages) {
  const bytes = keyObject[kHandle].exportBytes();
  return importKey('raw-secret', bytes, normalizeAlgorithm(algorithm, 'importKey'), Boolean(extractable), [...usages]);
}

function asymmetricToCryptoKey(keyObject, algorithm, extractable, usages) {
  const handle = keyObject[kHandle];
  const isPublic = keyObject.type === 'public';
  const data = isPublic ? handle.exportPublic(kDer, kSpki) : handle.exportPrivate(kDer, kPkcs8);
  return importKey(isPublic ? 'spki' : 'pkcs8', data, normalizeAlgorithm(algorithm, 'importKey'), Boolean(extractable),
    [...usages]);
}

module.exports = {
  aesBits,
  asymmetricToCryptoKey,
  checkUsages,
  exportKey,
  generateKey,
  hmacBits,
  kmacBits,
  importKey,
  kUsages,
  secretToCryptoKey,
};
