'use strict';
// Hash, Hmac and hash(). A message that comes in one piece is hashed by one native call, with no native object: the
// first piece is kept until either a second arrives (then a native state takes over) or the digest is asked for.

const { Buffer } = require('buffer');
const {
  codes: {
    ERR_CRYPTO_HASH_FINALIZED, ERR_CRYPTO_INVALID_DIGEST, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE,
  },
} = require('#internal/errors');
const { deprecate, getDeprecationWarningEmitter, isPendingDeprecation } = require('#internal/util');
const { validateObject, validateString, validateUint32 } = require('#internal/validators');
const LazyTransform = require('#crypto/lazy_transform');
const {
  canonicalEncoding, digestId, encodeResult, getStringOption, kEncodings, stringToBytes, validateEncodingOfData,
} = require('#crypto/util');
const { prepareSecretKey } = require('#crypto/keys');

const native = binding('crypto');
const { Hash: HashState, Hmac: HmacState } = native;
const FastBuffer = Buffer.from([]).constructor[Symbol.species] ?? Buffer;

const kAlgorithm = Symbol('kAlgorithm');
const kOutputLength = Symbol('kOutputLength');
const kFirst = Symbol('kFirst');  // the first piece: undefined, a string or bytes of our own
const kState = Symbol('kState');  // the native state, once there is one
const kFinalized = Symbol('kFinalized');
const kKey = Symbol('kKey');
const kResult = Symbol('kResult');

const kKeepAtMost = 4096;
const kXofDefault = -1;

/** Where the native side leaves short results: a view of its memory, made when first needed. */
let scratch;
function takeScratch(length) {
  scratch ??= native.digestScratch();
  const buffer = new FastBuffer(length);
  for (let i = 0; i < length; i++) buffer[i] = scratch[i];
  return buffer;
}

/** What a native digest call gave: a string, bytes, or the number of bytes in the scratch area. */
function finish(result) {
  return typeof result === 'number' ? takeScratch(result) : result;
}

/** A copy of a view's bytes that the caller cannot change. */
function ownBytes(view) {
  const length = view.byteLength;
  const bytes = length <= 64 ? new FastBuffer(length) : Buffer.allocUnsafe(length);
  bytes.set(view instanceof Uint8Array ? view : new Uint8Array(view.buffer, view.byteOffset, length));
  return bytes;
}

/** `data` as the native side takes it: a string stands for its UTF-8. */
function messageOf(data, encoding) {
  if (typeof data !== 'string') {
    if (!ArrayBuffer.isView(data)) {
      throw new ERR_INVALID_ARG_TYPE('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
    }
    return data;
  }
  if (encoding === undefined || encoding === 'utf8') return data;
  validateEncodingOfData(data, encoding);
  return canonicalEncoding(encoding) === 'utf8' ? data : stringToBytes(data, encoding);
}

function absorb(self, message) {
  const state = self[kState];
  if (state !== null) {
    state.update(message);
    return;
  }
  const first = self[kFirst];
  if (first === undefined) {
    if (typeof message === 'string') {
      self[kFirst] = message;
      return;
    }
    if (message.byteLength <= kKeepAtMost) {
      self[kFirst] = ownBytes(message);
      return;
    }
  }
  nativeState(self).update(message);
}

/** The native state of a hash, made now if it does not exist, with what was kept. */
function nativeState(self) {
  if (self[kState] === null) {
    self[kState] = self[kKey] === undefined ? new HashState(self[kAlgorithm], self[kOutputLength]) :
      new HmacState(self[kAlgorithm], self[kKey]);
    const first = self[kFirst];
    if (first !== undefined) {
      self[kFirst] = undefined;
      self[kState].update(first);
    }
  }
  return self[kState];
}

function outputLengthOf(options) {
  const length = typeof options === 'object' && options !== null ? options.outputLength : undefined;
  if (length === undefined) return kXofDefault;
  validateUint32(length, 'options.outputLength');
  return length;
}

function Hash(algorithm, options) {
  if (!new.target) return new Hash(algorithm, options);
  if (typeof algorithm !== 'string') validateString(algorithm, 'algorithm');
  const outputLength = options === undefined ? kXofDefault : outputLengthOf(options);
  const id = digestId(algorithm);
  if (id < 0) throw new Error('Digest method not supported');
  if (outputLength !== kXofDefault) native.checkOutputLength(id, outputLength);
  else if (algorithm.length === 8) warnOfShake(algorithm);
  initialize(this, id, outputLength, options);
}

/** With --pending-deprecation: what SHAKE gives without a length is half of its strength. */
function warnOfShake(algorithm) {
  const name = algorithm.toLowerCase();
  if (name === 'shake128' || name === 'shake256') emitShakeWarning();
}
const emitShakeWarning = getDeprecationWarningEmitter('DEP0198',
  'Creating SHAKE128/256 digests without an explicit options.outputLength is deprecated.', undefined,
  isPendingDeprecation);

Object.setPrototypeOf(Hash.prototype, LazyTransform.prototype);
Object.setPrototypeOf(Hash, LazyTransform);

function initialize(self, id, outputLength, options) {
  self._options = options;
  self[kAlgorithm] = id;
  self[kOutputLength] = outputLength;
  self[kFirst] = undefined;
  self[kState] = null;
  self[kFinalized] = false;
  self[kKey] = undefined;
  self[kResult] = undefined;
}

Hash.prototype.copy = function copy(options) {
  if (this[kFinalized]) throw new ERR_CRYPTO_HASH_FINALIZED();
  const outputLength = outputLengthOf(options);
  if (outputLength !== kXofDefault) native.checkOutputLength(this[kAlgorithm], outputLength);
  const other = Object.create(Hash.prototype);
  initialize(other, this[kAlgorithm], outputLength, options);
  if (this[kState] !== null) other[kState] = new HashState(this[kState], outputLength);
  else other[kFirst] = this[kFirst];
  return other;
};

Hash.prototype._transform = function _transform(chunk, encoding, callback) {
  absorb(this, typeof chunk === 'string' ? messageOf(chunk, encoding) : chunk);
  callback();
};

Hash.prototype._flush = function _flush(callback) {
  // A stream's end leaves the result for one call of digest().
  if (this[kResult] === undefined) this[kResult] = this.digest();
  this[kFinalized] = false;
  this.push(this[kResult]);
  callback();
};

Hash.prototype.update = function update(data, encoding) {
  if (this[kFinalized]) throw new ERR_CRYPTO_HASH_FINALIZED();
  absorb(this, messageOf(data, encoding));
  return this;
};

Hash.prototype.digest = function digest(outputEncoding) {
  if (this[kFinalized]) throw new ERR_CRYPTO_HASH_FINALIZED();
  if (this[kResult] !== undefined) return takeResult(this, outputEncoding);
  const code = outputEncoding === undefined ? 0 : nativeEncoding(outputEncoding);
  const result = this[kState] === null ?
    native.hashOnce(this[kAlgorithm], this[kFirst] ?? '', code, this[kOutputLength]) :
    this[kState].digest(code);
  this[kFinalized] = true;
  this[kFirst] = undefined;
  this[kState] = null;
  return inEncoding(finish(result), code, outputEncoding);
};

/** The digest that the stream's end has made. */
function takeResult(self, outputEncoding) {
  self[kFinalized] = true;
  return outputEncoding && outputEncoding !== 'buffer' ? encodeResult(self[kResult], outputEncoding) :
    Buffer.from(self[kResult]);
}

/** The code of an encoding that the native side writes; 0 for bytes. */
function nativeEncoding(encoding) {
  return kEncodings[encoding] ?? kEncodings[canonicalEncoding(encoding)] ?? 0;
}

/** Encodings the native side does not write; unknown ones leave the Buffer as it is. */
function inEncoding(result, code, encoding) {
  if (code !== 0 || !encoding || encoding === 'buffer') return result;
  const name = canonicalEncoding(encoding);
  return name === undefined ? result : result.toString(name);
}

function Hmac(hmac, key, options) {
  if (!new.target) return new Hmac(hmac, key, options);
  validateString(hmac, 'hmac');
  const encoding = options === undefined ? undefined : getStringOption(options, 'encoding');
  const secret = typeof key === 'string' && (encoding === undefined || encoding === 'utf8') ? key :
    prepareSecretKey(key, encoding);
  const id = digestId(hmac);
  if (id < 0) throw new ERR_CRYPTO_INVALID_DIGEST(hmac);
  native.checkHmac(id);
  initialize(this, id, kXofDefault, options);
  this[kKey] = typeof secret === 'string' ? secret : ownKey(secret);
}
Object.setPrototypeOf(Hmac.prototype, LazyTransform.prototype);
Object.setPrototypeOf(Hmac, LazyTransform);

/** A copy of the key's bytes. */
function ownKey(secret) {
  if (ArrayBuffer.isView(secret)) return ownBytes(secret);
  if (secret instanceof ArrayBuffer || secret instanceof SharedArrayBuffer) return ownBytes(new Uint8Array(secret));
  return secret.exportBytes();
}

Hmac.prototype.update = Hash.prototype.update;

Hmac.prototype.digest = function digest(outputEncoding) {
  if (this[kFinalized]) {
    // A second call gives an empty result, as it always did.
    return outputEncoding && outputEncoding !== 'buffer' ? '' : Buffer.from('');
  }
  if (this[kResult] !== undefined) return takeResult(this, outputEncoding);
  const code = outputEncoding === undefined ? 0 : nativeEncoding(outputEncoding);
  const result = this[kState] === null ?
    native.hmacOnce(this[kAlgorithm], this[kKey], this[kFirst] ?? '', code) :
    this[kState].digest(code);
  this[kFinalized] = true;
  this[kFirst] = undefined;
  this[kState] = null;
  return inEncoding(finish(result), code, outputEncoding);
};

Hmac.prototype._flush = Hash.prototype._flush;
Hmac.prototype._transform = Hash.prototype._transform;

/** The digest of `input` in one step. */
function hash(algorithm, input, options) {
  validateString(algorithm, 'algorithm');
  if (typeof input !== 'string' && !ArrayBuffer.isView(input)) {
    throw new ERR_INVALID_ARG_TYPE('input', ['string', 'Buffer', 'TypedArray', 'DataView'], input);
  }
  let outputEncoding = 'hex';
  let outputLength = kXofDefault;
  if (typeof options === 'string') {
    outputEncoding = options;
  } else if (options !== undefined) {
    validateObject(options, 'options');
    if (options.outputLength !== undefined) outputLength = outputLengthOf(options);
    outputEncoding = options.outputEncoding ?? 'hex';
  }
  let name = outputEncoding;
  if (outputEncoding !== 'hex' && outputEncoding !== 'buffer') {
    validateString(outputEncoding, 'outputEncoding');
    name = canonicalEncoding(outputEncoding);
    if (name === undefined && outputEncoding.toLowerCase() === 'buffer') name = 'buffer';
    if (name === undefined) throw new ERR_INVALID_ARG_VALUE('outputEncoding', outputEncoding);
  }
  const id = digestId(algorithm);
  if (id < 0) throw new Error(`Digest method ${algorithm} is not supported`);
  if (outputLength !== kXofDefault) {
    const size = native.fixedSize(id);
    if (size !== undefined && size !== outputLength) {
      throw new Error(`Output length ${outputLength} is invalid for ${algorithm}, which does not support XOF`);
    }
  } else {
    warnOfShake(algorithm);
  }
  const code = kEncodings[name] ?? 0;
  const result = finish(native.hashOnce(id, input, code, outputLength));
  return code !== 0 || name === 'buffer' ? result : encodeResult(result, name);
}

module.exports = {
  Hash: deprecate(Hash, 'crypto.Hash constructor is deprecated.', 'DEP0179'),
  Hmac: deprecate(Hmac, 'crypto.Hmac constructor is deprecated.', 'DEP0181'),
  createHash: (algorithm, options) => new Hash(algorithm, options),
  createHmac: (hmac, key, options) => new Hmac(hmac, key, options),
  hash,
};
