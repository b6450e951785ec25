'use strict';

// What users hand to file functions, checked and brought into the form that the native half takes.

const { Buffer } = require('buffer');
const {
  codes: { ERR_FS_FILE_TOO_LARGE, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_OUT_OF_RANGE },
} = require('#internal/errors');
const {
  validateAbortSignal, validateBoolean, validateFunction, validateInt32, validateInteger, validateObject,
  validateUint32,
} = require('#internal/validators');
const {
  O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_SYNC, O_TRUNC, O_WRONLY,
} = require('#fs/constants');

const kMaxUserId = 2 ** 32 - 1;
const kMaxInt32 = 2 ** 31 - 1;
const kMaxInt64 = 2n ** 63n - 1n;

const kFlags = {
  '__proto__': null,
  'r': O_RDONLY, 'rs': O_RDONLY | O_SYNC, 'sr': O_RDONLY | O_SYNC,
  'r+': O_RDWR, 'rs+': O_RDWR | O_SYNC, 'sr+': O_RDWR | O_SYNC,
  'w': O_TRUNC | O_CREAT | O_WRONLY, 'wx': O_TRUNC | O_CREAT | O_WRONLY | O_EXCL,
  'xw': O_TRUNC | O_CREAT | O_WRONLY | O_EXCL,
  'w+': O_TRUNC | O_CREAT | O_RDWR, 'wx+': O_TRUNC | O_CREAT | O_RDWR | O_EXCL,
  'xw+': O_TRUNC | O_CREAT | O_RDWR | O_EXCL,
  'a': O_APPEND | O_CREAT | O_WRONLY, 'ax': O_APPEND | O_CREAT | O_WRONLY | O_EXCL,
  'xa': O_APPEND | O_CREAT | O_WRONLY | O_EXCL,
  'as': O_APPEND | O_CREAT | O_WRONLY | O_SYNC, 'sa': O_APPEND | O_CREAT | O_WRONLY | O_SYNC,
  'a+': O_APPEND | O_CREAT | O_RDWR, 'ax+': O_APPEND | O_CREAT | O_RDWR | O_EXCL,
  'xa+': O_APPEND | O_CREAT | O_RDWR | O_EXCL,
  'as+': O_APPEND | O_CREAT | O_RDWR | O_SYNC, 'sa+': O_APPEND | O_CREAT | O_RDWR | O_SYNC,
};

/** @param {string | number | null | undefined} flags */
function stringToFlags(flags, name = 'flags') {
  if (typeof flags === 'number') {
    validateInt32(flags, name);
    return flags;
  }
  if (flags === null || flags === undefined) return O_RDONLY;
  const value = typeof flags === 'string' ? kFlags[flags] : undefined;
  if (value === undefined) throw new ERR_INVALID_ARG_VALUE(name, flags);
  return value;
}

const isUint8Array = (value) => value instanceof Uint8Array;

/** A WHATWG URL, told from the objects of `url.parse`. */
function isURL(value) {
  return typeof value === 'object' && value !== null && Boolean(value.href && value.protocol) &&
    value.auth === undefined && value.path === undefined;
}

function nullCheck(path, name) {
  const bad = typeof path === 'string' ? path.includes('\u0000') : path.includes(0);
  if (bad) {
    throw new ERR_INVALID_ARG_VALUE(name, path, 'must be a string, Uint8Array, or URL without null bytes');
  }
}

let fileURLToPath;
/** A path (string or bytes without NUL) out of a string, Buffer or file: URL. */
function getValidatedPath(path, name = 'path') {
  if (typeof path !== 'string' && !isUint8Array(path)) {
    if (!isURL(path)) throw new ERR_INVALID_ARG_TYPE(name, ['string', 'Buffer', 'URL'], path);
    fileURLToPath ??= require('url').fileURLToPath;
    path = fileURLToPath(path);
  }
  nullCheck(path, name);
  return path;
}

function getValidatedFd(fd, name = 'fd') {
  if (Object.is(fd, -0)) return 0;
  validateInt32(fd, name, 0, kMaxInt32);
  return fd;
}

/** An error in the words of Node.js's native half. */
function nativeError(Type, code, message) {
  const error = new Type(message);
  error.code = code;
  Error.captureStackTrace(error, getValidMode);
  return error;
}

/** The mode of `access` and `copyFile`. */
function getValidMode(mode) {
  if (mode === null || mode === undefined) return 0;
  if (typeof mode !== 'number') {
    throw nativeError(TypeError, 'ERR_INVALID_ARG_TYPE', 'mode must be int32 or null/undefined');
  }
  if (!(mode >= 0 && mode <= 7)) {
    throw nativeError(RangeError, 'ERR_OUT_OF_RANGE', 'mode is out of range: >= 0 && <= 7');
  }
  return Math.trunc(mode);
}

/** The mode of `cp`, which is checked as other options are. */
function getCopyMode(mode) {
  if (mode === null || mode === undefined) return 0;
  validateInteger(mode, 'mode', 0, 7);
  return mode;
}

function assertEncoding(encoding) {
  if (encoding && !Buffer.isEncoding(encoding)) {
    throw new ERR_INVALID_ARG_VALUE('encoding', encoding, 'is invalid encoding');
  }
}

const kEmptyOptions = Object.freeze({ __proto__: null });

/** Options given as an object, or as a string that names the encoding. */
function getOptions(options, defaults = kEmptyOptions) {
  if (options === null || options === undefined || typeof options === 'function') return defaults;
  if (typeof options === 'string') {
    defaults = { ...defaults, encoding: options };
    options = defaults;
  } else if (typeof options !== 'object') {
    throw new ERR_INVALID_ARG_TYPE('options', ['string', 'Object'], options);
  }
  if (options.encoding !== 'buffer') assertEncoding(options.encoding);
  if (options.signal !== undefined) validateAbortSignal(options.signal, 'options.signal');
  return options;
}

/** A copy of the options, so that the caller's object may change meanwhile. */
function copyObject(source) {
  const target = {};
  for (const key in source) target[key] = source[key];
  return target;
}

function validateBufferArray(buffers, name = 'buffers') {
  if (!Array.isArray(buffers)) throw new ERR_INVALID_ARG_TYPE(name, 'ArrayBufferView[]', buffers);
  for (const buffer of buffers) {
    if (!ArrayBuffer.isView(buffer)) throw new ERR_INVALID_ARG_TYPE(name, 'ArrayBufferView[]', buffers);
  }
  return buffers;
}

function validateOffsetLengthRead(offset, length, size) {
  if (offset < 0) throw new ERR_OUT_OF_RANGE('offset', '>= 0', offset);
  if (length < 0) throw new ERR_OUT_OF_RANGE('length', '>= 0', length);
  if (offset + length > size) throw new ERR_OUT_OF_RANGE('length', `<= ${size - offset}`, length);
}

function validateOffsetLengthWrite(offset, length, size) {
  if (offset > size) throw new ERR_OUT_OF_RANGE('offset', `<= ${size}`, offset);
  if (length > size - offset) throw new ERR_OUT_OF_RANGE('length', `<= ${size - offset}`, length);
  if (length < 0) throw new ERR_OUT_OF_RANGE('length', '>= 0', length);
  validateInt32(length, 'length', 0);
}

function validatePosition(position, name, length) {
  if (typeof position === 'number') {
    validateInteger(position, name, -1);
  } else if (typeof position === 'bigint') {
    const max = kMaxInt64 - BigInt(length);
    if (!(position >= -1n && position <= max)) {
      throw new ERR_OUT_OF_RANGE(name, `>= -1 && <= ${max}`, position);
    }
  } else {
    throw new ERR_INVALID_ARG_TYPE(name, ['integer', 'bigint'], position);
  }
}

/** What `fs.read` takes as position: null and undefined mean the current one. */
function readPosition(position, length) {
  if (position === null || position === undefined) return -1;
  validatePosition(position, 'position', length);
  return position;
}

/** What `fs.write` takes as position: anything but a number means the current one. */
const writePosition = (position) => (typeof position === 'number' ? position : -1);

function validateStringAfterArrayBufferView(value, name) {
  if (typeof value !== 'string') {
    throw new ERR_INVALID_ARG_TYPE(name, ['string', 'Buffer', 'TypedArray', 'DataView'], value);
  }
}

function toUnixTimestamp(time, name = 'time') {
  // eslint-disable-next-line eqeqeq
  if (typeof time === 'string' && +time == time) return +time;
  if (Number.isFinite(time)) return time < 0 ? Date.now() / 1000 : time;
  if (time instanceof Date || Object.prototype.toString.call(time) === '[object Date]') return time.getTime() / 1000;
  throw new ERR_INVALID_ARG_TYPE(name, ['Date', 'Time in seconds'], time);
}

function validateOwner(uid, gid) {
  validateInteger(uid, 'uid', -1, kMaxUserId);
  validateInteger(gid, 'gid', -1, kMaxUserId);
}

/** @returns {(...args: unknown[]) => void} the callback itself, once it is known to be one */
function makeCallback(callback) {
  validateFunction(callback, 'cb');
  return callback;
}

const kRmDefaults = Object.freeze({
  __proto__: null, recursive: false, force: false, retryDelay: 100, maxRetries: 0,
});

function validateRmOptions(options, defaults = kRmDefaults) {
  if (options === undefined || options === null) return { ...defaults };
  validateObject(options, 'options');
  options = { ...defaults, ...options };
  validateBoolean(options.recursive, 'options.recursive');
  validateBoolean(options.force, 'options.force');
  validateInt32(options.retryDelay, 'options.retryDelay', 0);
  validateUint32(options.maxRetries, 'options.maxRetries');
  return options;
}

const kRmdirDefaults = Object.freeze({ __proto__: null, retryDelay: 100, maxRetries: 0, recursive: false });

function validateRmdirOptions(options) {
  if (options === undefined || options === null) return { ...kRmdirDefaults };
  validateObject(options, 'options');
  options = { ...kRmdirDefaults, ...options };
  validateBoolean(options.recursive, 'options.recursive');
  validateInt32(options.retryDelay, 'options.retryDelay', 0);
  validateUint32(options.maxRetries, 'options.maxRetries');
  return options;
}

/** What a failed read of a whole file is to be reported as: files past 2 GiB have an error of their own. */
function readError(error, target) {
  if (error?.code !== 'EFBIG') return error;
  const native = binding('fs');
  const stats = typeof target === 'number' ? native.fstat(target, false) : native.stat(target, false);
  return new ERR_FS_FILE_TOO_LARGE(stats[8]);
}

/** Data of `writeFile` and its kin, as bytes. */
function dataToBytes(data, encoding, name = 'data') {
  if (ArrayBuffer.isView(data)) return data;
  validateStringAfterArrayBufferView(data, name);
  return Buffer.from(data, encoding || 'utf8');
}

module.exports = {
  assertEncoding,
  copyObject,
  dataToBytes,
  getCopyMode,
  getOptions,
  getValidMode,
  getValidatedFd,
  getValidatedPath,
  isURL,
  isUint8Array,
  kMaxUserId,
  makeCallback,
  readError,
  readPosition,
  stringToFlags,
  toUnixTimestamp,
  validateBufferArray,
  validateOffsetLengthRead,
  validateOffsetLengthWrite,
  validateOwner,
  validatePosition,
  validateRmOptions,
  validateRmdirOptions,
  validateStringAfterArrayBufferView,
  writePosition,
};
