'use strict';

// One connection of an http.Server over a Duplex that JavaScript drives: a TLS socket, any stream handed over with
// server.emit('connection', stream), or a TCP socket that left the native server core.
//
// A ServerConnection feeds the parser, keeps requests and answers in order, and ends the connection when it is due.

const EventEmitter = require('events');
const {
  ConnResetException,
  codes: { ERR_HTTP_SOCKET_ENCODING, ERR_INVALID_ARG_TYPE },
} = require('#internal/errors');
const { Stream } = require('stream');
const {
  HTTPParser,
  continueExpression,
  freeParser,
  kIncomingMessage,
  kOnMessageBegin,
  lenientFlags,
  parsers,
  prepareError,
} = require('#http/common');
const { debug } = require('#http/debug');
const { kNeedDrain, kUniqueHeaders } = require('#http/outgoing_symbols');

const kServerResponse = Symbol('ServerResponse');
const kConnections = Symbol('http.server.connections');
const kConnectionsCheckingInterval = Symbol('http.server.connectionsCheckingInterval');
/** The ServerConnection of a socket. */
const kConnection = Symbol('http.server.connection');
const kOptimizeEmptyRequests = Symbol('OptimizeEmptyRequestsOption');

let channels;
function diagnostics() {
  if (channels === undefined) {
    const { channel } = require('diagnostics_channel');
    channels = {
      requestStart: channel('http.server.request.start'),
      responseCreated: channel('http.server.response.created'),
      responseFinish: channel('http.server.response.finish'),
    };
  }
  return channels;
}

function now() {
  return performance.now();
}

// What is sent to a client that made a mistake, before the connection is destroyed.
const kBadRequest = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';
const kTimedOut = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';
const kFieldsTooLarge = 'HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n';
const kTooLarge = 'HTTP/1.1 413 Payload Too Large\r\nConnection: close\r\n\r\n';

function answerForError(error) {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW': return kFieldsTooLarge;
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW': return kTooLarge;
    case 'ERR_HTTP_REQUEST_TIMEOUT': return kTimedOut;
    default: return kBadRequest;
  }
}

function nop() {}

class ServerConnection {
  /** Requests whose answers have not ended, and answers, both in order. */
  incoming = [];
  outgoing = [];
  outgoingData = 0;
  requestsCount = 0;
  /** A request was refused so that nothing behind it may be served. */
  refusing = false;
  keepAliveTimeoutSet = false;
  /** When the present request began; 0 between requests. */
  messageStart = 0;
  /** The messageStart of the last request that took too long. */
  expired = 0;
  headersCompleted = false;

  constructor(server, socket) {
    this.server = server;
    this.socket = socket;
    this.parser = null;
    this.onData = this.onData.bind(this);
    this.onEnd = this.onEnd.bind(this);
    this.onClose = this.onClose.bind(this);
    this.onDrain = this.onDrain.bind(this);
  }

  start() {
    debug('SERVER new http connection');
    const { server, socket } = this;
    // Also when another server accepted it.
    socket.server = server;
    socket[kConnection] = this;
    if (server.timeout && typeof socket.setTimeout === 'function') socket.setTimeout(server.timeout);
    socket.on('timeout', socketOnTimeout);
    this.attachParser();
    socket.on('error', socketOnError);
    socket.on('data', this.onData);
    socket.on('end', this.onEnd);
    socket.on('close', this.onClose);
    socket.on('drain', this.onDrain);
    socket.on('resume', onSocketResume);
    socket.on('pause', onSocketPause);
    socket.setEncoding = socketSetEncoding;
    socket._paused = false;
  }

  attachParser() {
    const { server, socket } = this;
    const parser = (this.parser = parsers.alloc());
    parser.initialize(HTTPParser.REQUEST, {}, server.maxHeaderSize || 0, lenientFlags(server.insecureHTTPParser));
    parser.socket = socket;
    socket.parser = parser;
    if (typeof server.maxHeadersCount === 'number') parser.maxHeaderPairs = server.maxHeadersCount << 1;
    parser.onIncoming = (req, keepAlive) => this.onIncoming(req, keepAlive);
    parser[kOnMessageBegin] = () => {
      this.messageStart = now();
      this.headersCompleted = false;
    };
    server[kConnections]?.add(this);
    this.messageStart = now();
  }

  // --- the socket's events ---

  onData(chunk) {
    this.afterExecute(this.parser.execute(chunk), chunk);
  }

  afterExecute(result, chunk) {
    const { socket, parser } = this;
    // The handler may have closed the socket, which freed the parser.
    if (!parser || socket.parser !== parser) return;
    if (result instanceof Error) {
      prepareError(result, parser, chunk);
      socketOnError.call(socket, result);
    } else if (parser.incoming?.upgrade) {
      this.upgrade(parser.incoming, chunk, result);
    } else if (parser.incoming?.method === 'PRI') {
      socket.destroy();
    }
    if (parser.incoming?.complete !== false) this.requestCompleted();
  }

  requestCompleted() {
    if (this.headersCompleted) this.messageStart = 0;
  }

  /** The connection becomes the user's. */
  upgrade(req, chunk, bytesParsed) {
    const { server, socket, parser } = this;
    const event = req.method === 'CONNECT' ? 'connect' : 'upgrade';
    this.detach();
    server[kConnections]?.delete(this);
    parser.finish();
    freeParser(parser, req, socket);
    if (server.listenerCount(event) === 0) {
      // Nobody answers a CONNECT.
      socket.destroy();
      return;
    }
    const head = chunk.slice(bytesParsed, chunk.length);
    socket.readableFlowing = null;
    server.emit(event, req, socket, head);
  }

  detach() {
    const { socket } = this;
    socket.removeListener('data', this.onData);
    socket.removeListener('end', this.onEnd);
    socket.removeListener('close', this.onClose);
    socket.removeListener('drain', this.onDrain);
    socket.removeListener('error', socketOnError);
    socket.removeListener('timeout', socketOnTimeout);
    socket.removeListener('resume', onSocketResume);
    socket.removeListener('pause', onSocketPause);
    delete socket.setEncoding;
    socket[kConnection] = null;
  }

  onEnd() {
    const { server, socket, parser } = this;
    const result = parser ? parser.finish() : undefined;
    if (result instanceof Error) {
      prepareError(result, parser, undefined);
      socketOnError.call(socket, result);
    } else if (!server.httpAllowHalfOpen) {
      this.abortIncoming();
      socket.end();
    } else if (this.outgoing.length) {
      this.outgoing[this.outgoing.length - 1]._last = true;
    } else if (socket._httpMessage) {
      socket._httpMessage._last = true;
    } else {
      socket.end();
    }
  }

  onClose() {
    const { server, socket, parser } = this;
    server[kConnections]?.delete(this);
    if (parser) {
      this.parser = null;
      freeParser(parser, null, socket);
    }
    this.abortIncoming();
  }

  abortIncoming() {
    while (this.incoming.length) this.incoming.shift().destroy(new ConnResetException('aborted'));
  }

  onDrain() {
    const { socket } = this;
    const needPause = this.outgoingData > socket.writableHighWaterMark;
    // Reading stopped because answers piled up.
    if (socket._paused && !needPause) {
      socket._paused = false;
      socket.resume();
    }
    const message = socket._httpMessage;
    if (message && !message.finished) drainMessage(message);
  }

  /** Answers that wait in memory are bounded: with too many of them, the next requests are not read. */
  updateOutgoingData(delta) {
    const { socket } = this;
    this.outgoingData += delta;
    if (socket._paused && this.outgoingData < socket.writableHighWaterMark) this.onDrain();
  }

  // --- requests and answers ---

  /** The parser's onIncoming: the head of a request is there. Returns what to do with its body, see http1.h. */
  onIncoming(req, keepAlive) {
    const { server, socket } = this;
    this.headersCompleted = true;
    if (this.refusing) {
      req._dump();
      return 0;
    }
    resetSocketTimeout(this);
    if (req.upgrade) {
      req.upgrade = req.method === 'CONNECT' || Boolean(server.shouldUpgradeCallback(req));
      if (req.upgrade) return 2;
    }
    this.incoming.push(req);
    if (!socket._paused) {
      const needPause = socket.writableNeedDrain || this.outgoingData >= socket.writableHighWaterMark;
      if (needPause) {
        socket._paused = true;
        socket.pause();
      }
    }
    if (server[kOptimizeEmptyRequests] && isEmptyRequest(req)) req._dumpAndCloseReadable();
    const res = this.makeResponse(req, keepAlive);
    if (socket._httpMessage) {
      this.outgoing.push(res);
    } else {
      res.assignSocket(socket);
    }
    res.on('finish', () => this.onResponseFinish(req, res));
    dispatchRequest(server, this, req, res);
    return 0;
  }

  makeResponse(req, keepAlive) {
    const { server, socket } = this;
    const Response = server[kServerResponse];
    const res = new Response(req, {
      highWaterMark: socket.writableHighWaterMark,
      rejectNonStandardBodyWrites: server.rejectNonStandardBodyWrites,
    });
    res._keepAliveTimeout = server.keepAliveTimeout;
    res._maxRequestsPerSocket = server.maxRequestsPerSocket;
    res._onPendingData = (delta) => this.updateOutgoingData(delta);
    res.shouldKeepAlive = keepAlive;
    res[kUniqueHeaders] = server[kUniqueHeaders];
    return res;
  }

  onResponseFinish(req, res) {
    const { server, socket } = this;
    const { responseFinish } = diagnostics();
    if (responseFinish.hasSubscribers) responseFinish.publish({ request: req, response: res, socket, server });
    // Usually the first; but a request may end after the one behind it.
    const index = this.incoming.indexOf(req);
    if (index >= 0) this.incoming.splice(index, 1);
    // A body that nobody wants is read to its end, so that the next request is found.
    if (!req._consuming) req._dump();
    res.detachSocket(socket);
    clearIncoming(this, req);
    process.nextTick(emitCloseNT, res);
    if (res._last) {
      endSocket(socket);
    } else if (this.outgoing.length === 0) {
      this.waitForNext();
    } else {
      const next = this.outgoing.shift();
      if (next) next.assignSocket(socket);
    }
  }

  /** Between requests the connection is kept for a while. */
  waitForNext() {
    const { server, socket } = this;
    const timeout = server.keepAliveTimeout;
    if (timeout && typeof socket.setTimeout === 'function') {
      // Some more than announced, so that a client does not send into a closing connection.
      socket.setTimeout(Math.max(0, timeout + (server.keepAliveTimeoutBuffer ?? 1000)));
      this.keepAliveTimeoutSet = true;
    }
  }

  idle() {
    return this.messageStart === 0;
  }
}

function isEmptyRequest({ method, headers }) {
  return method === 'HEAD' ||
    (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined);
}

function drainMessage(message) {
  if (message.writableNeedDrain) {
    message[kNeedDrain] = false;
    message.emit('drain');
  }
}

function endSocket(socket) {
  if (typeof socket.destroySoon === 'function') socket.destroySoon();
  else socket.end();
}

function emitCloseNT(message) {
  if (message._closed) return;
  message.destroyed = true;
  message._closed = true;
  message.emit('close');
}

/** A request whose answer has ended lets go of the parser. */
function clearIncoming(connection, req) {
  const { parser } = connection;
  if (parser && parser.incoming === req) {
    if (req.readableEnded) {
      parser.incoming = null;
    } else {
      req.on('end', () => {
        if (connection.parser && connection.parser.incoming === req) connection.parser.incoming = null;
      });
    }
  }
}

function resetSocketTimeout(connection) {
  if (!connection.keepAliveTimeoutSet) return;
  connection.socket.setTimeout(connection.server.timeout || 0);
  connection.keepAliveTimeoutSet = false;
}

/** Emits the event that a request asks for: 'request', 'checkContinue', 'checkExpectation', 'dropRequest'. */
function dispatchRequest(server, connection, req, res) {
  const { requestStart, responseCreated } = diagnostics();
  if (requestStart.hasSubscribers) {
    requestStart.publish({ request: req, response: res, socket: connection.socket, server });
  }
  if (responseCreated.hasSubscribers) responseCreated.publish({ request: req, response: res });

  if (req.httpVersionMajor === 1 && req.httpVersionMinor === 1) {
    // RFC 9112 3.2: a request without Host is answered with 400.
    if (server.requireHostHeader && req.headers.host === undefined) {
      connection.refusing = true;
      res.writeHead(400, ['Connection', 'close']);
      res.end();
      return;
    }
    if (typeof server.maxRequestsPerSocket === 'number' && server.maxRequestsPerSocket > 0) {
      connection.requestsCount++;
      res.maxRequestsOnConnectionReached = server.maxRequestsPerSocket <= connection.requestsCount;
    }
    if (res.maxRequestsOnConnectionReached && server.maxRequestsPerSocket < connection.requestsCount) {
      server.emit('dropRequest', req, connection.socket);
      res.writeHead(503);
      res.end();
      return;
    }
    if (req.headers.expect !== undefined) {
      if (continueExpression.test(req.headers.expect)) {
        res._expect_continue = true;
        if (server.listenerCount('checkContinue') > 0) {
          server.emit('checkContinue', req, res);
        } else {
          res.writeContinue();
          server.emit('request', req, res);
        }
      } else if (server.listenerCount('checkExpectation') > 0) {
        server.emit('checkExpectation', req, res);
      } else {
        res.writeHead(417);
        res.end();
      }
      return;
    }
  }
  server.emit('request', req, res);
}

// --- listeners of the socket: `this` is the socket ------------------------------------------------------------------

function socketOnTimeout() {
  const req = this.parser?.incoming;
  const reqTimedOut = req && !req.complete && req.emit('timeout', this);
  const res = this._httpMessage;
  const resTimedOut = res && res.emit('timeout', this);
  const serverTimedOut = this.server.emit('timeout', this);
  if (!reqTimedOut && !resTimedOut && !serverTimedOut) this.destroy();
}

/** 'clientError', or the answer that says what was wrong, if it can still be sent. */
function socketOnError(error) {
  this.removeListener('error', socketOnError);
  if (this.listenerCount('error', nop) === 0) this.on('error', nop);
  if (this.server.emit('clientError', error, this)) return;
  // An answer that has begun must not be mixed with another.
  if (this.writable && (!this._httpMessage || !this._httpMessage._headerSent)) {
    this.write(answerForError(error), 'latin1');
  }
  this.destroy(error);
}

function onSocketResume() {
  if (this._paused) {
    // Only the answers that leave may start reading again.
    this.pause();
  }
}

function onSocketPause() {}

function socketSetEncoding() {
  throw new ERR_HTTP_SOCKET_ENCODING();
}

/** The listener of 'connection': serves any Duplex. */
function connectionListener(socket) {
  // The native core has it already.
  if (socket?._handle?.connection?.server === this) return;
  if (!(socket instanceof Stream) && !(socket instanceof EventEmitter)) {
    throw new ERR_INVALID_ARG_TYPE('socket', 'stream.Duplex', socket);
  }
  new ServerConnection(this, socket).start();
}

module.exports = {
  ServerConnection,
  answerForError,
  connectionListener,
  diagnostics,
  dispatchRequest,
  emitCloseNT,
  kConnection,
  kConnections,
  kConnectionsCheckingInterval,
  kIncomingMessage,
  kOptimizeEmptyRequests,
  kServerResponse,
  socketOnError,
  socketOnTimeout,
};
