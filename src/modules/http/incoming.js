'use strict';

// http.IncomingMessage: a request as a server sees it, or an answer as a client sees it.
//
// Header objects are made when first read. A request that the native server core hands over has no stream state either
// until somebody asks for it: `_readableState`, `socket` and `rawHeaders` are accessors of the prototype, which keep
// working when a framework puts an object of its own between a request and this prototype.

const { Readable, finished } = require('stream');
const { addDistinct, joinHeader } = require('#http/header_rules');
const { kExchange, kQuiet } = require('#http/outgoing_symbols');

const kSocket = Symbol('kSocket');
const kRawHeaders = Symbol('kRawHeaders');
const kHeaders = Symbol('kHeaders');
const kHeadersDistinct = Symbol('kHeadersDistinct');
const kHeadersCount = Symbol('kHeadersCount');
const kTrailers = Symbol('kTrailers');
const kTrailersDistinct = Symbol('kTrailersDistinct');
const kTrailersCount = Symbol('kTrailersCount');

function readStart(socket) {
  if (socket && !socket._paused && socket.readable) socket.resume();
}

function readStop(socket) {
  if (socket) socket.pause();
}

/** @param {import('net').Socket | null} socket */
function IncomingMessage(socket) {
  Readable.call(this, socket ? { highWaterMark: socket.readableHighWaterMark } : undefined);
  this._readableState.readingMore = true;
  this[kSocket] = socket;
  // The library `request` looks for a property of its own to tell an answer over TLS.
  defineOwn(this, 'socket', socket);
  this.httpVersionMajor = null;
  this.httpVersionMinor = null;
  this.httpVersion = null;
  this.complete = false;
  this[kRawHeaders] = [];
  this.rawTrailers = [];
  this.joinDuplicateHeaders = false;
  this.aborted = false;
  this.upgrade = null;
  this.url = '';
  this.method = null;
  this.statusCode = null;
  this.statusMessage = null;
  this._consuming = false;
  this._dumped = false;
  this[kHeaders] = null;
  this[kHeadersCount] = 0;
  this[kTrailers] = null;
  this[kTrailersCount] = 0;
}
Object.setPrototypeOf(IncomingMessage.prototype, Readable.prototype);
Object.setPrototypeOf(IncomingMessage, Readable);

function accessor(name, get, set, enumerable = false) {
  Object.defineProperty(IncomingMessage.prototype, name, { __proto__: null, configurable: true, enumerable, get, set });
}

function defineOwn(object, name, value) {
  Object.defineProperty(object, name, { __proto__: null, configurable: true, enumerable: true, writable: true, value });
}

accessor('_readableState', function () {
  const exchange = this[kExchange];
  return exchange === undefined ? undefined : exchange.makeStreamState(this);
}, function (state) {
  defineOwn(this, '_readableState', state);
});

function getSocket() {
  const socket = this[kSocket];
  if (socket !== undefined) return socket;
  const exchange = this[kExchange];
  return exchange === undefined ? undefined : (this[kSocket] = exchange.getSocket());
}

function setSocket(socket) {
  this[kSocket] = socket;
}

accessor('socket', getSocket, setSocket);
accessor('client', getSocket, setSocket);
accessor('connection', function () { return this.socket; }, function (socket) { this.socket = socket; });

accessor('rawHeaders', function () {
  const raw = this[kRawHeaders];
  if (raw !== undefined) return raw;
  const exchange = this[kExchange];
  return exchange === undefined ? undefined : (this[kRawHeaders] = exchange.rawHeaders(this));
}, function (raw) {
  this[kRawHeaders] = raw;
});

/** message.headers of the first `count` names and values in `raw`. */
function makeHeaders(message, raw, count) {
  const headers = {};
  for (let i = 0; i < count; i += 2) message._addHeaderLine(raw[i], raw[i + 1], headers);
  return headers;
}

accessor('headers', function () {
  if (!this[kHeaders]) {
    const exchange = this[kExchange];
    this[kHeaders] = exchange !== undefined && this[kHeadersCount] === undefined
      ? exchange.headersOf(this)
      : makeHeaders(this, this.rawHeaders, this[kHeadersCount] ?? 0);
  }
  return this[kHeaders];
}, function (headers) {
  this[kHeaders] = headers;
});

accessor('headersDistinct', function () {
  if (!this[kHeadersDistinct]) {
    const headers = (this[kHeadersDistinct] = {});
    const raw = this.rawHeaders;
    const count = this[kHeadersCount] ?? Math.min(raw.length, this[kExchange]?.maxHeaderPairs || Infinity);
    for (let i = 0; i < count; i += 2) addDistinct(headers, raw[i], raw[i + 1]);
  }
  return this[kHeadersDistinct];
}, function (headers) {
  this[kHeadersDistinct] = headers;
});

accessor('trailers', function () {
  if (!this[kTrailers]) {
    const trailers = (this[kTrailers] = {});
    const raw = this.rawTrailers;
    const count = this[kTrailersCount] ?? 0;
    for (let i = 0; i < count; i += 2) this._addHeaderLine(raw[i], raw[i + 1], trailers);
  }
  return this[kTrailers];
}, function (trailers) {
  this[kTrailers] = trailers;
});

accessor('trailersDistinct', function () {
  if (!this[kTrailersDistinct]) {
    const trailers = (this[kTrailersDistinct] = {});
    const raw = this.rawTrailers;
    const count = this[kTrailersCount] ?? 0;
    for (let i = 0; i < count; i += 2) addDistinct(trailers, raw[i], raw[i + 1]);
  }
  return this[kTrailersDistinct];
}, function (trailers) {
  this[kTrailersDistinct] = trailers;
});

// A request of the native core that nobody listened to when its answer ended: see makeStreamState in native_server.js.
for (const name of ['on', 'addListener', 'prependListener']) {
  const inherited = Readable.prototype[name];
  const listen = {
    [name](event, listener) {
      if (this[kQuiet] > 0) void this._readableState;
      return Reflect.apply(inherited, this, [event, listener]);
    },
  }[name];
  Object.defineProperty(IncomingMessage.prototype, name, {
    __proto__: null,
    configurable: true,
    writable: true,
    value: listen,
  });
}

IncomingMessage.prototype.setTimeout = function setTimeout(msecs, callback) {
  if (callback) this.on('timeout', callback);
  this.socket.setTimeout(msecs);
  return this;
};

IncomingMessage.prototype._read = function _read() {
  if (!this._consuming) {
    this._readableState.readingMore = false;
    this._consuming = true;
  }
  const exchange = this[kExchange];
  if (exchange !== undefined) exchange.readStart();
  else if (this.socket.readable) readStart(this.socket);
};

function hasErrorListener(message) {
  return message.listenerCount('error') > 0;
}

/** An error goes to those who listen, and to nobody else: an aborted request ends no process. */
function finishDestroy(message, error, callback) {
  if (error && hasErrorListener(message)) callback(error);
  else callback();
}

IncomingMessage.prototype._destroy = function _destroy(error, callback) {
  if (!this.readableEnded || !this.complete) {
    this.aborted = true;
    this.emit('aborted');
  }
  const { socket } = this;
  if (!this.aborted || !socket || socket.destroyed) {
    process.nextTick(finishDestroy, this, error, callback);
    return;
  }
  socket.destroy(error);
  const cleanup = finished(socket, (failure) => {
    if (failure?.code === 'ERR_STREAM_PREMATURE_CLOSE') failure = null;
    cleanup();
    process.nextTick(finishDestroy, this, failure || error, callback);
  });
};

IncomingMessage.prototype._addHeaderLines = function _addHeaderLines(headers, count) {
  if (!headers?.length) return;
  let target;
  if (this.complete) {
    this.rawTrailers = headers;
    this[kTrailersCount] = count;
    target = this[kTrailers];
  } else {
    this[kRawHeaders] = headers;
    this[kHeadersCount] = count;
    target = this[kHeaders];
  }
  if (target) {
    for (let i = 0; i < count; i += 2) this._addHeaderLine(headers[i], headers[i + 1], target);
  }
};

IncomingMessage.prototype._addHeaderLine = function _addHeaderLine(field, value, target) {
  joinHeader(target, field, value, this.joinDuplicateHeaders);
};

IncomingMessage.prototype._addHeaderLineDistinct = function _addHeaderLineDistinct(field, value, target) {
  addDistinct(target, field, value);
};

/** Reads and forgets what nobody wants to read. */
IncomingMessage.prototype._dump = function _dump() {
  if (!this._dumped) {
    this._dumped = true;
    // What is buffered must not reach those who listened.
    this.removeAllListeners('data');
    this.resume();
  }
};

/** Closes the readable side without waiting for the rest of the body. */
IncomingMessage.prototype._dumpAndCloseReadable = function _dumpAndCloseReadable() {
  if (this._dumped) return;
  void this._readableState; // made before it counts as dumped
  this._dumped = true;
  this._readableState.ended = true;
  this._readableState.endEmitted = true;
  this._readableState.destroyed = true;
  this._readableState.closed = true;
  this._readableState.closeEmitted = true;
};


module.exports = {
  IncomingMessage,
  kExchange,
  kHeaders,
  kHeadersCount,
  kRawHeaders,
  kSocket,
  makeHeaders,
  readStart,
  readStop,
};
