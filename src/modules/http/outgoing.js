'use strict';

// http.OutgoingMessage: what ServerResponse and ClientRequest have in common: header fields and framed writing.
//
// What a message hands over before it has a socket (a pipelined answer that waits for the one before it, a request
// whose connection is being made) is kept in `outputData`.

const EventEmitter = require('events');
const { Stream, getDefaultHighWaterMark } = require('stream');
const { Buffer } = require('buffer');
const {
  codes: {
    ERR_HTTP_BODY_NOT_ALLOWED,
    ERR_HTTP_CONTENT_LENGTH_MISMATCH,
    ERR_HTTP_HEADERS_SENT,
    ERR_INVALID_ARG_TYPE,
    ERR_INVALID_CHAR,
    ERR_METHOD_NOT_IMPLEMENTED,
    ERR_STREAM_ALREADY_FINISHED,
    ERR_STREAM_CANNOT_PIPE,
    ERR_STREAM_DESTROYED,
    ERR_STREAM_NULL_VALUES,
    ERR_STREAM_WRITE_AFTER_END,
  },
} = require('#internal/errors');
const { storeHeader, storeLines } = require('#http/outgoing_head');
const headerMethods = require('#http/outgoing_headers');
const {
  kBytesWritten,
  kChunkedBuffer,
  kChunkedLength,
  kClosed,
  kCorked,
  kDestroyed,
  kErrored,
  kExchange,
  kHighWaterMark,
  kLazyHead,
  kNeedDrain,
  kOutHeaders,
  kQuiet,
  kRejectNonStandardBodyWrites,
  kSocket,
  kUniqueHeaders,
} = require('#http/outgoing_symbols');
const { validateHeaderName } = require('#http/header_rules');

const crlfBuffer = '\r\n';

function nop() {}

/** @param {{ highWaterMark?: number, rejectNonStandardBodyWrites?: boolean }} [options] */
function OutgoingMessage(options) {
  Stream.call(this);
  this.outputData = [];
  this.outputSize = 0;
  this.writable = true;
  this[kDestroyed] = false;
  this._last = false;
  this.chunkedEncoding = false;
  this.shouldKeepAlive = true;
  this.maxRequestsOnConnectionReached = false;
  this._defaultKeepAlive = true;
  this.useChunkedEncodingByDefault = true;
  this.sendDate = false;
  this._removedConnection = false;
  this._removedContLen = false;
  this._removedTE = false;
  this.strictContentLength = false;
  this._contentLength = null;
  this._hasBody = true;
  this._trailer = '';
  this[kNeedDrain] = false;
  this.finished = false;
  this._headerSent = false;
  this[kBytesWritten] = 0;
  this[kCorked] = 0;
  this[kChunkedBuffer] = null;
  this[kChunkedLength] = 0;
  this[kClosed] = false;
  this[kSocket] = null;
  this._header = null;
  this[kOutHeaders] = null;
  this._keepAliveTimeout = 0;
  this._onPendingData = nop;
  this[kErrored] = null;
  this[kHighWaterMark] = options?.highWaterMark ?? getDefaultHighWaterMark();
  this[kRejectNonStandardBodyWrites] = options?.rejectNonStandardBodyWrites ?? false;
}
Object.setPrototypeOf(OutgoingMessage.prototype, Stream.prototype);
Object.setPrototypeOf(OutgoingMessage, Stream);

function accessor(name, get, set, enumerable = false) {
  Object.defineProperty(OutgoingMessage.prototype, name, { __proto__: null, configurable: true, enumerable, get, set });
}

// An answer that ended while nobody listened (kQuiet) is finished, closed and destroyed once its turn is over.
let turns;
function isOver(message) {
  const quiet = message[kQuiet];
  return quiet > 0 && quiet !== (turns ??= binding('http').turnFields())[1];
}
accessor('destroyed', function () {
  return this[kDestroyed] === true || isOver(this);
}, function (value) {
  this[kDestroyed] = value;
}, true);
accessor('_closed', function () {
  return this[kClosed] === true || isOver(this);
}, function (value) {
  this[kClosed] = value;
});

accessor('errored', function () { return this[kErrored]; });
accessor('closed', function () { return this._closed; });
/** What the connection under a message has not written yet. */
function pendingOf(message) {
  const socket = message[kSocket];
  if (socket) return socket.writableLength;
  const exchange = message[kExchange];
  return exchange !== undefined && exchange.current === message ? exchange.writeQueueSize : 0;
}

accessor('writableFinished', function () {
  return this.finished && this.outputSize === 0 && pendingOf(this) === 0;
});
accessor('writableObjectMode', () => false);
accessor('writableLength', function () {
  return this.outputSize + this[kChunkedLength] + pendingOf(this);
});
accessor('writableHighWaterMark', function () {
  return this[kSocket] ? this[kSocket].writableHighWaterMark : this[kHighWaterMark];
});
accessor('writableCorked', function () { return this[kCorked]; });
accessor('writableEnded', function () { return this.finished; });
accessor('writableNeedDrain', function () {
  return !this.destroyed && !this.finished && this[kNeedDrain];
});
accessor('headersSent', function () { return Boolean(this._header); }, undefined, true);
accessor('socket', function () {
  const exchange = this[kExchange];
  if (exchange === undefined || this[kSocket] !== null) return this[kSocket];
  return this._closed ? null : exchange.getSocket();
}, function (socket) {
  for (let n = 0; n < this[kCorked]; n++) {
    socket?.cork();
    this[kSocket]?.uncork();
  }
  this[kSocket] = socket;
});
accessor('connection', function () { return this.socket; }, function (socket) { this.socket = socket; });
Object.assign(OutgoingMessage.prototype, headerMethods.methods);

OutgoingMessage.prototype._renderHeaders = function _renderHeaders() {
  if (this._header) throw new ERR_HTTP_HEADERS_SENT('render');
  const stored = this[kOutHeaders];
  const headers = {};
  if (stored !== null) {
    for (const key of Object.keys(stored)) headers[stored[key][0]] = stored[key][1];
  }
  return headers;
};

/** What is corked with a message. */
function socketToCork(message) {
  const exchange = message[kExchange];
  return exchange !== undefined && exchange.current === message ? exchange.netSocket : message[kSocket];
}

OutgoingMessage.prototype.cork = function cork() {
  this[kCorked]++;
  socketToCork(this)?.cork();
};

OutgoingMessage.prototype.uncork = function uncork() {
  this[kCorked]--;
  socketToCork(this)?.uncork();
  if (this[kCorked] || !this[kChunkedBuffer]?.length) return;
  const pieces = this[kChunkedBuffer];
  this._send(this[kChunkedLength].toString(16), 'latin1', null);
  this._send(crlfBuffer, 'latin1', null);
  const callbacks = [];
  for (const { data, encoding, callback } of pieces) {
    this._send(data, encoding, null);
    if (callback) callbacks.push(callback);
  }
  this._send(crlfBuffer, 'latin1', callbacks.length === 0 ? null : (error) => {
    for (const callback of callbacks) callback(error);
  });
  this[kChunkedBuffer] = null;
  this[kChunkedLength] = 0;
};

OutgoingMessage.prototype.setTimeout = function setTimeout(msecs, callback) {
  if (callback) this.on('timeout', callback);
  if (this[kExchange] !== undefined) {
    this[kExchange].getSocket().setTimeout(msecs);
  } else if (!this[kSocket]) {
    this.once('socket', function socketSetTimeoutOnConnect(socket) {
      socket.setTimeout(msecs);
    });
  } else {
    this[kSocket].setTimeout(msecs);
  }
  return this;
};

OutgoingMessage.prototype.destroy = function destroy(error) {
  if (this.destroyed) return this;
  this.destroyed = true;
  this[kErrored] = error;
  if (this[kSocket]) {
    this[kSocket].destroy(error);
  } else if (this[kExchange] !== undefined) {
    this[kExchange].destroyFor(this, error);
  } else {
    this.once('socket', function socketDestroyOnConnect(socket) {
      socket.destroy(error);
    });
  }
  return this;
};

/** Sends data, with the head before it if that has not gone yet, in one piece if it can. */
OutgoingMessage.prototype._send = function _send(data, encoding, callback, byteLength) {
  if (!this._headerSent) {
    if (this[kLazyHead]) completeLazyHead(this);
    const header = this._header ?? '';
    if (typeof data === 'string' && (encoding === 'utf8' || encoding === 'latin1' || !encoding)) {
      data = header + data;
    } else {
      this.outputData.unshift({ data: header, encoding: 'latin1', callback: null });
      this.outputSize += header.length;
      this._onPendingData(header.length);
    }
    this._headerSent = true;
  }
  return this._writeRaw(data, encoding, callback, byteLength);
};

/** The head that writeHead() left unfinished, since end() mostly follows at once. */
function completeLazyHead(message) {
  const { hasLength } = message[kLazyHead];
  message[kLazyHead] = null;
  storeLines(message, message._header, hasLength);
}

OutgoingMessage.prototype._writeRaw = function _writeRaw(data, encoding, callback, size) {
  const exchange = this[kExchange];
  if (exchange !== undefined) return exchange.writeFor(this, data, encoding, callback);
  const socket = this[kSocket];
  if (socket?.destroyed) return false;
  if (typeof encoding === 'function') {
    callback = encoding;
    encoding = null;
  }
  if (socket && socket._httpMessage === this && socket.writable) {
    if (this.outputData.length) this._flushOutput(socket);
    return socket.write(data, encoding, callback);
  }
  this.outputData.push({ data, encoding, callback });
  this.outputSize += data.length;
  this._onPendingData(data.length);
  return this.outputSize < this[kHighWaterMark];
};

OutgoingMessage.prototype._storeHeader = function _storeHeader(firstLine, headers) {
  storeHeader(this, firstLine, headers);
};

OutgoingMessage.prototype._implicitHeader = function _implicitHeader() {
  throw new ERR_METHOD_NOT_IMPLEMENTED('_implicitHeader()');
};

// --- writing --------------------------------------------------------------------------------------------------------

function emitErrorNT(message, error, callback) {
  callback(error);
  if (typeof message.emit === 'function' && !message.destroyed) message.emit('error', error);
}

function reportError(message, error, callback) {
  process.nextTick(emitErrorNT, message, error, callback);
}

function refuseWrite(message, error, callback) {
  if (!message.destroyed) reportError(message, error, callback);
  else process.nextTick(callback, error);
  return false;
}

function uncorkNT(socket) {
  socket.uncork();
}

function lengthOf(chunk, encoding) {
  return typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding) : chunk.byteLength;
}

function isUint8Array(value) {
  return value instanceof Uint8Array || ArrayBuffer.isView(value) &&
    Object.prototype.toString.call(value) === '[object Uint8Array]';
}

function checkChunk(chunk) {
  if (chunk === null) throw new ERR_STREAM_NULL_VALUES();
  if (typeof chunk !== 'string' && !isUint8Array(chunk)) {
    throw new ERR_INVALID_ARG_TYPE('chunk', ['string', 'Buffer', 'Uint8Array'], chunk);
  }
}

/** With strictContentLength, what is written must be what was announced. */
function checkContentLength(message, length, fromEnd) {
  if (!message.strictContentLength || !message._hasBody) return;
  const announced = message._contentLength;
  if (typeof announced !== 'number' || message._removedContLen || message.chunkedEncoding) return;
  const written = message[kBytesWritten] + length;
  if (fromEnd ? written !== announced : written > announced) {
    throw new ERR_HTTP_CONTENT_LENGTH_MISMATCH(written, announced);
  }
}

function writeChunk(message, chunk, encoding, callback, length) {
  if (message[kCorked] && message._headerSent) {
    (message[kChunkedBuffer] ??= []).push({ data: chunk, encoding, callback });
    message[kChunkedLength] += length;
    return message[kChunkedLength] < message[kHighWaterMark];
  }
  message._send(length.toString(16), 'latin1', null);
  message._send(crlfBuffer, 'latin1', null);
  const more = message._send(chunk, encoding, null, length);
  return message._send(crlfBuffer, 'latin1', callback) && more;
}

function write_(message, chunk, encoding, callback, fromEnd) {
  if (typeof callback !== 'function') callback = nop;
  checkChunk(chunk);
  if (message.finished) return refuseWrite(message, new ERR_STREAM_WRITE_AFTER_END(), callback);
  if (message.destroyed) return refuseWrite(message, new ERR_STREAM_DESTROYED('write'), callback);

  const length = lengthOf(chunk, encoding);
  if (!message._header) {
    if (fromEnd) message._contentLength = length;
    message._implicitHeader();
  }
  if (message[kLazyHead]) completeLazyHead(message);
  checkContentLength(message, length, fromEnd);
  message[kBytesWritten] += length;

  if (!message._hasBody) {
    if (message[kRejectNonStandardBodyWrites]) throw new ERR_HTTP_BODY_NOT_ALLOWED();
    process.nextTick(callback);
    return true;
  }
  const socket = message[kSocket];
  if (!fromEnd && socket && !socket.writableCorked) {
    socket.cork();
    process.nextTick(uncorkNT, socket);
  }
  const more = message.chunkedEncoding && length !== 0
    ? writeChunk(message, chunk, encoding, callback, length)
    : message._send(chunk, encoding, callback, length);
  if (!more) message[kNeedDrain] = true;
  return more;
}

OutgoingMessage.prototype.write = function write(chunk, encoding, callback) {
  if (typeof encoding === 'function') {
    callback = encoding;
    encoding = null;
  }
  return write_(this, chunk, encoding, callback, false);
};

OutgoingMessage.prototype.addTrailers = function addTrailers(headers) {
  this._trailer = '';
  const isArray = Array.isArray(headers);
  for (const key of Object.keys(headers)) {
    const [field, value] = isArray ? headers[key] : [key, headers[key]];
    validateHeaderName(field, 'Trailer name');
    const values = Array.isArray(value) && value.length > 1 && !this[kUniqueHeaders]?.has(field.toLowerCase())
      ? value
      : [Array.isArray(value) ? value.join('; ') : value];
    for (const one of values) {
      if (headerMethods.hasInvalidChar(one)) throw new ERR_INVALID_CHAR('trailer content', field);
      this._trailer += `${field}: ${one}\r\n`;
    }
  }
};

function onFinish(message) {
  if (message[kSocket]?._hadError) return;
  if (message[kExchange] !== undefined) message._tellFinished();
  else message.emit('finish');
}

function endTwice(message, callback) {
  if (typeof callback !== 'function') return;
  if (!message.writableFinished) message.on('finish', callback);
  else callback(new ERR_STREAM_ALREADY_FINISHED('end'));
}

function sendEnd(message, hadChunk) {
  const finish = onFinish.bind(undefined, message);
  if (message._hasBody && message.chunkedEncoding) {
    message._send(`0\r\n${message._trailer}\r\n`, 'latin1', finish);
  } else if (!message._headerSent || message.writableLength || hadChunk) {
    message._send('', 'latin1', finish);
  } else {
    process.nextTick(finish);
  }
}

OutgoingMessage.prototype.end = function end(chunk, encoding, callback) {
  const exchange = this[kExchange];
  if (exchange !== undefined && callback === undefined && exchange.answerFast(this, chunk, encoding)) return this;
  if (typeof chunk === 'function') {
    callback = chunk;
    chunk = null;
    encoding = null;
  } else if (typeof encoding === 'function') {
    callback = encoding;
    encoding = null;
  }
  const socket = this[kSocket];
  if (chunk) {
    if (this.finished) {
      reportError(this, new ERR_STREAM_WRITE_AFTER_END(), typeof callback !== 'function' ? nop : callback);
      return this;
    }
    socket?.cork();
    write_(this, chunk, encoding, null, true);
  } else if (this.finished) {
    endTwice(this, callback);
    return this;
  } else if (!this._header) {
    socket?.cork();
    this._contentLength = 0;
    this._implicitHeader();
  }
  if (this[kLazyHead]) completeLazyHead(this);
  if (typeof callback === 'function') this.once('finish', callback);
  if (!chunk) checkContentLength(this, 0, true);
  // What was corked as one chunk goes before the last chunk.
  if (this[kCorked] && this[kChunkedBuffer]?.length) {
    this[kCorked] = 1;
    this.uncork();
    socketToCork(this)?.cork();
  }
  sendEnd(this, Boolean(chunk));

  const after = this[kCorked] ? socketToCork(this) : this[kSocket];
  if (after) {
    // Everything that end() and the user corked goes now.
    after._writableState.corked = 1;
    after.uncork();
  }
  this[kCorked] = 0;
  this.finished = true;
  if (this.outputData.length === 0) {
    if (exchange !== undefined ? exchange.current === this : after && after._httpMessage === this) this._finish();
  }
  return this;
};

/** All of it is handed over to the socket. */
OutgoingMessage.prototype._finish = function _finish() {
  this.emit('prefinish');
};

/** Called when the socket is assigned, or drained: sends what waited. */
OutgoingMessage.prototype._flush = function _flush() {
  const socket = this[kSocket];
  if (!socket || !socket.writable) return;
  const more = this._flushOutput(socket);
  if (this.finished) {
    this._finish();
  } else if (more && this[kNeedDrain]) {
    this[kNeedDrain] = false;
    this.emit('drain');
  }
};

OutgoingMessage.prototype._flushOutput = function _flushOutput(socket) {
  const { outputData } = this;
  if (outputData.length <= 0) return undefined;
  let more;
  socket.cork();
  for (let n = 0; n < this[kCorked]; n++) socket.cork();
  for (const { data, encoding, callback } of outputData) more = socket.write(data, encoding, callback);
  for (let n = 0; n < this[kCorked]; n++) socket.uncork();
  socket.uncork();
  this.outputData = [];
  this._onPendingData(-this.outputSize);
  this.outputSize = 0;
  return more;
};

OutgoingMessage.prototype.flushHeaders = function flushHeaders() {
  if (!this._header) this._implicitHeader();
  this._send('');
};

OutgoingMessage.prototype.pipe = function pipe() {
  this.emit('error', new ERR_STREAM_CANNOT_PIPE());
};

OutgoingMessage.prototype[EventEmitter.captureRejectionSymbol] = function (error) {
  this.destroy(error);
};

module.exports = {
  OutgoingMessage,
  kHighWaterMark,
  kUniqueHeaders,
};
