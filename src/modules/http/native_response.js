'use strict';

// Answers on connections of the native server core: their lean construction, and the fast way to end them.

const { ServerResponse, startPerformanceEntry } = require('#http/server_response');
const { hasHttpObserver } = require('#http/observer');
const { chunkExpression } = require('#http/common');
const { STATUS_CODES } = require('#http/status');
const { renderLines } = require('#http/outgoing_lines');
const { kSendFile } = require('#stream/send_file');
const symbols = require('#http/outgoing_symbols');
const { kBytesWritten, kErrored, kExchange, kHighWaterMark, kLazyHead, kNeedDrain, kOutHeaders, kQuiet, kSocket, kUniqueHeaders } =
  symbols;
const { kChunkedBuffer, kChunkedLength, kCorked, kRejectNonStandardBodyWrites } = symbols;

// What `respond` is asked for; the same constants stand in native_connection.cc.
const kDate = 1;
const kKeepAliveLines = 2;
const kCloseLine = 4;
const kLengthLine = 8;
const kLast = 32;
const kChunked = 128;

/** [0]: the core is in a turn; [1]: counts turns. The core keeps it; looked up late, as a snapshot has no memory of it. */
let turns;
const getTurns = () => (turns ??= binding('http').turnFields());

/** An answer with the fields of OutgoingMessage and ServerResponse, in the state in which most answers begin. */
function NativeResponse(connection, req, keepAlive) {
  const { server } = connection;
  this[kExchange] = connection;
  this.req = req;
  this.outputData = [];
  this.outputSize = 0;
  this.writable = true;
  this[kQuiet] = 0;
  this._last = false;
  this.chunkedEncoding = false;
  this.shouldKeepAlive = keepAlive;
  this.maxRequestsOnConnectionReached = false;
  this._defaultKeepAlive = true;
  this.useChunkedEncodingByDefault = true;
  this.sendDate = true;
  this._removedConnection = false;
  this._removedContLen = false;
  this._removedTE = false;
  this.strictContentLength = false;
  this._contentLength = null;
  this._hasBody = req.method !== 'HEAD';
  this._trailer = '';
  this[kNeedDrain] = false;
  this.finished = false;
  this._headerSent = false;
  this[kBytesWritten] = 0;
  this[kCorked] = 0;
  this[kChunkedBuffer] = null;
  this[kChunkedLength] = 0;
  this[kSocket] = null;
  this._header = null;
  this[kLazyHead] = null;
  this[kOutHeaders] = null;
  this._keepAliveTimeout = server.keepAliveTimeout;
  this._maxRequestsPerSocket = server.maxRequestsPerSocket;
  this[kErrored] = null;
  this[kHighWaterMark] = 65536;
  this[kRejectNonStandardBodyWrites] = server.rejectNonStandardBodyWrites;
  this[kUniqueHeaders] = server[kUniqueHeaders];
  this._sent100 = false;
  this._expect_continue = false;
  if (req.httpVersionMinor < 1) {
    this.useChunkedEncodingByDefault = chunkExpression.test(req.headers.te);
  }
  if (hasHttpObserver()) startPerformanceEntry(this, req);
}
NativeResponse.prototype = ServerResponse.prototype;

const { writeHead, _implicitHeader, _storeHeader, _finish } = ServerResponse.prototype;

/** Whether end() may go the short way: nothing about the head was said or changed that needs the long one. */
function isSimple(connection, res) {
  return connection.current === res && (res._header === null || res[kLazyHead] !== null) && !res.finished &&
    !connection.closing && !connection.writesThroughSocket() && res._hasBody && !res._expect_continue && !res.maxRequestsOnConnectionReached && !res.strictContentLength &&
    res.sendDate && !res._removedConnection && !res._removedContLen && res.useChunkedEncodingByDefault &&
    res._maxRequestsPerSocket === 0 && res[kUniqueHeaders] === null &&
    res.writeHead === writeHead && res._implicitHeader === _implicitHeader && res._storeHeader === _storeHeader &&
    res._finish === _finish;
}

/**
 * end(chunk, encoding) with head and body in one call; `this` is the connection.
 * @returns {boolean} false: the long way, nothing has happened
 */
function answerFast(res, chunk, encoding) {
  if (typeof encoding === 'function' || !isSimple(this, res) || hasHttpObserver()) return false;
  if (typeof chunk === 'string') {
    if (encoding !== undefined && encoding !== 'utf8' && encoding !== 'utf-8' && encoding !== null) return false;
  } else if (chunk === undefined || chunk === null) {
    chunk = '';
  } else if (!(chunk instanceof Uint8Array)) {
    return false;
  }
  const status = res.statusCode;
  const phrase = STATUS_CODES[status];
  if (typeof status !== 'number' || phrase === undefined || status < 200 || status === 204 || status === 304) return false;
  if (res.statusMessage !== undefined && res.statusMessage !== phrase) return false;
  let lines = res[kLazyHead];
  let flags = kDate;
  if (lines === null) {
    lines = renderLines(res, res[kOutHeaders]);
    if (lines === null) return false;
    res._header = 'HTTP/1.1 ' + status + ' ' + phrase + '\r\n' + lines.text + '\r\n';
    if (!lines.hasLength) flags |= kLengthLine;
  } else {
    res[kLazyHead] = null;
    // The head was there before the length of the body was known.
    if (!lines.hasLength) flags |= kChunked;
  }
  res.statusMessage = phrase;
  endWith(this, res, status, lines.text, chunk, flags);
  return true;
}

/**
 * Ends an answer whose header fields are laid out already, each as "name: value\r\n" of valid names and values, without a
 * length. For those who make such text themselves.
 * @returns {boolean} false: this answer has to go the usual way, nothing has happened
 */
function answerLines(res, status, text, body) {
  const connection = res[kExchange];
  if (connection?.respond === undefined || res._header !== null || res[kOutHeaders] !== null || !isSimple(connection, res) ||
      status === 204 || status === 304 || STATUS_CODES[status] === undefined || hasHttpObserver()) {
    return false;
  }
  res.statusCode = status;
  res.statusMessage = STATUS_CODES[status];
  res._header = text;
  endWith(connection, res, status, text, body, kDate | kLengthLine);
  return true;
}

/**
 * The same for a request that has no exchange, see setDirect() in native_server.js: the connection is open, and nothing
 * else waits on it.
 * @returns {boolean} false: make the exchange, nothing has happened
 */
function answerDirect(connection, status, text, body) {
  if (status === 204 || status === 304 || STATUS_CODES[status] === undefined) return false;
  const pending = connection.respond(status, undefined, text, body, kDate | kLengthLine | kKeepAliveLines);
  if (pending >= 65536) connection.checkOutput();
  return true;
}

const { write } = ServerResponse.prototype;

/** See stream/send_file.js: the body of an answer whose head is out, and which needs nothing around its parts. */
function sendFile(fd, position, size, keep, callback) {
  const connection = this[kExchange];
  if (connection?.sendFile === undefined || connection.current !== this || !this._headerSent || this.chunkedEncoding ||
      !this._hasBody || this.finished || this.destroyed || this[kNeedDrain] || this[kCorked] !== 0 ||
      this.strictContentLength || this.outputData.length > 0 || this.write !== write || connection.closing ||
      connection.writesThroughSocket()) {
    return false;
  }
  const taken = connection.sendFile(fd, position, size, keep, (errno, sent) => {
    this[kBytesWritten] += sent;
    connection.touch();
    callback(sent);
  });
  if (taken) {
    connection.touch();
    connection.checkOutput();
  }
  return taken;
}
Object.defineProperty(ServerResponse.prototype, kSendFile, {
  __proto__: null, value: sendFile, writable: true, configurable: true,
});

/** The last part of both short ways. */
function endWith(connection, res, status, text, body, flags) {
  if (res.shouldKeepAlive) {
    flags |= kKeepAliveLines;
  } else {
    res._last = true;
    flags |= kCloseLine | kLast;
  }
  res._headerSent = true;
  res.finished = true;
  if (connection.respond(status, undefined, text, body, flags) >= 65536) connection.checkOutput();
  if (res._events === undefined && getTurns()[0] === 1) {
    // Nobody listens. Whoever still begins to, within this turn, is told: see `on` in server_response.js.
    res[kQuiet] = getTurns()[1];
  } else {
    res.emit('prefinish');
    connection.whenWritten(() => res._tellFinished());
  }
  connection.answerEnded(res, true);
}

module.exports = { NativeResponse, answerDirect, answerFast, answerLines, getTurns };
