'use strict';

// http.ServerResponse: an answer.

const {
  codes: {
    ERR_HTTP_HEADERS_SENT,
    ERR_HTTP_INVALID_STATUS_CODE,
    ERR_HTTP_SOCKET_ASSIGNED,
    ERR_INVALID_ARG_VALUE,
    ERR_INVALID_CHAR,
  },
} = require('#internal/errors');
const { validateObject } = require('#internal/validators');
const { OutgoingMessage } = require('#http/outgoing');
const { kExchange, kLazyHead, kOutHeaders, kQuiet } = require('#http/outgoing_symbols');
const { checkInvalidHeaderChar, chunkExpression } = require('#http/common');
const { STATUS_CODES } = require('#http/status');
const { renderLines } = require('#http/outgoing_lines');
const { enqueueHttpEntry, hasHttpObserver } = require('#http/observer');

const kPerformance = Symbol('kPerformance');
const linkExpression = /^(?:<[^>]*>)(?:\s*;\s*[^;"\s]+(?:=(")?[^;"\s]*\1)?)*$/;

/**
 * @param {import('http').IncomingMessage} req
 * @param {{ highWaterMark?: number, rejectNonStandardBodyWrites?: boolean }} [options]
 */
function ServerResponse(req, options) {
  OutgoingMessage.call(this, options);
  if (req.method === 'HEAD') this._hasBody = false;
  this.req = req;
  this.sendDate = true;
  this._sent100 = false;
  this._expect_continue = false;
  if (req.httpVersionMajor < 1 || req.httpVersionMinor < 1) {
    this.useChunkedEncodingByDefault = chunkExpression.test(req.headers.te);
    this.shouldKeepAlive = false;
  }
  startPerformanceEntry(this, req);
}
Object.setPrototypeOf(ServerResponse.prototype, OutgoingMessage.prototype);
Object.setPrototypeOf(ServerResponse, OutgoingMessage);

ServerResponse.prototype.statusCode = 200;
ServerResponse.prototype.statusMessage = undefined;

function startPerformanceEntry(res, req) {
  if (!hasHttpObserver()) return;
  res[kPerformance] = {
    start: require('perf_hooks').performance.now(),
    detail: { req: { method: req.method, url: req.url, headers: req.headers } },
  };
}

ServerResponse.prototype._finish = function _finish() {
  const entry = this[kPerformance];
  if (entry && hasHttpObserver()) {
    enqueueHttpEntry('HttpRequest', entry.start, {
      ...entry.detail,
      res: { statusCode: this.statusCode, statusMessage: this.statusMessage, headers: this.getHeaders() },
    });
  }
  OutgoingMessage.prototype._finish.call(this);
  this[kExchange]?.answerEnded(this, false);
};

// --- answers of the native core: who listens is told ----------------------------------------------------------------

ServerResponse.prototype._onPendingData = function _onPendingData(delta) {
  this[kExchange]?.addQueued(delta);
};

function tellClosedNT(res) {
  if (res._closed) return;
  res.destroyed = true;
  res._closed = true;
  res.emit('close');
}

/** All of it is written: 'finish', and 'close' a tick later. */
ServerResponse.prototype._tellFinished = function _tellFinished() {
  this.emit('finish');
  process.nextTick(tellClosedNT, this);
};

/** Somebody began to listen to an answer that ended, within the turn in which it did. */
function wake(res) {
  if (res._closed) return;
  res[kQuiet] = 0;
  res[kExchange].whenWritten(() => res._tellFinished());
}

for (const name of ['on', 'addListener', 'prependListener']) {
  const inherited = OutgoingMessage.prototype[name];
  const listen = {
    [name](event, listener) {
      if (this[kQuiet] > 0) wake(this);
      return Reflect.apply(inherited, this, [event, listener]);
    },
  }[name];
  Object.defineProperty(ServerResponse.prototype, name, {
    __proto__: null,
    configurable: true,
    writable: true,
    value: listen,
  });
}

/** The socket closed under the answer. */
function onServerResponseClose() {
  // A listener of 'close' may have detached the answer already.
  const message = this._httpMessage;
  if (!message || message._closed) return;
  message.destroyed = true;
  message._closed = true;
  message.emit('close');
}

ServerResponse.prototype.assignSocket = function assignSocket(socket) {
  if (socket._httpMessage) throw new ERR_HTTP_SOCKET_ASSIGNED();
  socket._httpMessage = this;
  socket.on('close', onServerResponseClose);
  this.socket = socket;
  this.emit('socket', socket);
  this._flush();
};

ServerResponse.prototype.detachSocket = function detachSocket(socket) {
  socket.removeListener('close', onServerResponseClose);
  socket._httpMessage = null;
  this.socket = null;
};

// --- informational answers ------------------------------------------------------------------------------------------

ServerResponse.prototype.writeContinue = function writeContinue(callback) {
  this._writeRaw('HTTP/1.1 100 Continue\r\n\r\n', 'ascii', callback);
  this._sent100 = true;
};

ServerResponse.prototype.writeProcessing = function writeProcessing(callback) {
  this._writeRaw('HTTP/1.1 102 Processing\r\n\r\n', 'ascii', callback);
};

function validateLink(value, name) {
  if (value === undefined || !linkExpression.test(value)) {
    throw new ERR_INVALID_ARG_VALUE(name, value,
      'must be an array or string of format "</styles.css>; rel=preload; as=style"');
  }
}

function linkValue(hints) {
  if (typeof hints === 'string') {
    validateLink(hints, 'hints');
    return hints;
  }
  if (Array.isArray(hints)) {
    for (const link of hints) validateLink(link, 'hints');
    return hints.join(', ');
  }
  throw new ERR_INVALID_ARG_VALUE('hints', hints,
    'must be an array or string of format "</styles.css>; rel=preload; as=style"');
}

ServerResponse.prototype.writeEarlyHints = function writeEarlyHints(hints, callback) {
  validateObject(hints, 'hints');
  if (hints.link === null || hints.link === undefined) return;
  const link = linkValue(hints.link);
  if (link.length === 0) return;
  let head = `HTTP/1.1 103 Early Hints\r\nLink: ${link}\r\n`;
  for (const key of Object.keys(hints)) {
    if (key === 'link') continue;
    require('#http/header_rules').validateHeaderName(key);
    require('#http/header_rules').validateHeaderValue(key, hints[key]);
    head += `${key}: ${hints[key]}\r\n`;
  }
  this._writeRaw(`${head}\r\n`, 'ascii', callback);
};

// --- the head -------------------------------------------------------------------------------------------------------

ServerResponse.prototype._implicitHeader = function _implicitHeader() {
  this.writeHead(this.statusCode);
};

function checkStatus(status) {
  const original = status;
  status |= 0;
  if (status < 100 || status > 999) throw new ERR_HTTP_INVALID_STATUS_CODE(original);
  return status;
}

/** Fields given to writeHead() join those of setHeader(). */
function mergeHeaders(res, fields) {
  if (Array.isArray(fields)) {
    if (fields.length % 2 !== 0) throw new ERR_INVALID_ARG_VALUE('headers', fields);
    // A name that is listed several times is sent several times; it replaces what was set before.
    for (let i = 0; i < fields.length; i += 2) res.removeHeader(fields[i]);
    for (let i = 0; i < fields.length; i += 2) {
      if (fields[i]) res.appendHeader(fields[i], fields[i + 1]);
    }
  } else if (fields) {
    for (const key of Object.keys(fields)) {
      if (key) res.setHeader(key, fields[key]);
    }
  }
  return res[kOutHeaders];
}

/** For the native core: fields that need no second look are rendered, the rest of the head waits for end(). */
function leaveHead(res, status, headers) {
  if (!res._hasBody || res._expect_continue || res._storeHeader !== OutgoingMessage.prototype._storeHeader) return false;
  const lines = renderLines(res, headers);
  if (lines === null) return false;
  res._header = `HTTP/1.1 ${status} ${res.statusMessage}\r\n${lines.text}`;
  res[kLazyHead] = lines;
  return true;
}

ServerResponse.prototype.writeHead = function writeHead(statusCode, reason, fields) {
  if (this._header) throw new ERR_HTTP_HEADERS_SENT('write');
  statusCode = checkStatus(statusCode);
  if (typeof reason === 'string') {
    this.statusMessage = reason;
  } else {
    this.statusMessage ||= STATUS_CODES[statusCode] || 'unknown';
    fields ??= reason;
  }
  this.statusCode = statusCode;

  let headers;
  if (this[kOutHeaders]) {
    headers = mergeHeaders(this, fields);
  } else if (Array.isArray(fields) && fields.length && !Array.isArray(fields[0])) {
    if (fields.length % 2 !== 0) throw new ERR_INVALID_ARG_VALUE('headers', fields);
    headers = fields;
  } else {
    headers = fields;
  }
  if (checkInvalidHeaderChar(this.statusMessage)) throw new ERR_INVALID_CHAR('statusMessage');

  if (statusCode === 204 || statusCode === 304 || (statusCode >= 100 && statusCode <= 199)) this._hasBody = false;
  if (this[kExchange] !== undefined && leaveHead(this, statusCode, headers)) return this;
  // The client was not told to go on, so what it sends next may be a body or a request: the connection must end.
  if (this._expect_continue && !this._sent100) this.shouldKeepAlive = false;
  this._storeHeader(`HTTP/1.1 ${statusCode} ${this.statusMessage}\r\n`, headers);
  return this;
};

ServerResponse.prototype.writeHeader = ServerResponse.prototype.writeHead;

ServerResponse.prototype.statusCode = 200;

module.exports = { ServerResponse, onServerResponseClose, startPerformanceEntry };
