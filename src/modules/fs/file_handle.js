'use strict';

// FileHandle: an open file as the promise API sees it. Operations in flight hold a reference; `close` waits for them.

const { Buffer } = require('buffer');
const EventEmitter = require('events');
const {
  AbortError, codes: { ERR_INTERNAL_ASSERTION, ERR_INVALID_ARG_VALUE },
} = require('#internal/errors');
const { kEmptyObject, lazyDOMException } = require('#internal/util');
const {
  parseFileMode, validateBoolean, validateBuffer, validateEncoding, validateInteger, validateObject,
} = require('#internal/validators');
const { makeStats } = require('#fs/stats');
const {
  getOptions, readError, readPosition, toUnixTimestamp, validateBufferArray, validateOffsetLengthRead, validateOwner,
  validateStringAfterArrayBufferView, writePosition,
} = require('#fs/validate');
const { writeRange } = require('#fs/sync');
const { kTransferable, setTransferMode, transfer, transferList } = require('#web/transferable');
const native = binding('fs');
const { kPromise } = native;

const kHandle = Symbol('kHandle');
const kFd = Symbol('kFd');
const kRefs = Symbol('kRefs');
const kClosePromise = Symbol('kClosePromise');
const kCloseResolve = Symbol('kCloseResolve');
const kCloseReject = Symbol('kCloseReject');
const kRef = Symbol('kRef');
const kUnref = Symbol('kUnref');
const kLocked = Symbol('kLocked');

const kReadBufferSize = 16 * 1024;
const kWriteChunkSize = 512 * 1024;

let warnedOfCollection = false;
/** @type {FinalizationRegistry<object>} */
let registry;

/** A handle that nobody closed was collected: close its descriptor and say so. */
function onCollected(resource) {
  if (resource.fd < 0) return;
  const { fd } = resource;
  resource.fd = -1;
  native.close(fd, () => {});
  process.emitWarning(`Closing file descriptor ${fd} on garbage collection`);
  if (warnedOfCollection) return;
  warnedOfCollection = true;
  process.emitWarning(
    'Closing a FileHandle object on garbage collection is deprecated. Please close FileHandle objects explicitly ' +
    'using FileHandle.prototype.close(). In the future, an error will be thrown if a file descriptor is closed ' +
    'during garbage collection.', 'DeprecationWarning', 'DEP0137');
}

/** What outlives a collected FileHandle. */
const FileResource = class FileHandle {
  #fd;
  constructor(fd) {
    this.#fd = fd;
  }
  get fd() {
    return this.#fd;
  }
  set fd(value) {
    this.#fd = value;
  }
  getAsyncId() {
    return 0;
  }
};

class FileHandle extends EventEmitter {
  /** @param {number} fd */
  constructor(fd) {
    super();
    this[kHandle] = new FileResource(fd);
    this[kFd] = fd;
    this[kRefs] = 1;
    this[kClosePromise] = null;
    this.close = close;
    registry ??= new FinalizationRegistry(onCollected);
    registry.register(this, this[kHandle], this);
  }

  getAsyncId() {
    return this[kHandle].getAsyncId();
  }

  get fd() {
    return this[kFd];
  }

  appendFile(data, options) {
    return using(appendFile, this, data, options);
  }

  chmod(mode) {
    return using(chmod, this, mode);
  }

  chown(uid, gid) {
    return using(chown, this, uid, gid);
  }

  datasync() {
    return using(datasync, this);
  }

  sync() {
    return using(sync, this);
  }

  read(buffer, offset, length, position) {
    return using(read, this, buffer, offset, length, position);
  }

  readv(buffers, position) {
    return using(readv, this, buffers, position);
  }

  readFile(options) {
    return using(readFile, this, options);
  }

  readLines(options = undefined) {
    return require('readline').createInterface({
      input: this.createReadStream(options),
      crlfDelay: Infinity,
    });
  }

  stat(options) {
    return using(stat, this, options);
  }

  truncate(len = 0) {
    return using(truncate, this, len);
  }

  utimes(atime, mtime) {
    return using(utimes, this, atime, mtime);
  }

  write(buffer, offset, length, position) {
    return using(write, this, buffer, offset, length, position);
  }

  writev(buffers, position) {
    return using(writev, this, buffers, position);
  }

  writeFile(data, options) {
    return using(writeFile, this, data, options);
  }

  readableWebStream(options = kEmptyObject) {
    return require('#fs/web_stream').readableWebStream(this, options);
  }

  createReadStream(options = undefined) {
    const { ReadStream } = require('#fs/streams');
    return new ReadStream(undefined, { ...options, fd: this });
  }

  createWriteStream(options = undefined) {
    const { WriteStream } = require('#fs/streams');
    return new WriteStream(undefined, { ...options, fd: this });
  }

  async [Symbol.asyncDispose]() {
    await this.close();
  }

  /** Moves the descriptor to another thread; this handle is closed by it. */
  [transfer]() {
    if (this[kClosePromise] || this[kRefs] > 1) {
      throw lazyDOMException('Cannot transfer FileHandle while in use', 'DataCloneError');
    }
    const { fd } = this;
    this[kFd] = -1;
    this[kHandle].fd = -1;
    this[kRefs] = 0;
    registry.unregister(this);
    native.releaseDescriptor(fd);
    return ['FileHandle', { fd }];
  }

  [transferList]() {
    return [];
  }

  [kRef]() {
    this[kRefs]++;
  }

  [kUnref]() {
    if (--this[kRefs] === 0) finishClose(this).then(this[kCloseResolve], this[kCloseReject]);
  }
}

setTransferMode(FileHandle.prototype, kTransferable);

/** A handle that came from another thread. */
function deserialize(state) {
  native.adoptDescriptor(state.fd);
  return new FileHandle(state.fd);
}

/** Every handle's own `close`. */
function close() {
  if (this[kFd] === -1) return Promise.resolve();
  if (this[kClosePromise]) return this[kClosePromise];
  if (--this[kRefs] === 0) {
    this[kClosePromise] = finishClose(this);
  } else {
    this[kClosePromise] = new Promise((resolve, reject) => {
      this[kCloseResolve] = resolve;
      this[kCloseReject] = reject;
    });
  }
  this[kClosePromise] = this[kClosePromise].finally(() => {
    this[kClosePromise] = undefined;
  });
  this.emit('close');
  return this[kClosePromise];
}

function finishClose(handle) {
  const fd = handle[kFd];
  handle[kFd] = -1;
  handle[kHandle].fd = -1;
  registry.unregister(handle);
  return traced(native.close(fd, kPromise));
}

/** Runs an operation on a handle, which stays open for its duration. */
async function using(operation, handle, ...args) {
  if (handle[kRefs] === undefined) throw new ERR_INTERNAL_ASSERTION('handle must be an instance of FileHandle');
  if (handle.fd === -1) {
    const error = new Error('file closed');
    error.code = 'EBADF';
    error.syscall = operation.name;
    throw error;
  }
  try {
    handle[kRef]();
    return await operation(handle, ...args);
  } finally {
    handle[kUnref]();
  }
}

/** Errors of the native half know no frames; this adds those of the functions that await the result. */
function addStack(error) {
  Error.captureStackTrace(error, addStack);
  throw error;
}

/** @template T @param {Promise<T>} promise */
const traced = (promise) => promise.then(undefined, addStack);

function checkAborted(signal) {
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
}

async function chmod(handle, mode) {
  return await traced(native.fchmod(handle.fd, parseFileMode(mode, 'mode'), kPromise));
}

async function chown(handle, uid, gid) {
  validateOwner(uid, gid);
  return await traced(native.fchown(handle.fd, uid, gid, kPromise));
}

const datasync = async function fdatasync(handle) {
  return await traced(native.fsync(handle.fd, true, kPromise));
};

const sync = async function fsync(handle) {
  return await traced(native.fsync(handle.fd, false, kPromise));
};

const truncate = async function ftruncate(handle, len = 0) {
  validateInteger(len, 'len');
  return await traced(native.ftruncate(handle.fd, Math.max(0, len), kPromise));
};

const utimes = async function futimes(handle, atime, mtime) {
  atime = toUnixTimestamp(atime, 'atime');
  return await traced(native.futimes(handle.fd, atime, toUnixTimestamp(mtime, 'mtime'), kPromise));
};

const stat = async function fstat(handle, options = { bigint: false }) {
  return makeStats(await traced(native.fstat(handle.fd, Boolean(options?.bigint), kPromise)));
};

async function read(handle, bufferOrParams, offset, length, position) {
  let buffer = bufferOrParams;
  if (!ArrayBuffer.isView(buffer)) {
    // read(), read(options)
    if (bufferOrParams !== undefined) validateObject(bufferOrParams, 'options', { nullable: true });
    ({
      buffer = Buffer.alloc(kReadBufferSize),
      offset = 0,
      length = buffer.byteLength - offset,
      position = null,
    } = bufferOrParams ?? kEmptyObject);
    validateBuffer(buffer);
  }
  if (offset !== null && typeof offset === 'object') {
    // read(buffer, options)
    ({ offset = 0, length = buffer.byteLength - offset, position = null } = offset);
  }
  if (offset === null || offset === undefined) offset = 0;
  else validateInteger(offset, 'offset', 0);
  length ??= buffer.byteLength - offset;
  length |= 0;
  if (length === 0) return { __proto__: null, bytesRead: length, buffer };
  if (buffer.byteLength === 0) throw new ERR_INVALID_ARG_VALUE('buffer', buffer, 'is empty and cannot be written');
  validateOffsetLengthRead(offset, length, buffer.byteLength);
  position = readPosition(position, length);
  const bytesRead = await traced(native.read(handle.fd, offset, length, position, buffer, kPromise)) || 0;
  return { __proto__: null, bytesRead, buffer };
}

async function readv(handle, buffers, position) {
  validateBufferArray(buffers);
  const at = typeof position === 'number' ? position : -1;
  const bytesRead = await traced(native.readBuffers(handle.fd, buffers, at, kPromise)) || 0;
  return { __proto__: null, bytesRead, buffers };
}

async function write(handle, buffer, offsetOrOptions, length, position) {
  if (buffer?.byteLength === 0) return { __proto__: null, bytesWritten: 0, buffer };
  let offset = offsetOrOptions;
  if (ArrayBuffer.isView(buffer)) {
    if (typeof offset === 'object' && offset !== null) {
      ({ offset = 0, length = buffer.byteLength - offset, position = null } = offsetOrOptions);
    }
    [offset, length] = writeRange(buffer, offset, length);
    position = writePosition(position);
    const bytesWritten = await traced(native.write(handle.fd, offset, length, position, buffer, kPromise)) || 0;
    return { __proto__: null, bytesWritten, buffer };
  }
  validateStringAfterArrayBufferView(buffer, 'buffer');
  validateEncoding(buffer, length);
  const bytes = Buffer.from(buffer, length || 'utf8');
  const at = writePosition(offset);
  const bytesWritten = await traced(native.write(handle.fd, 0, bytes.length, at, bytes, kPromise)) || 0;
  return { __proto__: null, bytesWritten, buffer };
}

async function writev(handle, buffers, position) {
  validateBufferArray(buffers);
  if (buffers.length === 0) return { __proto__: null, bytesWritten: 0, buffers };
  position = writePosition(position);
  const bytesWritten = await traced(native.writeBuffers(handle.fd, buffers, position, kPromise)) || 0;
  return { __proto__: null, buffers, bytesWritten };
}

/** The text or bytes that the caller asked for. */
function decode(buffer, encoding) {
  return encoding && encoding !== 'buffer' ? buffer.toString(encoding) : buffer;
}

async function readFile(handle, options) {
  options = getOptions(options, kEmptyObject);
  const { signal } = options;
  checkAborted(signal);
  let bytes;
  try {
    bytes = await traced(native.readFile(handle.fd, 0, kPromise));
  } catch (error) {
    throw readError(error, handle.fd);
  }
  checkAborted(signal);
  return decode(bytes, options.encoding);
}

const isCustomIterable = (value) => typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) &&
  (typeof value[Symbol.asyncIterator] === 'function' || typeof value[Symbol.iterator] === 'function');

/** Writes all of `bytes`, in pieces between which the signal is looked at. */
async function writeAll(fd, bytes, signal) {
  let view = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  do {
    checkAborted(signal);
    const size = Math.min(kWriteChunkSize, view.byteLength);
    const written = await traced(native.write(fd, 0, size, -1, view, kPromise));
    view = new Uint8Array(view.buffer, view.byteOffset + written, view.byteLength - written);
  } while (view.byteLength > 0);
}

/** Writes data of any form that writeFile takes to an open file. */
async function writeData(fd, data, signal, encoding) {
  checkAborted(signal);
  if (!isCustomIterable(data)) return writeAll(fd, data, signal);
  for await (const chunk of data) {
    checkAborted(signal);
    const bytes = ArrayBuffer.isView(chunk) ? chunk : Buffer.from(chunk, encoding || 'utf8');
    await writeAll(fd, bytes, signal);
    checkAborted(signal);
  }
}

/** Data of writeFile: bytes, or an iterable that is left as it is. */
function checkData(data, encoding) {
  if (ArrayBuffer.isView(data) || isCustomIterable(data)) return data;
  validateStringAfterArrayBufferView(data, 'data');
  return Buffer.from(data, encoding || 'utf8');
}

async function writeFile(handle, data, options) {
  options = getOptions(options, { encoding: 'utf8', mode: 0o666, flag: 'w', flush: false });
  const flush = options.flush ?? false;
  validateBoolean(flush, 'options.flush');
  data = checkData(data, options.encoding);
  await writeData(handle.fd, data, options.signal, options.encoding);
  if (flush) await traced(native.fsync(handle.fd, false, kPromise));
}

async function appendFile(handle, data, options) {
  return writeFile(handle, data, getOptions(options, { encoding: 'utf8', mode: 0o666, flag: 'a' }));
}

module.exports = {
  FileHandle, checkAborted, checkData, decode, deserialize, isCustomIterable, kLocked, kRef, kUnref, traced, writeData,
};
