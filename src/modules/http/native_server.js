'use strict';

// The JavaScript half of the native server core: what an http.Server does with connections that the core owns.
//
// An HttpConnection (native) stands for one connection. Its fields here: `server`; `current`, the answer whose turn it
// is; `queue`, answers to pipelined requests behind it; `receiving`, the request whose body comes in; `netSocket`, the
// net.Socket that programs see, made when somebody looks; `pending`, see setDirect. docs/http.md tells the whole.

const native = binding('http');
const { HttpConnection, NativeServer } = native;
const { Readable } = require('stream');
const { Buffer } = require('buffer');
const {
  ConnResetException,
  codes: { ERR_HTTP_REQUEST_TIMEOUT },
} = require('#internal/errors');
const { IncomingMessage, kHeaders, kHeadersCount, kRawHeaders, kSocket: kRequestSocket, makeHeaders } =
  require('#http/incoming');
const { lenientFlags, getMaxHeaderSize, kIncomingMessage } = require('#http/common');
const { ServerResponse } = require('#http/server_response');
const { NativeResponse, answerFast, getTurns } = require('#http/native_response');
const { hasHttpObserver } = require('#http/observer');
const { kExchange, kFromCore, kNeedDrain, kQuiet } = require('#http/outgoing_symbols');
const {
  answerForError,
  connectionListener,
  diagnostics,
  dispatchRequest,
  emitCloseNT,
  kOptimizeEmptyRequests,
  kServerResponse,
  socketOnError,
  socketOnTimeout,
} = require('#http/server_connection');

const kNative = Symbol('http.server.native');
const kDirect = Symbol('http.server.direct');
const kBlock = Symbol('kBlock');
const kStream = Symbol('kStream');

// What the core says of a request; the same constants stand in native_server.cc.
const kKeepAlive = 1;
const kUpgrade = 2;
const kHasBody = 4;
const kHasHost = 8;
const kHasExpect = 16;
const kHttp10 = 32;
const kBodyFields = 64;

const kHighWaterMark = 64 * 1024;
/** So many answers to pipelined requests may wait for the one before them. */
const kMostWaiting = 256;

// --- which connections the core gets --------------------------------------------------------------------------------

const kServe = 0;
const kToJavaScript = 1;
const kServeAndTell = 3;

/** Whether the core can do all that this server asks of its connections. */
function isPlain(server) {
  return !server.pauseOnConnect && !server.blockList &&
    (server.maxConnections == null || server._connections < server.maxConnections) &&
    server[kIncomingMessage] === IncomingMessage && server[kServerResponse] === ServerResponse;
}

function configure(core, server) {
  const { keepAliveTimeout, keepAliveTimeoutBuffer, maxHeaderSize } = server;
  if (core.keepAliveTimeout === keepAliveTimeout && core.buffer === keepAliveTimeoutBuffer) return;
  core.keepAliveTimeout = keepAliveTimeout;
  core.buffer = keepAliveTimeoutBuffer;
  const idle = keepAliveTimeout > 0 ? keepAliveTimeout + (keepAliveTimeoutBuffer ?? 1000) : 0;
  core.configure(maxHeaderSize || getMaxHeaderSize(), lenientFlags(server.insecureHTTPParser), server.noDelay, idle,
    Math.floor(keepAliveTimeout / 1000), server.keepAlive, server.keepAliveInitialDelay);
}

function onAccept() {
  const server = this.owner;
  const listeners = server.listenerCount('connection');
  if (!isPlain(server) || !server.listeners('connection').includes(connectionListener)) return kToJavaScript;
  configure(this, server);
  server._connections++;
  return listeners === 1 && !server.timeout ? kServe : kServeAndTell;
}

/** Somebody listens to 'connection' beside us, or the server has a time-out for silence. */
function onConnection(connection) {
  const server = this.owner;
  initConnection(connection, server);
  const socket = connection.getSocket();
  if (server.timeout) {
    connection.timed = true;
    socket.setTimeout(server.timeout);
  }
  server.emit('connection', socket);
}

/** All answers are out: from here the core's idle time counts. */
function awaitNext(connection) {
  if (connection.current === null && connection.netSocket !== null && !connection.gone) {
    connection.netSocket.setTimeout(0);
  }
}

/** Something came or went: the silence that the socket's time-out measures is broken. */
function touch(connection) {
  if (connection.netSocket !== null) connection.netSocket._unrefTimer();
}

let registered = false;

/** Lets the core have the connections of a server that listens. */
function attach(server) {
  if (!registered) {
    registered = true;
    native.setServerCallbacks([onAccept, onConnection, onRequest, onBody, onRequestEnd, onUpgrade, onParseError, onRaw, onPeerEnd,
      onError, onDrained, onIdle, onClosed]);
  }
  let core = server[kNative];
  if (!core) {
    core = new NativeServer(server);
    core.owner = server;
    core.direct = server[kDirect] ?? null;
    core.keepAliveTimeout = -1;
    core.buffer = -1;
  }
  // A server may listen again, on another handle.
  if (core.attach(server._handle)) server[kNative] = core;
}

function detach(server) {
  const core = server[kNative];
  if (!core) return;
  if (server._handle) core.detach(server._handle);
}

// --- requests -------------------------------------------------------------------------------------------------------

/** A request with the least that it needs; the rest is made by the accessors of IncomingMessage.prototype. */
function NativeRequest(connection, method, url, block, minor) {
  this[kExchange] = connection;
  this[kRequestSocket] = undefined;
  this[kBlock] = block;
  this[kRawHeaders] = undefined;
  this[kHeaders] = null;
  this[kHeadersCount] = undefined;
  this[kStream] = false;
  this[kQuiet] = 0;
  this.httpVersionMajor = 1;
  this.httpVersionMinor = minor;
  this.httpVersion = minor === 1 ? '1.1' : '1.0';
  this.complete = false;
  this.rawTrailers = [];
  this.joinDuplicateHeaders = connection.server.joinDuplicateHeaders;
  this.aborted = false;
  this.upgrade = false;
  this.url = url;
  this.method = method;
  this.statusCode = null;
  this.statusMessage = null;
  this._consuming = false;
  this._dumped = false;
}
NativeRequest.prototype = IncomingMessage.prototype;

function initConnection(connection, server) {
  connection.server = server;
  connection.current = null;
  connection.queue = null;
  connection.receiving = null;
  connection.pending = null;
  connection.ending = null;
  connection.netSocket = null;
  connection.requestsCount = 0;
  connection.queuedBytes = 0;
  connection.bodyPaused = false;
  connection.outputPaused = false;
  connection.callbacks = null;
  connection.callbacksScheduled = false;
  connection.closing = false;
  connection.gone = false;
  connection.detached = false;
  connection.refusing = false;
  connection.timed = false;
  connection.memoBlock = undefined;
  connection.memoRaw = undefined;
  connection.memoHeaders = null;
  connection.maxHeaderPairs = typeof server.maxHeadersCount === 'number' ? server.maxHeadersCount << 1 : 2000;
}

/**
 * Has simple requests, those without a body or anything else of their own, told to `direct.onRequest(connection, method,
 * url, block)` instead of 'request', with nothing made for them. It answers with answerDirect() before it returns; or makes
 * the exchange with beginExchange(); or leaves something in `connection.pending`, with which direct.begin() is called, to do
 * so then, when anything else happens to the connection. For servers whose 'request' nobody else listens to, before they
 * listen.
 */
function setDirect(server, direct) {
  server[kDirect] = direct;
}

const kSimpleFlags = kKeepAlive | kUpgrade | kHasBody | kHasHost | kHasExpect | kHttp10;

function isDirect(core, connection, method, flags) {
  if (core.direct === null || (flags & kSimpleFlags) !== (kKeepAlive | kHasHost) || connection.current !== null ||
      connection.netSocket !== null || method === 'HEAD' || core.owner.maxRequestsPerSocket !== 0 || hasHttpObserver()) {
    return false;
  }
  const { requestStart, responseCreated, responseFinish } = diagnostics();
  return !requestStart.hasSubscribers && !responseCreated.hasSubscribers && !responseFinish.hasSubscribers;
}

/** The answer, and its `req`, to a request that came by setDirect(). @returns {NativeResponse} */
function beginExchange(connection, method, url, block) {
  const req = new NativeRequest(connection, method, url, block, 1);
  const res = new NativeResponse(connection, req, true);
  req.complete = true;
  if (connection.closing) abortExchange(connection, res);
  else connection.current = res;
  return res;
}

/** Before anything that may touch the exchange of a request that is pending. */
function settle(connection) {
  if (connection.pending !== null) connection.server[kDirect].begin(connection.pending);
}

function onRequest(connection, method, url, block, flags) {
  const server = this.owner;
  if (connection.server === undefined) initConnection(connection, server);
  settle(connection);
  if (isDirect(this, connection, method, flags)) {
    this.direct.onRequest(connection, method, url, block);
    return false;
  }
  const req = new NativeRequest(connection, method, url, block, (flags & kHttp10) === 0 ? 1 : 0);
  // Between requests the core's own time counts, see answerEnded.
  if (connection.timed) connection.netSocket.setTimeout(server.timeout || 0);
  else touch(connection);
  if ((flags & kUpgrade) !== 0) {
    req.upgrade = method === 'CONNECT' || Boolean(server.shouldUpgradeCallback(req));
    if (req.upgrade) {
      connection.receiving = req;
      return true;
    }
  }
  const res = new NativeResponse(connection, req, (flags & kKeepAlive) !== 0);
  if (connection.current === null) {
    connection.current = res;
  } else {
    (connection.queue ??= []).push(res);
    connection.checkOutput();
  }
  if ((flags & kHasBody) !== 0) connection.receiving = req;

  if (server[kOptimizeEmptyRequests] && (method === 'HEAD' || (flags & kBodyFields) === 0)) {
    req._dumpAndCloseReadable();
  }
  const { requestStart, responseCreated } = diagnostics();
  try {
    if ((flags & (kHasHost | kHasExpect | kHttp10)) === kHasHost && server.maxRequestsPerSocket === 0 &&
        !requestStart.hasSubscribers && !responseCreated.hasSubscribers) {
      server.emit('request', req, res);
    } else {
      dispatchRequest(server, connection, req, res);
    }
  } finally {
    // Also when a listener threw: somebody may catch it, and go on.
    if ((flags & kHasBody) === 0) {
      req.complete = true;
      if (req[kStream]) req.push(null);
    }
  }
  return false;
}

function onBody(connection, chunk) {
  const req = connection.receiving;
  touch(connection);
  if (req !== null && !req._dumped && !req.push(chunk)) connection.pauseBody();
}

function onRequestEnd(connection, trailers) {
  const req = connection.receiving;
  if (req === null) return;
  connection.receiving = null;
  connection.ending = new WeakRef(req);
  req.complete = true;
  if (trailers !== undefined) req._addHeaderLines(trailers, trailers.length);
  req.push(null);
}

// --- methods of HttpConnection that requests and answers call -------------------------------------------------------

const addHeaderLine = IncomingMessage.prototype._addHeaderLine;

const methods = {
  /** The ReadableState of a request, made when first asked for. */
  makeStreamState(req) {
    req[kStream] = true;
    const state = new Readable.ReadableState({ highWaterMark: kHighWaterMark }, req, false);
    state.readingMore = true;
    req._readableState = state;
    const quiet = req[kQuiet] === getTurns()[1];
    if (quiet) {
      req[kQuiet] = 0;
      if (req.complete) req.push(null);
      req.resume();
    } else if (req.complete || req.aborted || this.gone) {
      if (req._dumped || req.aborted || this.gone) {
        // It is over: nothing will be told any more.
        state.ended = true;
        state.endEmitted = req.complete;
        state.destroyed = true;
        state.closed = true;
        state.closeEmitted = true;
      } else {
        req.push(null);
      }
    }
    return state;
  },

  rawHeaders(req) {
    return this.parsedBlock(req[kBlock]).slice();
  },

  /** One client's requests often have the same header block: it is parsed once. */
  parsedBlock(block) {
    if (this.memoBlock !== block) {
      this.memoRaw = native.parseHeaderBlock(block);
      this.memoBlock = block;
      this.memoHeaders = null;
    }
    return this.memoRaw;
  },

  /** An object of the request's own. */
  headersOf(req) {
    const changed = req[kRawHeaders]; // somebody has them, and may have changed them
    const raw = changed ?? this.parsedBlock(req[kBlock]);
    const count = Math.min(raw.length, this.maxHeaderPairs || Infinity);
    if (changed !== undefined || req._addHeaderLine !== addHeaderLine) return makeHeaders(req, raw, count);
    this.memoHeaders ??= makeHeaders(req, raw, count);
    // The one field whose value is an array.
    if (this.memoHeaders['set-cookie'] !== undefined) return makeHeaders(req, raw, count);
    return { ...this.memoHeaders };
  },

  readStart() {
    if (!this.bodyPaused) return;
    this.bodyPaused = false;
    if (!this.outputPaused) this.resume();
    if (this.netSocket !== null) this.netSocket.resume();
  },

  pauseBody() {
    if (this.bodyPaused) return;
    this.bodyPaused = true;
    this.pause();
    if (this.netSocket !== null) this.netSocket.pause();
  },

  /** Answers that wait are bounded, in bytes and in number: with too many of them, no more requests are read. */
  checkOutput() {
    const waiting = this.queue === null ? 0 : this.queue.length;
    const full = this.queuedBytes + this.writeQueueSize >= kHighWaterMark ||
      waiting >= (this.outputPaused ? kMostWaiting / 2 : kMostWaiting);
    if (full === this.outputPaused) return;
    this.outputPaused = full;
    if (full) {
      this.pause();
      // It may go out at once, and then nobody else would look again.
      this.scheduleCallbacks();
    } else if (!this.bodyPaused) {
      this.resume();
    }
  },

  addQueued(delta) {
    this.queuedBytes += delta;
  },

  // --- output ---

  writeFor(res, data, encoding, callback) {
    if (typeof encoding === 'function') {
      callback = encoding;
      encoding = null;
    }
    if (this.closing) return false;
    if (this.current !== res) {
      res.outputData.push({ data, encoding, callback });
      res.outputSize += data.length;
      this.queuedBytes += data.length;
      this.checkOutput();
      return res.outputSize < kHighWaterMark;
    }
    if (res.outputData.length > 0) this.flushQueued(res);
    touch(this);
    if (this.writesThroughSocket()) return this.netSocket.write(data, encoding, callback);
    const pending = this.writeOne(data, encoding);
    if (callback) this.whenWritten(callback);
    if (pending < kHighWaterMark && !(data.length >= kHighWaterMark)) return true;
    this.checkOutput();
    this.scheduleCallbacks();
    return false;
  },

  /** A program that replaced write() of the socket is called for what answers write. */
  writesThroughSocket() {
    return this.netSocket !== null && Object.hasOwn(this.netSocket, 'write');
  },

  writeOne(data, encoding) {
    if (typeof data !== 'string') return this.write(data, false);
    switch (encoding) {
      case undefined:
      case null:
      case 'utf8':
      case 'utf-8':
        return this.write(data, false);
      case 'latin1':
      case 'binary':
      case 'ascii':
        return this.write(data, true);
      default:
        return this.write(Buffer.from(data, encoding), false);
    }
  },

  flushQueued(res) {
    const { outputData } = res;
    res.outputData = [];
    this.queuedBytes -= res.outputSize;
    res.outputSize = 0;
    const throughSocket = this.writesThroughSocket();
    for (const { data, encoding, callback } of outputData) {
      if (throughSocket) {
        this.netSocket.write(data, encoding, callback);
        continue;
      }
      this.writeOne(data, encoding);
      if (callback) this.whenWritten(callback);
    }
  },

  /** Calls back once the kernel has all that was written so far, at the earliest in the next tick. */
  whenWritten(callback) {
    (this.callbacks ??= []).push(callback);
    this.scheduleCallbacks();
  },

  scheduleCallbacks() {
    if (this.callbacksScheduled) return;
    this.callbacksScheduled = true;
    process.nextTick(runCallbacksNT, this);
  },

  answerFast,

  touch() {
    touch(this);
  },

  /** All of an answer is handed over: the next one's turn. `told`: the core knows. */
  answerEnded(res, told) {
    if (this.closing) return; // nobody gets it: the connection's end will abort it
    const { req } = res;
    const last = res._last;
    const { responseFinish } = diagnostics();
    if (responseFinish.hasSubscribers) {
      responseFinish.publish({ request: req, response: res, socket: this.socket, server: this.server });
    }
    this.current = null;
    // A body that nobody wants is read to its end, so that the next request is found.
    if (req[kStream] || req._events !== undefined) {
      if (!req._consuming) req._dump();
    } else {
      req._dumped = true;
      // Whoever begins to listen within this turn still hears of the end.
      req[kQuiet] = getTurns()[1];
      if (this.receiving === req && this.bodyPaused) this.readStart();
    }
    if (last) {
      dropQueue(this);
      if (this.netSocket !== null && !this.netSocket.destroyed) this.netSocket.end();
      if (!told) this.answerDone(true);
      return;
    }
    if (!told) this.answerDone(false);
    if (this.queue !== null && this.queue.length > 0) this.startNext();
    else if (this.timed) this.whenWritten(() => awaitNext(this));
  },

  startNext() {
    const next = this.queue.shift();
    this.current = next;
    if (next._events !== undefined && next.listenerCount('socket') > 0) next.emit('socket', this.getSocket());
    if (next.outputData.length > 0) this.flushQueued(next);
    if (next.finished) {
      next._finish();
    } else if (next[kNeedDrain]) {
      next[kNeedDrain] = false;
      next.emit('drain');
    }
    if (this.outputPaused) this.checkOutput();
  },

  /** The socket closed: requests without a whole answer are aborted, before the answers hear of it. */
  abortRequests() {
    if (this.current !== null) abortRequest(this.current.req);
    if (this.queue !== null) for (const res of this.queue) abortRequest(res.req);
    // A program may call the listeners of 'close' itself.
    if (!this.closing) this.netSocket.destroy();
  },

  /** res.destroy(): the connection goes. */
  destroyFor(res, error) {
    if (this.current !== res) {
      // Its turn comes first: the answers before it are still sent.
      if (!res.finished) res.once('socket', (socket) => socket.destroy(error));
      process.nextTick(emitCloseNT, res);
      return;
    }
    this.getSocket().destroy(error);
  },

  getSocket() {
    settle(this);
    if (this.netSocket === null) this.netSocket = require('#http/native_socket').makeSocket(this);
    return this.netSocket;
  },
};

for (const [name, value] of Object.entries(methods)) {
  Object.defineProperty(HttpConnection.prototype, name, { __proto__: null, value, writable: true, configurable: true });
}
Object.defineProperty(HttpConnection.prototype, 'socket', {
  __proto__: null,
  configurable: true,
  get() {
    return this.getSocket();
  },
});

/** Answers behind one that closes the connection are never sent. */
function dropQueue(connection) {
  const { queue } = connection;
  if (queue === null) return;
  connection.queue = null;
  for (const res of queue) abortExchange(connection, res);
}

function runCallbacksNT(connection) {
  connection.callbacksScheduled = false;
  if (!connection.gone) connection.flush();
  // Else the core tells when it is done.
  if (connection.writeQueueSize === 0) onDrained(connection);
}

function runCallbacks(connection) {
  const { callbacks } = connection;
  if (callbacks === null) return;
  connection.callbacks = null;
  for (const callback of callbacks) callback();
}

// --- events of the connection ---------------------------------------------------------------------------------------

function onDrained(connection) {
  if (connection.server === undefined) return;
  runCallbacks(connection);
  if (connection.outputPaused) connection.checkOutput();
  connection.netSocket?._handle?.onDrained?.();
  const { current } = connection;
  if (current !== null && !current.finished && current[kNeedDrain]) {
    current[kNeedDrain] = false;
    current.emit('drain');
  }
}

function onUpgrade(connection, rest) {
  const req = connection.receiving;
  connection.receiving = null;
  const { server } = connection;
  const event = req.method === 'CONNECT' ? 'connect' : 'upgrade';
  if (server.listenerCount(event) === 0) {
    connection.close();
    return;
  }
  const { socket, head } = require('#http/native_socket').takeSocket(connection, rest);
  if (socket === null) return;
  req.socket = socket;
  server.emit(event, req, socket, head);
}

function onParseError(connection, code, reason, bytesParsed, rawPacket) {
  if (connection.server === undefined) initConnection(connection, this.owner);
  const error = new Error(`Parse Error: ${reason}`);
  error.code = code;
  error.bytesParsed = bytesParsed;
  error.reason = reason;
  error.rawPacket = rawPacket;
  fail(connection, error);
}

/** A client's mistake: 'clientError', or an answer that says what was wrong. */
function fail(connection, error) {
  settle(connection);
  const { server, current } = connection;
  if (server.listenerCount('clientError') > 0 || connection.netSocket !== null) {
    socketOnError.call(connection.getSocket(), error);
    return;
  }
  if (error.code !== 'ECONNRESET' && (current === null || !current._headerSent)) {
    connection.write(answerForError(error), true);
    connection.flush();
  }
  connection.current = null;
  if (current !== null) abortExchange(connection, current);
  dropQueue(connection);
  connection.closeSoon();
}

function onRaw(connection, chunk) {
  const { netSocket } = connection;
  chunk[kFromCore] = true;
  // Parsing it may have closed the socket; those who listen get it all the same.
  if (netSocket !== null && netSocket.destroyed) netSocket.emit('data', chunk);
  else netSocket?.push(chunk);
}

function onPeerEnd(connection) {
  if (connection.server === undefined) initConnection(connection, this.owner);
  settle(connection);
  const { server, netSocket } = connection;
  if (server.httpAllowHalfOpen) {
    const { current, queue } = connection;
    const last = queue !== null && queue.length > 0 ? queue.at(-1) : current;
    if (last !== null) last._last = true;
    else connection.closeSoon();
    return;
  }
  abortAll(connection);
  if (netSocket !== null && !netSocket.destroyed) netSocket._handle?.onEof();
  connection.closeSoon();
}

function onError(connection, error) {
  if (connection.server === undefined) return void connection.close();
  const { server, netSocket } = connection;
  if (netSocket !== null || server.listenerCount('clientError') > 0) {
    connection.getSocket().destroy(error);
  } else {
    connection.close();
  }
}

function onIdle(connection) {
  const { server, netSocket } = connection;
  if (netSocket !== null || server.listenerCount('timeout') > 0) socketOnTimeout.call(connection.getSocket());
  else connection.close();
}

function onClosed(connection) {
  const server = this.owner;
  if (connection === undefined || connection.server === undefined) {
    server._connections--;
    server._emitCloseIfDrained();
    return;
  }
  settle(connection);
  connection.closing = true;
  connection.gone = true;
  if (!connection.detached) {
    const { netSocket } = connection;
    if (netSocket !== null) {
      if (!netSocket.destroyed) netSocket.destroy();
      netSocket._closedByCore?.();
    }
    abortAll(connection);
    server._connections--;
    server._emitCloseIfDrained();
  }
  connection.callbacks = null;
}

function abortAll(connection) {
  const { current } = connection;
  connection.current = null;
  if (current !== null) abortExchange(connection, current);
  dropQueue(connection);
}

function abortRequest(req) {
  if (req._events === undefined && !req[kStream]) req.aborted = true;
  else if (!req.destroyed) req.destroy(new ConnResetException('aborted'));
}

/** The connection went away before the answer ended: 'aborted', 'error' and 'close', if anybody listens. */
function abortExchange(connection, res) {
  abortRequest(res.req);
  if (res._closed) return;
  if (res._events === undefined) {
    res.destroyed = true;
    res._closed = true;
  } else {
    // As when a socket closes under it.
    process.nextTick(emitCloseNT, res);
  }
}

// --- time-outs and closing, for server.js ---------------------------------------------------------------------------

function checkTimeouts(server) {
  const core = server[kNative];
  if (!core) return;
  const { headersTimeout, requestTimeout } = server;
  for (const connection of core.expired(headersTimeout || requestTimeout, requestTimeout)) {
    if (connection.server === undefined) initConnection(connection, server);
    fail(connection, new ERR_HTTP_REQUEST_TIMEOUT());
  }
}

function closeConnections(server, idleOnly) {
  const closed = server[kNative]?.closeConnections(idleOnly) ?? [];
  for (const connection of closed) {
    connection.closing = true;
    connection.netSocket?.destroy();
  }
}

module.exports = { attach, beginExchange, checkTimeouts, closeConnections, detach, setDirect };
