'use strict';
// generateKeyPair and generateKey, with their synchronous forms.

const {
  codes: {
    ERR_INCOMPATIBLE_OPTION_PAIR, ERR_INVALID_ARG_VALUE, ERR_MISSING_OPTION,
  },
} = require('#internal/errors');
const { kCustomPromisifyArgs } = require('#internal/util');
const {
  validateFunction, validateInteger, validateInt32, validateObject, validateOneOf, validateString, validateUint32,
  validateBuffer,
} = require('#internal/validators');
const {
  createSecretKey, parsePrivateKeyEncoding, parsePublicKeyEncoding, wrapKey,
} = require('#crypto/keys');

const native = binding('crypto_keygen');

function parseKeyEncodings(keyType, options) {
  const { publicKeyEncoding, privateKeyEncoding } = options;
  let publicFormat;
  let privateFormat;
  if (publicKeyEncoding === undefined || publicKeyEncoding === null) {
    publicFormat = undefined;
  } else if (typeof publicKeyEncoding === 'object') {
    publicFormat = publicKeyEncoding.format === 'jwk' ? 'jwk' :
      parsePublicKeyEncoding(publicKeyEncoding, keyType, 'publicKeyEncoding');
  } else {
    throw new ERR_INVALID_ARG_VALUE('options.publicKeyEncoding', publicKeyEncoding);
  }
  if (privateKeyEncoding === undefined || privateKeyEncoding === null) {
    privateFormat = undefined;
  } else if (typeof privateKeyEncoding === 'object') {
    privateFormat = privateKeyEncoding.format === 'jwk' ? 'jwk' :
      parsePrivateKeyEncoding(privateKeyEncoding, keyType, 'privateKeyEncoding');
  } else {
    throw new ERR_INVALID_ARG_VALUE('options.privateKeyEncoding', privateKeyEncoding);
  }
  return { publicFormat, privateFormat };
}

/** The pair as the caller wants it: KeyObjects, or encoded. */
function encodePair([publicHandle, privateHandle], { publicFormat, privateFormat }) {
  return {
    publicKey: encode(publicHandle, publicFormat,
      (f) => publicHandle.exportPublic(f.format, f.type)),
    privateKey: encode(privateHandle, privateFormat,
      (f) => privateHandle.exportPrivate(f.format, f.type, f.cipher, f.passphrase)),
  };
}

function encode(handle, format, write) {
  if (format === undefined) return wrapKey(handle);
  if (format === 'jwk') return handle.exportJwk(false);
  return write(format);
}

function rsaPair(type, options) {
  validateObject(options, 'options');
  const { modulusLength } = options;
  validateUint32(modulusLength, 'options.modulusLength');
  let { publicExponent } = options;
  if (publicExponent === undefined || publicExponent === null) publicExponent = 0x10001;
  else validateUint32(publicExponent, 'options.publicExponent');
  if (type === 'rsa') {
    return (how) => native.rsaPair(false, modulusLength, publicExponent, undefined, undefined, -1, how);
  }
  return rsaPssPair(options, modulusLength, publicExponent);
}

let warnedHash = false;
let warnedMgf1Hash = false;

function rsaPssPair(options, modulusLength, publicExponent) {
  const { hash, mgf1Hash, hashAlgorithm, mgf1HashAlgorithm, saltLength } = options;
  if (saltLength !== undefined) validateInt32(saltLength, 'options.saltLength', 0);
  if (hashAlgorithm !== undefined) validateString(hashAlgorithm, 'options.hashAlgorithm');
  if (mgf1HashAlgorithm !== undefined) validateString(mgf1HashAlgorithm, 'options.mgf1HashAlgorithm');
  if (hash !== undefined) {
    if (!warnedHash) {
      warnedHash = true;
      process.emitWarning('"options.hash" is deprecated, use "options.hashAlgorithm" instead.',
        'DeprecationWarning', 'DEP0154');
    }
    validateString(hash, 'options.hash');
    if (hashAlgorithm && hash !== hashAlgorithm) {
      throw new ERR_INVALID_ARG_VALUE('options.hash', hash);
    }
  }
  if (mgf1Hash !== undefined) {
    if (!warnedMgf1Hash) {
      warnedMgf1Hash = true;
      process.emitWarning('"options.mgf1Hash" is deprecated, use "options.mgf1HashAlgorithm" instead.',
        'DeprecationWarning', 'DEP0154');
    }
    validateString(mgf1Hash, 'options.mgf1Hash');
    if (mgf1HashAlgorithm && mgf1Hash !== mgf1HashAlgorithm) {
      throw new ERR_INVALID_ARG_VALUE('options.mgf1Hash', mgf1Hash);
    }
  }
  return (how) => native.rsaPair(true, modulusLength, publicExponent, hashAlgorithm ?? hash,
    mgf1HashAlgorithm ?? mgf1Hash, saltLength ?? -1, how);
}

function dsaPair(options) {
  validateObject(options, 'options');
  const { modulusLength } = options;
  validateUint32(modulusLength, 'options.modulusLength');
  let { divisorLength } = options;
  if (divisorLength === undefined || divisorLength === null) divisorLength = -1;
  else validateInt32(divisorLength, 'options.divisorLength', 0);
  return (how) => native.dsaPair(modulusLength, divisorLength, how);
}

function ecPair(options) {
  validateObject(options, 'options');
  const { namedCurve } = options;
  validateString(namedCurve, 'options.namedCurve');
  const { paramEncoding } = options;
  if (paramEncoding !== undefined && paramEncoding !== null && paramEncoding !== 'named' &&
      paramEncoding !== 'explicit') {
    throw new ERR_INVALID_ARG_VALUE('options.paramEncoding', paramEncoding);
  }
  return (how) => native.ecPair(namedCurve, paramEncoding === 'explicit', how);
}

function dhPair(options) {
  validateObject(options, 'options');
  const { group, primeLength, prime, generator } = options;
  if (group !== undefined && group !== null) {
    if (prime !== undefined && prime !== null) throw new ERR_INCOMPATIBLE_OPTION_PAIR('group', 'prime');
    if (primeLength !== undefined && primeLength !== null) {
      throw new ERR_INCOMPATIBLE_OPTION_PAIR('group', 'primeLength');
    }
    if (generator !== undefined && generator !== null) {
      throw new ERR_INCOMPATIBLE_OPTION_PAIR('group', 'generator');
    }
    validateString(group, 'options.group');
    return (how) => native.dhPair(group, 2, how);
  }
  if (prime !== undefined && prime !== null) {
    if (primeLength !== undefined && primeLength !== null) {
      throw new ERR_INCOMPATIBLE_OPTION_PAIR('prime', 'primeLength');
    }
    validateBuffer(prime, 'options.prime');
  } else if (primeLength !== undefined && primeLength !== null) {
    validateInt32(primeLength, 'options.primeLength', 0);
  } else {
    throw new ERR_MISSING_OPTION('At least one of the group, prime, or primeLength options');
  }
  if (generator !== undefined && generator !== null) validateInt32(generator, 'options.generator', 0);
  return (how) => native.dhPair(prime ?? primeLength, generator ?? 2, how);
}

/** A function that starts the generation: `how` is a callback, or undefined to do it here. */
function pairJob(type, options) {
  validateString(type, 'type');
  let encodings = { publicFormat: undefined, privateFormat: undefined };
  if (options !== undefined) {
    validateObject(options, 'options');
    encodings = parseKeyEncodings(type, options);
  }
  return { start: starterOf(type, options), encodings };
}

function starterOf(type, options) {
  switch (type) {
    case 'rsa': case 'rsa-pss': return rsaPair(type, options);
    case 'dsa': return dsaPair(options);
    case 'ec': return ecPair(options);
    case 'ed25519': case 'ed448': case 'x25519': case 'x448':
      return (how) => native.plainPair(type, how);
    case 'dh': return dhPair(options);
    default:
      throw new ERR_INVALID_ARG_VALUE('type', type, 'must be a supported key type');
  }
}

function generateKeyPair(type, options, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  }
  validateFunction(callback, 'callback');
  const { start, encodings } = pairJob(type, options);
  start((error, handles) => {
    if (error) {
      callback(error);
      return;
    }
    let pair;
    try {
      pair = encodePair(handles, encodings);
    } catch (failure) {
      callback(failure);
      return;
    }
    callback(null, pair.publicKey, pair.privateKey);
  });
}
Object.defineProperty(generateKeyPair, kCustomPromisifyArgs, {
  __proto__: null,
  value: ['publicKey', 'privateKey'],
  enumerable: false,
});

function generateKeyPairSync(type, options) {
  const { start, encodings } = pairJob(type, options);
  return encodePair(start(undefined), encodings);
}

// --- secret keys ---

function secretLength(type, options) {
  validateString(type, 'type');
  validateObject(options, 'options');
  const { length } = options;
  switch (type) {
    case 'hmac':
      validateInteger(length, 'options.length', 8, 2 ** 31 - 1);
      break;
    case 'aes':
      validateOneOf(length, 'options.length', [128, 192, 256]);
      break;
    default:
      throw new ERR_INVALID_ARG_VALUE('type', type, 'must be a supported key type');
  }
  return Math.floor(length / 8);
}

function generateKey(type, options, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  }
  validateFunction(callback, 'callback');
  const length = secretLength(type, options);
  require('#crypto/random').randomBytes(length, (error, bytes) => {
    if (error) callback(error);
    else callback(null, createSecretKey(bytes));
  });
}

function generateKeySync(type, options) {
  const length = secretLength(type, options);
  return createSecretKey(require('#crypto/random').randomBytes(length));
}

module.exports = { generateKey, generateKeyPair, generateKeyPairSync, generateKeySync };
