'use strict';

// ReadStream and WriteStream.

const { Buffer } = require('buffer');
const {
  codes: {
    ERR_INVALID_ARG_TYPE, ERR_INVALID_THIS, ERR_METHOD_NOT_IMPLEMENTED, ERR_OUT_OF_RANGE, ERR_STREAM_DESTROYED,
    ERR_SYSTEM_ERROR,
  },
} = require('#internal/errors');
const { deprecate, kEmptyObject } = require('#internal/util');
const { validateBoolean, validateFunction, validateInteger } = require('#internal/validators');
const { Readable, Writable, finished } = require('stream');
const { errorOrDestroy } = require('#stream/destroy');
const { kSendFile } = require('#stream/send_file');
const { FileHandle, kRef, kUnref } = require('#fs/file_handle');
const { copyObject, getOptions, getValidatedPath } = require('#fs/validate');
const { read: originalRead } = require('#fs/callbacks');

const kCannotSend = Symbol('kCannotSend');
const kIoDone = Symbol('kIoDone');
const kIsPerformingIO = Symbol('kIsPerformingIO');
const kFs = Symbol('kFs');
const kHandle = Symbol('kHandle');
const kWriteRetries = 5;

let fs;
const publicFs = () => fs ??= require('fs');

/** The operations of a stream on a FileHandle, in the form of `fs`. */
function handleOperations(handle) {
  return {
    open: (path, flags, mode, callback) => {
      throw new ERR_METHOD_NOT_IMPLEMENTED('open()');
    },
    close: (fd, callback) => {
      handle[kUnref]();
      handle.close().then(() => callback(), callback);
    },
    fsync: (fd, callback) => {
      handle.sync().then(() => callback(), callback);
    },
    read: (fd, buffer, offset, length, position, callback) => {
      handle.read(buffer, offset, length, position).then(
        (result) => callback(null, result.bytesRead, result.buffer),
        (error) => callback(error, 0, buffer));
    },
    write: (fd, buffer, offset, length, position, callback) => {
      handle.write(buffer, offset, length, position).then(
        (result) => callback(null, result.bytesWritten, result.buffer),
        (error) => callback(error, 0, buffer));
    },
    writev: (fd, buffers, position, callback) => {
      handle.writev(buffers, position).then(
        (result) => callback(null, result.bytesWritten, result.buffers),
        (error) => callback(error, 0, buffers));
    },
  };
}

/** The descriptor that the options carry. */
function importFd(stream, options) {
  if (typeof options.fd === 'number') {
    stream[kFs] = options.fs || publicFs();
    return options.fd;
  }
  if (typeof options.fd === 'object' && options.fd instanceof FileHandle) {
    if (options.fs) throw new ERR_METHOD_NOT_IMPLEMENTED('FileHandle with fs');
    stream[kHandle] = options.fd;
    stream[kFs] = handleOperations(stream[kHandle]);
    stream[kHandle][kRef]();
    options.fd.on('close', stream.close.bind(stream));
    return options.fd.fd;
  }
  throw new ERR_INVALID_ARG_TYPE('options.fd', ['number', 'FileHandle'], options.fd);
}

/** What both kinds begin with: path, flags and mode, or a descriptor. */
function initialize(stream, path, options, defaultFlags) {
  if (options.fd === undefined || options.fd === null) {
    stream.fd = null;
    stream[kFs] = options.fs || publicFs();
    validateFunction(stream[kFs].open, 'options.fs.open');
    // Path will be ignored when a descriptor is given.
    stream.path = getValidatedPath(path);
    stream.flags = options.flags === undefined || options.flags === null ? defaultFlags : options.flags;
    stream.mode = options.mode === undefined || options.mode === null ? 0o666 : options.mode;
  } else {
    stream.fd = importFd(stream, options);
  }
  // A stream that shall not close its file must not destroy itself either.
  options.autoDestroy = options.autoClose === undefined ? true : options.autoClose;
}

/** Opens the file before anything else happens on the stream. */
function construct(callback) {
  if (typeof this.fd === 'number') {
    callback();
    return;
  }
  if (this.open !== openReadStream && this.open !== openWriteStream) return constructByOverride(this, callback);
  this[kFs].open(this.path, this.flags, this.mode, (error, fd) => {
    if (error) {
      callback(error);
      return;
    }
    this.fd = fd;
    callback();
    this.emit('open', this.fd);
    this.emit('ready');
  });
}

/** Programs that replaced `open` (a deprecated way) tell us by events when they are done. */
function constructByOverride(stream, callback) {
  const { emit } = stream;
  stream.emit = function(...args) {
    if (args[0] === 'open') {
      this.emit = emit;
      callback();
      Reflect.apply(emit, this, args);
    } else if (args[0] === 'error') {
      this.emit = emit;
      callback(args[1]);
    } else {
      Reflect.apply(emit, this, args);
    }
  };
  stream.open();
}

function close(stream, error, callback) {
  if (!stream.fd) {
    callback(error);
  } else if (stream.flush) {
    stream[kFs].fsync(stream.fd, (flushError) => closeNow(stream, error || flushError, callback));
  } else {
    closeNow(stream, error, callback);
  }
}

function closeNow(stream, error, callback) {
  stream[kFs].close(stream.fd, (closeError) => callback(closeError || error));
  stream.fd = null;
}

/** Waits for a read or write in flight, whose buffer must stay what it is, and closes. */
function destroy(error, callback) {
  if (this[kIsPerformingIO]) this.once(kIoDone, (ioError) => close(this, error || ioError, callback));
  else close(this, error, callback);
}

function autoCloseProperty(state, className) {
  const stateOf = (stream) => {
    if (stream[state] === undefined) throw new ERR_INVALID_THIS(className);
    return stream[state];
  };
  return {
    __proto__: null,
    get: function() {
      return stateOf(this).autoDestroy;
    },
    set: function(value) {
      stateOf(this).autoDestroy = value;
    },
  };
}

const pendingProperty = {
  __proto__: null,
  get: function() {
    return this.fd === null;
  },
  configurable: true,
};

function ReadStream(path, options) {
  if (!(this instanceof ReadStream)) return new ReadStream(path, options);
  options = copyObject(getOptions(options, kEmptyObject));
  if (options.highWaterMark === undefined) options.highWaterMark = 64 * 1024;
  initialize(this, path, options, 'r');
  validateFunction(this[kFs].read, 'options.fs.read');
  if (options.autoDestroy) validateFunction(this[kFs].close, 'options.fs.close');
  this.start = options.start;
  this.end = options.end;
  this.pos = undefined;
  this.bytesRead = 0;
  this[kIsPerformingIO] = false;
  this[kCannotSend] = false;
  if (this.start !== undefined) {
    validateInteger(this.start, 'start', 0);
    this.pos = this.start;
  }
  // If fd has been set, validate, otherwise validated on open.
  if (this.end === undefined) {
    this.end = Infinity;
  } else if (this.end !== Infinity) {
    validateInteger(this.end, 'end', 0);
    if (this.start !== undefined && this.start > this.end) {
      throw new ERR_OUT_OF_RANGE('start', `<= "end" (here: ${this.end})`, this.start);
    }
  }
  Reflect.apply(Readable, this, [options]);
  if (options.encoding) this.setEncoding(options.encoding);
}
Object.setPrototypeOf(ReadStream.prototype, Readable.prototype);
Object.setPrototypeOf(ReadStream, Readable);

Object.defineProperty(ReadStream.prototype, 'autoClose', autoCloseProperty('_readableState', 'ReadStream'));

const openReadStream = deprecate(
  function() {}, 'ReadStream.prototype.open() is deprecated', 'DEP0135');
ReadStream.prototype.open = openReadStream;
ReadStream.prototype._construct = function _construct(callback) {
  Reflect.apply(construct, this, [callback]);
};

/** A copy without the unused rest, so that a small piece does not keep 64 KiB alive. */
function trimmed(buffer, size) {
  if (size === buffer.length) return buffer;
  const piece = Buffer.allocUnsafeSlow(size);
  buffer.copy(piece, 0, 0, size);
  return piece;
}

/** Who reads so much of a file will want more of it; what is shorter costs less when it is read. */
const kSendFrom = 128 * 1024;
/** What is sent between two looks at the stream: somebody may want its data by then. */
const kSendPart = 2 * 1024 * 1024;
/** The last bytes are read: a client that has them all and leaves shall find the answer ended. */
const kKeep = 64 * 1024;


/**
 * Leaves the next part of the file to the destination of a pipe, where that can take it (an HTTP answer can) and nobody
 * else gets the data: no bytes come into the stream then, but they count as read.
 * @returns {boolean} false: it is to be read
 */
function sendPart(stream, left) {
  const state = stream._readableState;
  if (stream.bytesRead < kSendFrom || stream[kCannotSend] || !state.flowing || state.length !== 0 || state.pipes.length !== 1 ||
      state.decoder || state.objectMode || stream[kFs] !== publicFs() || fs.read !== originalRead ||
      stream.listenerCount('data') !== 1 || stream.listenerCount('readable') !== 0) {
    return false;
  }
  const [to] = state.pipes;
  if (typeof to[kSendFile] !== 'function') return false;
  const size = Math.min(left - kKeep, kSendPart);
  if (size <= 0) return false;
  stream[kIsPerformingIO] = true;
  const taken = to[kSendFile](stream.fd, stream.pos ?? -1, size, kKeep, (sent) => {
    stream[kIsPerformingIO] = false;
    if (stream.pos !== undefined) stream.pos += sent;
    stream.bytesRead += sent;
    // Reading tells why.
    if (sent < size) stream[kCannotSend] = true;
    if (stream.destroyed) stream.emit(kIoDone, null);
    else stream.push(''); // nothing, but the next part may be read
  });
  if (!taken) stream[kIsPerformingIO] = false;
  return taken;
}

ReadStream.prototype._read = function(n) {
  const left = this.pos !== undefined ? this.end - this.pos + 1 : this.end - this.bytesRead + 1;
  if (left > 0 && sendPart(this, left)) return;
  n = Math.min(left, n);
  if (n <= 0) {
    this.push(null);
    return;
  }
  const buffer = Buffer.allocUnsafeSlow(n);
  this[kIsPerformingIO] = true;
  this[kFs].read(this.fd, buffer, 0, n, this.pos, (error, bytesRead, buffer) => {
    this[kIsPerformingIO] = false;
    // Tell destroy() that it may close.
    if (this.destroyed) {
      this.emit(kIoDone, error);
      return;
    }
    if (error) {
      errorOrDestroy(this, error);
    } else if (bytesRead > 0) {
      if (this.pos !== undefined) this.pos += bytesRead;
      this.bytesRead += bytesRead;
      this.push(trimmed(buffer, bytesRead));
    } else {
      this.push(null);
    }
  });
};

ReadStream.prototype._destroy = function(error, callback) {
  Reflect.apply(destroy, this, [error, callback]);
};

ReadStream.prototype.close = function(callback) {
  if (typeof callback === 'function') finished(this, callback);
  this.destroy();
};

Object.defineProperty(ReadStream.prototype, 'pending', pendingProperty);

function WriteStream(path, options) {
  if (!(this instanceof WriteStream)) return new WriteStream(path, options);
  options = copyObject(getOptions(options, kEmptyObject));
  // Only bytes reach _write.
  options.decodeStrings = true;
  initialize(this, path, options, 'w');
  if (!this[kFs].write && !this[kFs].writev) {
    throw new ERR_INVALID_ARG_TYPE('options.fs.write', 'function', this[kFs].write);
  }
  if (this[kFs].write) validateFunction(this[kFs].write, 'options.fs.write');
  if (this[kFs].writev) validateFunction(this[kFs].writev, 'options.fs.writev');
  if (options.autoDestroy) validateFunction(this[kFs].close, 'options.fs.close');
  if (options.flush === undefined || options.flush === null) {
    this.flush = false;
  } else {
    validateBoolean(options.flush, 'options.flush');
    if (options.flush) validateFunction(this[kFs].fsync, 'options.fs.fsync');
    this.flush = options.flush;
  }
  // It's enough to override either, in which case only one will be used.
  if (!this[kFs].write) this._write = null;
  if (!this[kFs].writev) this._writev = null;
  this.start = options.start;
  this.pos = undefined;
  this.bytesWritten = 0;
  this[kIsPerformingIO] = false;
  if (this.start !== undefined) {
    validateInteger(this.start, 'start', 0);
    this.pos = this.start;
  }
  Reflect.apply(Writable, this, [options]);
  if (options.encoding) this.setDefaultEncoding(options.encoding);
}
Object.setPrototypeOf(WriteStream.prototype, Writable.prototype);
Object.setPrototypeOf(WriteStream, Writable);

Object.defineProperty(WriteStream.prototype, 'autoClose', autoCloseProperty('_writableState', 'WriteStream'));

const openWriteStream = deprecate(
  function() {}, 'WriteStream.prototype.open() is deprecated', 'DEP0135');
WriteStream.prototype.open = openWriteStream;
WriteStream.prototype._construct = function _construct(callback) {
  Reflect.apply(construct, this, [callback]);
};

/** What to do after one write: an error to report, or how much of `size` is left to write. */
class Progress {
  constructor() {
    this.retries = 0;
  }

  /** @returns {Error | null | undefined} undefined: go on */
  judge(stream, error, written, size) {
    if (error?.code === 'EAGAIN') {
      error = null;
      written = 0;
    }
    if (stream.destroyed || error) return error || new ERR_STREAM_DESTROYED('write');
    stream.bytesWritten += written;
    if (written > 0) this.retries = 0;
    else if (++this.retries > kWriteRetries) {
      return new ERR_SYSTEM_ERROR({
        code: 'EAGAIN', message: 'resource temporarily unavailable', errno: -11, syscall: 'write',
      });
    }
    return written >= size ? null : undefined;
  }
}

function writeAll(stream, data, size, position, callback, progress = new Progress()) {
  stream[kFs].write(stream.fd, data, 0, size, position, (error, written, buffer) => {
    const verdict = progress.judge(stream, error, written, size);
    if (verdict !== undefined) return callback(verdict);
    const next = position === undefined || position === null ? position : position + written;
    writeAll(stream, buffer.slice(written), size - written, next, callback, progress);
  });
}

function writevAll(stream, chunks, size, position, callback, progress = new Progress()) {
  stream[kFs].writev(stream.fd, chunks, position, (error, written) => {
    const verdict = progress.judge(stream, error, written, size);
    if (verdict !== undefined) return callback(verdict);
    const next = position === undefined || position === null ? position : position + written;
    const rest = Buffer.concat(chunks).slice(written);
    writevAll(stream, [rest], rest.length, next, callback, progress);
  });
}

/** Ends a write: destroy() may be waiting for it. */
function writeDone(stream, callback) {
  return (error) => {
    stream[kIsPerformingIO] = false;
    if (stream.destroyed) {
      callback(error);
      return stream.emit(kIoDone, error);
    }
    callback(error);
  };
}

WriteStream.prototype._write = function(data, encoding, callback) {
  this[kIsPerformingIO] = true;
  writeAll(this, data, data.length, this.pos, writeDone(this, callback));
  if (this.pos !== undefined) this.pos += data.length;
};

WriteStream.prototype._writev = function(data, callback) {
  const chunks = new Array(data.length);
  let size = 0;
  for (let i = 0; i < data.length; i++) {
    chunks[i] = data[i].chunk;
    size += chunks[i].length;
  }
  this[kIsPerformingIO] = true;
  writevAll(this, chunks, size, this.pos, writeDone(this, callback));
  if (this.pos !== undefined) this.pos += size;
};

WriteStream.prototype._destroy = function(error, callback) {
  Reflect.apply(destroy, this, [error, callback]);
};

WriteStream.prototype.close = function(callback) {
  if (callback) {
    if (this.closed) {
      process.nextTick(callback);
      return;
    }
    this.on('close', callback);
  }
  // If we are not autoClosing, we should call destroy on 'finish'.
  if (!this.autoClose) this.on('finish', this.destroy);
  // We use end() instead of destroy() because of https://github.com/nodejs/node/issues/2006.
  this.end();
};

// There is no shutdown() for files.
WriteStream.prototype.destroySoon = WriteStream.prototype.end;

Object.defineProperty(WriteStream.prototype, 'pending', pendingProperty);

module.exports = { ReadStream, WriteStream };
