'use strict';
// What the files of node:crypto share: symbols, conversion of keys and messages to bytes, encodings of results.

const { Buffer } = require('buffer');
const {
  codes: { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE },
} = require('#internal/errors');
const { validateString } = require('#internal/validators');

const kHandle = Symbol('kHandle');
const kKeyObject = Symbol('kKeyObject');

const native = binding('crypto');

/** Codes of the encodings that the native side writes itself; others go through a Buffer. */
const kEncodings = {
  '__proto__': null,
  'hex': 1,
  'base64': 2,
  'base64url': 3,
  'latin1': 4,
  'binary': 4,
};

/** Canonical name of an encoding, or undefined for one that is not known. */
function canonicalEncoding(encoding) {
  if (encoding === undefined || encoding === null || encoding === '') return 'utf8';
  switch (String(encoding).toLowerCase()) {
    case 'utf8': case 'utf-8': return 'utf8';
    case 'hex': return 'hex';
    case 'base64': return 'base64';
    case 'base64url': return 'base64url';
    case 'latin1': case 'binary': return 'latin1';
    case 'ascii': return 'ascii';
    case 'ucs2': case 'ucs-2': case 'utf16le': case 'utf-16le': return 'utf16le';
    default: return undefined;
  }
}

/** A string of hexadecimal digits must have an even number of them. */
function validateEncodingOfData(data, encoding) {
  if (canonicalEncoding(encoding) === 'hex' && data.length % 2 !== 0) {
    throw new ERR_INVALID_ARG_VALUE('encoding', encoding, `is invalid for data of length ${data.length}`);
  }
}

/** Bytes of a string; an unknown encoding means UTF-8, as it does to Node's crypto. */
function stringToBytes(string, encoding) {
  return Buffer.from(string, canonicalEncoding(encoding) ?? 'utf8');
}

/** True for what native code takes as bytes without conversion. */
function isAnyArrayBuffer(value) {
  return lazyTypes().isAnyArrayBuffer(value);
}

let types;
function lazyTypes() {
  return types ??= require('util').types;
}

const kByteSourceTypes = ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'];

/**
 * Bytes of a string, view or ArrayBuffer; others throw ERR_INVALID_ARG_TYPE.
 * @returns {ArrayBufferView | ArrayBuffer | SharedArrayBuffer}
 */
function getArrayBufferOrView(value, name, encoding) {
  if (ArrayBuffer.isView(value)) return value;
  if (typeof value === 'string') {
    if (encoding === 'buffer') encoding = 'utf8';
    return stringToBytes(value, encoding);
  }
  if (isAnyArrayBuffer(value)) return value;
  throw new ERR_INVALID_ARG_TYPE(name, ['string', ...kByteSourceTypes], value);
}

/** A Uint8Array over the same memory. */
function asBytes(source) {
  if (ArrayBuffer.isView(source)) {
    return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  }
  return new Uint8Array(source);
}

/** A Buffer over the same memory. */
function asBuffer(source) {
  if (ArrayBuffer.isView(source)) return Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  return Buffer.from(source);
}

/** `buffer` as the caller asked: a Buffer for 'buffer' or nothing, else a string. */
function encodeResult(buffer, encoding) {
  if (encoding && encoding !== 'buffer') {
    const name = canonicalEncoding(encoding);
    if (name !== undefined) return asBuffer(buffer).toString(name);
    return asBuffer(buffer).toString(encoding);
  }
  return asBuffer(buffer);
}

function getStringOption(options, key) {
  let value;
  if (options !== undefined && options !== null && (value = options[key]) !== undefined && value !== null) {
    validateString(value, `options.${key}`);
  }
  return value;
}

const digestIds = new Map();

/** The native number of a digest, or -1. The native side keeps what it fetched from OpenSSL by this number. */
function digestId(name) {
  let id = digestIds.get(name);
  if (id === undefined) {
    id = native.digestId(name);
    if (id >= 0 && digestIds.size < 256) digestIds.set(name, id);
  }
  return id;
}

/** Lists the native side knows, sorted and without doubles, a fresh array at each call. */
function listOf(getter) {
  let list;
  // Anonymous and without arguments, as Node's are.
  return (() => () => {
    list ??= getter();
    return list.slice();
  })();
}

function byName(names, keep = () => true) {
  return [...new Set(names)].filter(keep).sort();
}

const getHashes = listOf(() => byName(native.getHashes()));
const getCiphers = listOf(() => {
  const names = native.getCiphers();
  const known = new Set(names);
  // Of names that differ by case only, the small one.
  return byName(names, (name) => name === name.toLowerCase() || !known.has(name.toLowerCase()));
});
const getCurves = listOf(() => byName(native.getCurves()));

/** An Error of the native side for an asynchronous operation, or undefined. */
function secureHeapUsed() {
  const value = native.secureHeapUsed();
  if (value === undefined) return { total: 0, used: 0, utilization: NaN, min: 2 };
  return { ...value, utilization: value.used / value.total };
}

let engineWarned = false;
function setEngine(id, flags) {
  validateString(id, 'id');
  if (flags !== undefined && flags !== null) require('#internal/validators').validateNumber(flags, 'flags');
  if (!engineWarned) engineWarned = true;
  const { codes } = require('#internal/errors');
  throw new codes.ERR_CRYPTO_CUSTOM_ENGINE_NOT_SUPPORTED();
}

module.exports = {
  asBuffer,
  asBytes,
  byName,
  canonicalEncoding,
  digestId,
  encodeResult,
  getArrayBufferOrView,
  getCiphers,
  getCurves,
  getHashes,
  getStringOption,
  isAnyArrayBuffer,
  kByteSourceTypes,
  kEncodings,
  kHandle,
  kKeyObject,
  lazyTypes,
  secureHeapUsed,
  setEngine,
  stringToBytes,
  validateEncodingOfData,
};
