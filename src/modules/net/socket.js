'use strict';

// net.Socket: a Duplex over a native stream handle.

const stream = require('stream');
const { Buffer } = require('buffer');
const {
  codes: {
    ERR_INVALID_ARG_TYPE,
    ERR_INVALID_ARG_VALUE,
    ERR_INVALID_FD_TYPE,
    ERR_INVALID_HANDLE_TYPE,
    ERR_MISSING_ARGS,
    ERR_SOCKET_CLOSED,
    ERR_SOCKET_CLOSED_BEFORE_CONNECTION,
  },
} = require('#internal/errors');
const { publish } = require('#internal/diagnostics');
const { validateInt32, validateNumber, validateString } = require('#internal/validators');
const { takeArgs } = require('#net/args');
const { UV_EOF, errnoException } = require('#net/errors');
const { createTCP, createPipe, openTTY, guessHandleType, isTCP } = require('#net/handles');
const { setStreamTimeout, clearStreamTimeout, kTimeout } = require('#net/timeout');

const { kAsyncId, defaultTriggerAsyncIdScope } = require('#async_hooks/hooks');

const kLastWriteQueueSize = Symbol('lastWriteQueueSize');
const kBytesRead = Symbol('kBytesRead');
const kBytesWritten = Symbol('kBytesWritten');
const kSetNoDelay = Symbol('kSetNoDelay');
const kSetKeepAlive = Symbol('kSetKeepAlive');
const kKeepAliveDelay = Symbol('kSetKeepAliveInitialDelay');
const kWriteRequest = Symbol('kWriteRequest');
const kUserBuffer = Symbol('kBuffer');
const kReset = Symbol('kReset');

const UV_ENOTCONN = -107;

function noop() {}

let connecting; // '#net/connect' requires this file
const lazyConnecting = () => (connecting ??= require('#net/connect'));

/** An option of connect(): the socket only carries another one, which is announced in its place. */
const kCarrier = Symbol('kCarrier');

/** A handle for an open descriptor, of the kind that it is. */
function handleForFd(fd, isServer) {
  validateInt32(fd, 'fd', 0);
  const type = guessHandleType(fd);
  if (type === 'PIPE') return createPipe();
  if (type === 'TCP') return createTCP(isServer);
  throw new ERR_INVALID_FD_TYPE(type);
}

function openFd(socket, options) {
  const { fd } = options;
  const type = options.tty === true ? 'TTY' : undefined;
  if (type === 'TTY') {
    const handle = openTTY(fd);
    if (typeof handle === 'number') throw errnoException(handle, 'open');
    socket._handle = handle;
    return;
  }
  socket._handle = handleForFd(fd, false);
  const error = socket._handle.open(fd);
  if (error < 0) throw errnoException(error, 'open');
}

function rejectObjectModes(options) {
  for (const name of ['objectMode', 'readableObjectMode', 'writableObjectMode']) {
    if (options?.[name]) throw new ERR_INVALID_ARG_VALUE(`options.${name}`, options[name], 'is not supported');
  }
}

function readOptions(options) {
  rejectObjectModes(options);
  if (options?.keepAliveInitialDelay !== undefined) {
    validateNumber(options.keepAliveInitialDelay, 'options.keepAliveInitialDelay');
  }
  const own = typeof options === 'number' ? { fd: options } : { ...options };
  if (own.keepAliveInitialDelay < 0) own.keepAliveInitialDelay = 0;
  own.allowHalfOpen = Boolean(own.allowHalfOpen);
  // The handle's closing emits 'close'; strings go to the handle as they are.
  own.emitClose = false;
  own.autoDestroy = true;
  own.decodeStrings = false;
  // Listened to once the handle is there.
  own.signal = undefined;
  return own;
}

function isOnReadOption(onread) {
  return onread !== null && typeof onread === 'object' && typeof onread.callback === 'function' &&
    (typeof onread.buffer === 'function' || ArrayBuffer.isView(onread.buffer));
}

/**
 * @param {object | number} [options]
 */
function Socket(options) {
  if (!(this instanceof Socket)) return new Socket(options);
  const signal = options?.signal;
  options = readOptions(options);

  this.connecting = false;
  this[kAsyncId] = -1;
  this._hadError = false;
  this._parent = null;
  this._host = null;
  this._closeAfterHandlingError = false;
  stream.Duplex.call(this, options);

  this._handle = null;
  this._sockname = null;
  this._pendingData = null;
  this._pendingEncoding = '';
  this.server = null;
  this._server = null;
  this[kLastWriteQueueSize] = 0;
  this[kTimeout] = null;
  this[kBytesRead] = 0;
  this[kBytesWritten] = 0;
  this[kSetNoDelay] = Boolean(options.noDelay);
  this[kSetKeepAlive] = Boolean(options.keepAlive);
  this[kKeepAliveDelay] = ~~(options.keepAliveInitialDelay / 1000);
  this[kWriteRequest] = null;
  this[kUserBuffer] = null;
  this[kReset] = false;

  if (options.handle) this._handle = options.handle;
  else if (options.fd !== undefined) openFd(this, options);

  const { onread } = options;
  if (isOnReadOption(onread)) this[kUserBuffer] = new UserBuffer(onread);
  if (options.blockList) {
    if (!require('#net/block_list').BlockList.isBlockList(options.blockList)) {
      throw new ERR_INVALID_ARG_TYPE('options.blockList', 'net.BlockList', options.blockList);
    }
    this.blockList = options.blockList;
  }

  this.on('end', onReadableStreamEnd);
  initSocketHandle(this);
  if (signal) stream.addAbortSignal(signal, this);

  if (this._handle && options.readable !== false && !options.noRead) {
    if (options.pauseOnCreate) {
      this._handle.reading = false;
      this._handle.readStop();
      this.pause();
    } else if (!options.manualStart) {
      this.read(0);
    }
  }
}
Object.setPrototypeOf(Socket.prototype, stream.Duplex.prototype);
Object.setPrototypeOf(Socket, stream.Duplex);

/** Bytes go to a buffer of the program's own, see the `onread` option; what does not fit waits in `rest`. */
class UserBuffer {
  constructor({ buffer, callback }) {
    this.next = typeof buffer === 'function' ? buffer : undefined;
    this.buffer = this.next ? this.next() : buffer;
    this.callback = callback;
    this.rest = undefined;
    this.paused = false;
  }

  /** @returns {boolean} whether more may be read */
  deliver(socket, chunk) {
    this.rest = undefined;
    while (chunk.length > 0) {
      const target = this.buffer;
      const length = Math.min(target.byteLength, chunk.length);
      new Uint8Array(target.buffer, target.byteOffset, length).set(chunk.subarray(0, length));
      chunk = chunk.subarray(length);
      const more = this.callback.call(socket, length, target);
      if (this.next) this.buffer = this.next();
      if (more === false || this.paused || socket.destroyed) {
        this.rest = chunk.length > 0 && !socket.destroyed ? chunk : undefined;
        this.paused = true;
        return false;
      }
    }
    return true;
  }
}

function initSocketHandle(socket) {
  socket._sockname = undefined;
  const handle = socket._handle;
  if (!handle) return;
  socket[kAsyncId] = handle.getAsyncId?.() ?? require('#async_hooks/hooks').newAsyncId();
  handle.owner = socket;
  handle.onread = onStreamRead;
}

/** Called by the handle: data, the end, or an error. */
function onStreamRead(nread, chunk) {
  const socket = this.owner;
  if (socket === undefined || socket._handle !== this) return;
  refreshTimers(socket);
  if (nread > 0) {
    const user = socket[kUserBuffer];
    const more = user === null ? socket.push(chunk) : user.deliver(socket, chunk);
    if (!more && socket._handle === this && this.reading) {
      this.reading = false;
      const error = this.readStop();
      if (error < 0) socket.destroy(errnoException(error, 'read'));
    }
    return;
  }
  if (nread === 0) return;
  if (nread !== UV_EOF) {
    socket.destroy(errnoException(nread, 'read'));
    return;
  }
  // Ended: nobody may be reading, so that 'end' has to be asked for.
  this.reading = false;
  this.readStop();
  socket.push(null);
  socket.read(0);
}

function refreshTimers(socket) {
  for (let s = socket; s; s = s._parent) if (s[kTimeout]) s[kTimeout].refresh();
}

Socket.prototype._unrefTimer = function _unrefTimer() {
  refreshTimers(this);
};

// --- the writable side ---------------------------------------------------------------------------------------------

Socket.prototype._final = function (callback) {
  if (this.connecting) {
    this.once('connect', function () {
      this._final(callback);
    });
    return;
  }
  if (!this._handle) return callback();
  const request = {
    callback,
    oncomplete(status) {
      // A peer that reset the connection leaves nothing to shut down.
      if (status < 0 && status !== UV_ENOTCONN && !this.socket.destroyed) {
        this.callback(errnoException(status, 'shutdown'));
      } else {
        this.callback();
      }
    },
    socket: this,
  };
  const result = this._handle.shutdown(request);
  if (result === 1 || result === UV_ENOTCONN) return callback();
  if (result < 0) return callback(errnoException(result, 'shutdown'));
};

/** write() of a socket whose peer ended it, unless half-open sockets are allowed. */
function writeAfterFIN(chunk, encoding, callback) {
  if (!this.writableEnded) return stream.Duplex.prototype.write.call(this, chunk, encoding, callback);
  if (typeof encoding === 'function') {
    callback = encoding;
    encoding = null;
  }
  const error = new Error('This socket has been ended by the other party');
  error.code = 'EPIPE';
  if (typeof callback === 'function') process.nextTick(callback, error);
  this.destroy(error);
  return false;
}

function onReadableStreamEnd() {
  if (!this.allowHalfOpen) this.write = writeAfterFIN;
}

class WriteRequest {
  constructor(socket) {
    this.socket = socket;
    this.callback = null;
  }

  oncomplete(status, handle) {
    const { socket, callback } = this;
    this.callback = null;
    if (socket.destroyed) return callback?.(socket.errored ?? undefined);
    socket[kLastWriteQueueSize] = 0;
    if (status < 0) {
      const error = errnoException(status, 'write', undefined);
      if (callback) callback(error);
      else socket.destroy(error);
      return;
    }
    if (socket._handle === handle) refreshTimers(socket);
    callback?.();
  }
}

/** @returns {number} 0 when all is written, 1 when the rest waits in the handle, or a negative errno */
function handleWrite(handle, request, data, encoding) {
  if (typeof data !== 'string') return handle.writeBuffer(request, data);
  switch (encoding) {
    case undefined:
    case null:
    case '':
    case 'utf8':
    case 'utf-8':
      return handle.writeUtf8String(request, data);
    case 'latin1':
    case 'binary':
    case 'ascii':
      return handle.writeLatin1String(request, data);
    case 'buffer':
      return handle.writeUtf8String(request, data);
    default:
      return handle.writeBuffer(request, Buffer.from(data, encoding));
  }
}

function handleWritev(handle, request, chunks) {
  const buffers = chunks.allBuffers
    ? chunks.map((entry) => entry.chunk ?? entry)
    : chunks.map(({ chunk, encoding }) => (typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk));
  return handle.writev(request, buffers);
}

Socket.prototype._writeGeneric = function (writev, data, encoding, callback) {
  if (this.connecting) return writeWhenConnected(this, writev, data, encoding, callback);
  const handle = this._handle;
  if (!handle) {
    callback(new ERR_SOCKET_CLOSED());
    return false;
  }
  refreshTimers(this);
  let request = (this[kWriteRequest] ??= new WriteRequest(this));
  if (request.callback !== null) request = new WriteRequest(this);
  const result = writev ? handleWritev(handle, request, data) : handleWrite(handle, request, data, encoding);
  if (result === 0) {
    this[kLastWriteQueueSize] = 0;
    callback();
  } else if (result > 0) {
    request.callback = callback;
    this[kLastWriteQueueSize] = handle.writeQueueSize;
  } else {
    callback(errnoException(result, 'write'));
  }
};

function writeWhenConnected(socket, writev, data, encoding, callback) {
  socket._pendingData = data;
  socket._pendingEncoding = encoding;
  function onClose() {
    callback(new ERR_SOCKET_CLOSED_BEFORE_CONNECTION());
  }
  socket.once('connect', function connect() {
    this.off('close', onClose);
    this._pendingData = null;
    this._pendingEncoding = '';
    this._writeGeneric(writev, data, encoding, callback);
  });
  socket.once('close', onClose);
}

Socket.prototype._writev = function (chunks, callback) {
  this._writeGeneric(true, chunks, '', callback);
};

Socket.prototype._write = function (data, encoding, callback) {
  this._writeGeneric(false, data, encoding, callback);
};

Socket.prototype.end = function (data, encoding, callback) {
  stream.Duplex.prototype.end.call(this, data, encoding, callback);
  return this;
};

Socket.prototype.destroySoon = function () {
  if (this.writable) this.end();
  if (this.writableFinished) this.destroy();
  else this.once('finish', this.destroy);
};

// --- the readable side ---------------------------------------------------------------------------------------------

function tryReadStart(socket) {
  const handle = socket._handle;
  handle.reading = true;
  const error = handle.readStart();
  if (error < 0) socket.destroy(errnoException(error, 'read'));
}

Socket.prototype._read = function (n) {
  if (this.connecting || !this._handle) {
    this.once('connect', () => this._read(n));
  } else if (!this._handle.reading) {
    tryReadStart(this);
  }
};

function resumeUserBuffer(socket) {
  const user = socket[kUserBuffer];
  if (user === null || user.paused || socket.connecting || !socket._handle || socket._handle.reading) return;
  if (user.rest !== undefined && !user.deliver(socket, user.rest)) return;
  if (socket._handle) tryReadStart(socket);
}

Socket.prototype.pause = function () {
  if (this[kUserBuffer]) this[kUserBuffer].paused = true;
  if (this[kUserBuffer] && !this.connecting && this._handle?.reading) {
    this._handle.reading = false;
    if (!this.destroyed) {
      const error = this._handle.readStop();
      if (error < 0) this.destroy(errnoException(error, 'read'));
    }
  }
  return stream.Duplex.prototype.pause.call(this);
};

Socket.prototype.resume = function () {
  if (this[kUserBuffer]) this[kUserBuffer].paused = false;
  resumeUserBuffer(this);
  return stream.Duplex.prototype.resume.call(this);
};

Socket.prototype.read = function (n) {
  resumeUserBuffer(this);
  return stream.Duplex.prototype.read.call(this, n);
};

// --- time-outs and options -----------------------------------------------------------------------------------------

Socket.prototype.setTimeout = setStreamTimeout;

Socket.prototype._onTimeout = function () {
  const handle = this._handle;
  const last = this[kLastWriteQueueSize];
  if (last > 0 && handle) {
    // A slow write that makes progress is no silence.
    const now = handle.writeQueueSize;
    if (last !== now) {
      this[kLastWriteQueueSize] = now;
      this._unrefTimer();
      return;
    }
  }
  this.emit('timeout');
};

Socket.prototype.setNoDelay = function (enable) {
  const value = enable === undefined ? true : Boolean(enable);
  if (!this._handle) {
    this[kSetNoDelay] = value;
    return this;
  }
  if (this._handle.setNoDelay && value !== this[kSetNoDelay]) {
    this[kSetNoDelay] = value;
    this._handle.setNoDelay(value);
  }
  return this;
};

Socket.prototype.setKeepAlive = function (enable, initialDelayMs) {
  const value = Boolean(enable);
  const delay = ~~(initialDelayMs / 1000);
  if (!this._handle) {
    this[kSetKeepAlive] = value;
    this[kKeepAliveDelay] = delay;
    return this;
  }
  if (!this._handle.setKeepAlive) return this;
  if (value !== this[kSetKeepAlive] || (value && this[kKeepAliveDelay] !== delay)) {
    this[kSetKeepAlive] = value;
    this[kKeepAliveDelay] = delay;
    this._handle.setKeepAlive(value, delay);
  }
  return this;
};

/** The options set before there was a connection. */
function applyOptions(socket) {
  const handle = socket._handle;
  if (socket[kSetNoDelay] && handle.setNoDelay) handle.setNoDelay(true);
  if (socket[kSetKeepAlive] && handle.setKeepAlive) handle.setKeepAlive(true, socket[kKeepAliveDelay]);
}

Socket.prototype.ref = function () {
  if (!this._handle) {
    this.once('connect', this.ref);
    return this;
  }
  if (typeof this._handle.ref === 'function') this._handle.ref();
  return this;
};

Socket.prototype.unref = function () {
  if (!this._handle) {
    this.once('connect', this.unref);
    return this;
  }
  if (typeof this._handle.unref === 'function') this._handle.unref();
  return this;
};

// --- names and numbers ---------------------------------------------------------------------------------------------

Socket.prototype.address = function () {
  return this._getsockname();
};

Socket.prototype._getpeername = function () {
  if (!this._handle || !this._handle.getpeername || this.connecting) return this._peername || {};
  if (!this._peername) {
    const out = {};
    if (this._handle.getpeername(out) < 0) return out;
    this._peername = out;
  }
  return this._peername;
};

Socket.prototype._getsockname = function () {
  if (!this._handle?.getsockname) return {};
  if (!this._sockname) {
    const out = {};
    this._handle.getsockname(out);
    this._sockname = out;
  }
  return this._sockname;
};

function define(name, get, enumerable = true) {
  Object.defineProperty(Socket.prototype, name, { __proto__: null, get, enumerable, configurable: name === 'pending' });
}

define('_connecting', function () { return this.connecting; }, false);
define('pending', function () { return !this._handle || this.connecting; }, false);
define('readyState', function () {
  if (this.connecting) return 'opening';
  if (this.readable && this.writable) return 'open';
  if (this.readable && !this.writable) return 'readOnly';
  if (!this.readable && this.writable) return 'writeOnly';
  return 'closed';
}, false);
define('bufferSize', function () {
  return this._handle ? this.writableLength : undefined;
}, false);
define('bytesRead', function bytesRead() {
  return this._handle ? this._handle.bytesRead : this[kBytesRead];
});
define('remoteAddress', function remoteAddress() { return this._getpeername().address; });
define('remoteFamily', function remoteFamily() { return this._getpeername().family; });
define('remotePort', function remotePort() { return this._getpeername().port; });
define('localAddress', function localAddress() { return this._getsockname().address; });
define('localPort', function localPort() { return this._getsockname().port; });
define('localFamily', function localFamily() { return this._getsockname().family; });
define('_bytesDispatched', function _bytesDispatched() {
  return this._handle ? this._handle.bytesWritten : this[kBytesWritten];
});

const sizeOf = (chunk, encoding) => (typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding) : chunk.length);

define('bytesWritten', function bytesWritten() {
  let bytes = this._bytesDispatched;
  const buffer = this.writableBuffer;
  if (!buffer) return undefined;
  for (const { chunk, encoding } of buffer) bytes += sizeOf(chunk, encoding);
  const pending = this._pendingData;
  if (Array.isArray(pending)) {
    for (const entry of pending) bytes += sizeOf(entry.chunk ?? entry, entry.encoding);
  } else if (pending) {
    bytes += sizeOf(pending, this._pendingEncoding);
  }
  return bytes;
});

// --- the end -------------------------------------------------------------------------------------------------------

Socket.prototype.resetAndDestroy = function () {
  if (!this._handle) {
    this.destroy(new ERR_SOCKET_CLOSED());
    return this;
  }
  if (!isTCP(this._handle)) throw new ERR_INVALID_HANDLE_TYPE();
  if (this.connecting) this.once('connect', () => this._reset());
  else this._reset();
  return this;
};

Socket.prototype._reset = function () {
  this[kReset] = true;
  return this.destroy();
};

function emitClose(socket) {
  socket.emit('close');
}

function closeHandle(socket, handle, hadError, callback, exception) {
  socket[kBytesRead] = handle.bytesRead;
  socket[kBytesWritten] = handle.bytesWritten;
  handle.onread = noop;
  const closed = () => socket.emit('close', hadError);
  if (socket[kReset]) {
    socket[kReset] = false;
    const error = handle.reset(closed);
    if (error < 0) {
      handle.close(closed);
      exception ??= errnoException(error, 'reset');
    }
  } else {
    handle.close(closed);
  }
  socket._handle = null;
  socket._sockname = null;
  callback(exception);
}

Socket.prototype._destroy = function (exception, callback) {
  this.connecting = false;
  for (let s = this; s; s = s._parent) clearStreamTimeout(s);
  if (this._handle) {
    closeHandle(this, this._handle, Boolean(exception), callback, exception);
  } else {
    callback(exception);
    process.nextTick(emitClose, this);
  }
  const server = this._server;
  if (server) {
    server._connections--;
    server._emitCloseIfDrained?.();
  }
};

// --- connecting ----------------------------------------------------------------------------------------------------

Socket.prototype.connect = function (...args) {
  const [options, callback] = takeArgs(args);
  const { path } = options;
  const pipe = Boolean(path);
  if (options.port === undefined && path == null) throw new ERR_MISSING_ARGS(['options', 'port', 'path']);
  if (this.write !== Socket.prototype.write) this.write = Socket.prototype.write;
  if (this.destroyed) {
    this._handle = null;
    this._peername = undefined;
    this._sockname = undefined;
    this._undestroy?.();
  }
  if (!this._handle) {
    this._handle = pipe ? createPipe() : createTCP();
    initSocketHandle(this);
  }
  if (callback !== null) this.once('connect', callback);
  this._unrefTimer();
  this.connecting = true;
  if (!options[kCarrier]) publish('net.client.socket', () => ({ socket: this }));
  if (pipe) {
    validateString(path, 'options.path');
    defaultTriggerAsyncIdScope(this[kAsyncId], lazyConnecting().connectPath, this, path);
  } else {
    defaultTriggerAsyncIdScope(this[kAsyncId], lazyConnecting().lookupAndConnect, this, options);
  }
  return this;
};

/** Takes another handle in place of the one that could not connect. */
function replaceHandle(socket, handle) {
  socket._handle?.close();
  socket._handle = handle;
  initSocketHandle(socket);
}

/** A connection stands, made by '#net/connect'. */
function connected(socket) {
  socket.connecting = false;
  socket._sockname = null;
  applyOptions(socket);
  socket._unrefTimer();
  socket.emit('connect');
  socket.emit('ready');
  if (socket.readable && !socket.isPaused()) socket.read(0);
}

function connect(...args) {
  const normalized = takeArgs(args);
  const [options] = normalized;
  const socket = new Socket(options);
  if (options.timeout) socket.setTimeout(options.timeout);
  return socket.connect(normalized);
}

module.exports = {
  Socket,
  connect,
  initSocketHandle,
  kCarrier,
  replaceHandle,
  connected,
  applyOptions,
  handleForFd,
  kSetNoDelay,
  kSetKeepAlive,
  kKeepAliveDelay,
};
