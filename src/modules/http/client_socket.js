'use strict';

// How a ClientRequest uses its socket: attaching, reading the answer, upgrading, handing the connection back.

const { ConnResetException } = require('#internal/errors');
const { finished } = require('stream');
const { enqueueHttpEntry, hasHttpObserver } = require('#http/observer');
const { HTTPParser, freeParser, lenientFlags, parsers, prepareError } = require('#http/common');
const asyncContext = require('#async_hooks/context');
const { kContextFrame, kErrored, kNeedDrain } = require('#http/outgoing_symbols');

let channels;
function diagnostics() {
  if (channels === undefined) {
    const { channel } = require('diagnostics_channel');
    channels = {
      requestCreated: channel('http.client.request.created'),
      requestStart: channel('http.client.request.start'),
      requestError: channel('http.client.request.error'),
      responseFinish: channel('http.client.response.finish'),
    };
  }
  return channels;
}

function emitErrorEvent(req, error) {
  const { requestError } = diagnostics();
  if (requestError.hasSubscribers) requestError.publish({ request: req, error });
  req.emit('error', error);
}

// --- attaching ------------------------------------------------------------------------------------------------------

function onSocketNT(req, socket, error) {
  if (!req.destroyed && !error) {
    attach(req, socket);
    req._flush();
    return;
  }
  // The request went away while its connection was made.
  req.destroyed = true;
  const failed = req[kErrored] || error;
  const tell = (last) => {
    const reason = last || failed || (req.aborted ? undefined : new ConnResetException('socket hang up'));
    if (reason && !req[kToldError]) {
      req[kToldError] = true;
      emitErrorEvent(req, reason);
    }
    req._closed = true;
    req.emit('close');
  };
  if (!socket) return tell();
  if (!error && req.agent && !socket.destroyed) {
    tell();
    socket.emit('free');
  } else {
    finished(socket.destroy(failed), (last) => tell(last?.code === 'ERR_STREAM_PREMATURE_CLOSE' ? undefined : last));
  }
}

const kToldError = Symbol('kToldError');

function attach(req, socket) {
  const parser = parsers.alloc();
  req.socket = socket;
  parser.initialize(HTTPParser.RESPONSE, {}, req.maxHeaderSize || 0, lenientFlags(req.insecureHTTPParser));
  parser.socket = socket;
  parser.outgoing = req;
  req.parser = parser;
  socket.parser = parser;
  socket._httpMessage = req;
  if (typeof req.maxHeadersCount === 'number') parser.maxHeaderPairs = req.maxHeadersCount << 1;
  parser.joinDuplicateHeaders = req.joinDuplicateHeaders;
  parser.onIncoming = onIncoming;
  socket.on('error', socketErrorListener);
  socket.on('data', socketOnData);
  socket.on('end', socketOnEnd);
  socket.on('close', socketCloseListener);
  socket.on('drain', onDrain);
  if (req.timeout !== undefined || req.agent?.options?.timeout) socketTimeoutOf(req);
  req.emit('socket', socket);
}

function emitRequestTimeout() {
  this._httpMessage?.emit('timeout');
}

/** From now on a time-out of the socket is one of the request. */
function socketTimeoutOf(req) {
  if (req.timeoutCb) return;
  req.timeoutCb = emitRequestTimeout;
  if (req.socket) req.socket.once('timeout', emitRequestTimeout);
  else req.once('socket', (socket) => socket.once('timeout', emitRequestTimeout));
}

// --- listeners of the socket: `this` is the socket ------------------------------------------------------------------

function onDrain() {
  const req = this._httpMessage;
  if (req && !req.finished && req[kNeedDrain]) {
    req[kNeedDrain] = false;
    req.emit('drain');
  }
}

function detach(socket) {
  socket.removeListener('data', socketOnData);
  socket.removeListener('end', socketOnEnd);
  socket.removeListener('drain', onDrain);
}

function socketCloseListener() {
  const socket = this;
  const { parser } = socket;
  const req = socket._httpMessage;
  // What came before the end may complete the answer.
  socket.read?.();
  if (parser) {
    parser.finish();
    freeParser(parser, req, socket);
  }
  const { res } = req;
  req.destroyed = true;
  if (res) {
    if (!res.complete) res.destroy(new ConnResetException('aborted'));
    req._closed = true;
    req.emit('close');
    if (!res.aborted && res.readable) res.push(null);
  } else {
    if (!req.socket._hadError) {
      // Also when the request was destroyed on purpose: nobody answered it.
      req.socket._hadError = true;
      emitErrorEvent(req, new ConnResetException('socket hang up'));
    }
    req._closed = true;
    req.emit('close');
  }
  if (req.outputData) req.outputData.length = 0;
}

function socketErrorListener(error) {
  const socket = this;
  const req = socket._httpMessage;
  if (req) {
    // The close that follows is not another failure.
    req.socket._hadError = true;
    emitErrorEvent(req, error);
  }
  if (socket.parser) {
    socket.parser.finish();
    freeParser(socket.parser, req, socket);
  }
  detach(socket);
  socket.destroy();
}

function socketOnEnd() {
  const socket = this;
  const req = socket._httpMessage;
  const { parser } = socket;
  if (!req.res && !req.socket._hadError) {
    req.socket._hadError = true;
    emitErrorEvent(req, new ConnResetException('socket hang up'));
  }
  if (parser) {
    parser.finish();
    freeParser(parser, req, socket);
  }
  socket.destroy();
}

function socketOnData(chunk) {
  const socket = this;
  const req = socket._httpMessage;
  const { parser } = socket;
  if (!parser) return;
  const outer = asyncContext.exchange(req?.[kContextFrame]);
  const result = parser.execute(chunk);
  asyncContext.exchange(outer);
  // A listener may have destroyed the socket, which freed the parser.
  if (socket.parser !== parser) return;
  if (result instanceof Error) {
    prepareError(result, parser, chunk);
    freeParser(parser, req, socket);
    detach(socket);
    socket.destroy();
    req.socket._hadError = true;
    emitErrorEvent(req, result);
  } else if (parser.incoming?.upgrade) {
    upgrade(socket, req, parser, chunk.slice(result, chunk.length));
  } else if (parser.incoming?.complete && !isInformational(parser.incoming.statusCode)) {
    detach(socket);
    // The connection may be kept: what comes now is no answer, see agent.js.
    freeParser(parser, req, socket);
  }
}

/** The connection speaks another protocol from now on, and becomes the user's. */
function upgrade(socket, req, parser, head) {
  const res = parser.incoming;
  req.res = res;
  detach(socket);
  if (req.timeoutCb) socket.removeListener('timeout', req.timeoutCb);
  socket.removeListener('timeout', responseOnTimeout);
  parser.finish();
  freeParser(parser, req, socket);
  const event = req.method === 'CONNECT' ? 'connect' : 'upgrade';
  if (req.listenerCount(event) === 0) {
    socket.destroy();
    return;
  }
  req.upgradeOrConnect = true;
  socket.emit('agentRemove');
  socket.removeListener('close', socketCloseListener);
  socket.removeListener('error', socketErrorListener);
  socket._httpMessage = null;
  socket.readableFlowing = null;
  req.emit(event, res, socket, head);
  req.destroyed = true;
  req._closed = true;
  req.emit('close');
}

// --- the answer -----------------------------------------------------------------------------------------------------

function isInformational(status) {
  return status >= 100 && status < 200 && status !== 101;
}

function emitInformation(req, res) {
  if (res.statusCode === 100) req.emit('continue');
  req.emit('information', {
    statusCode: res.statusCode,
    statusMessage: res.statusMessage,
    httpVersion: res.httpVersion,
    httpVersionMajor: res.httpVersionMajor,
    httpVersionMinor: res.httpVersionMinor,
    headers: res.headers,
    rawHeaders: res.rawHeaders,
  });
}

/** The parser's onIncoming: `this` is the parser. Returns what to do with the body: 0 read, 1 none, 2 upgrade. */
function onIncoming(res, keepAlive) {
  const { socket } = this;
  const req = socket._httpMessage;
  if (req.res) {
    // Two answers to one request: the second is nobody's.
    socket.destroy();
    return 0;
  }
  req.res = res;
  if (req.method === 'CONNECT') {
    res.upgrade = true;
    return 2;
  }
  if (isInformational(res.statusCode)) {
    req.res = null;
    emitInformation(req, res);
    return 1;
  }
  if (res.upgrade) return 2;
  if (req.shouldKeepAlive && !keepAlive && !req.upgradeOrConnect) req.shouldKeepAlive = false;
  publishResponse(req, res);
  res.req = req;
  // Ours come first: they hand the connection back before the user's listeners ask for another.
  res.on('end', responseOnEnd);
  req.on('finish', requestOnFinish);
  socket.on('timeout', responseOnTimeout);
  const handled = req.emit('response', res);
  if (req.aborted || !handled) res._dump();
  if (req.method === 'HEAD') return 1;
  if (res.statusCode === 304) {
    res.complete = true;
    return 1;
  }
  return 0;
}

function publishResponse(req, res) {
  if (req.performanceStart !== undefined && hasHttpObserver()) {
    enqueueHttpEntry('HttpClient', req.performanceStart, {
      req: { method: req.method, url: `${req.protocol}//${req.host}${req.path}`, headers: req.getHeaders() },
      res: { statusCode: res.statusCode, statusMessage: res.statusMessage, headers: res.headers },
    });
  }
  const { responseFinish } = diagnostics();
  if (responseFinish.hasSubscribers) responseFinish.publish({ request: req, response: res });
}

function responseOnTimeout() {
  this._httpMessage?.res?.emit('timeout');
}

function responseOnEnd() {
  const { req } = this;
  const { socket } = req;
  if (socket && req.timeoutCb) socket.removeListener('timeout', emitRequestTimeout);
  req._ended = true;
  if (!req.shouldKeepAlive) {
    if (socket?.writable) {
      if (typeof socket.destroySoon === 'function') socket.destroySoon();
      else socket.end();
    }
  } else if (req.writableFinished && !this.aborted) {
    keepConnection(req);
  }
}

function requestOnFinish() {
  if (this.shouldKeepAlive && this._ended) keepConnection(this);
}

/** Request and answer have ended: the connection goes back to the agent. */
function keepConnection(req) {
  const { socket } = req;
  if (req.timeoutCb) {
    socket.setTimeout(0, req.timeoutCb);
    req.timeoutCb = null;
  }
  socket.removeListener('timeout', responseOnTimeout);
  socket.removeListener('close', socketCloseListener);
  socket.removeListener('error', socketErrorListener);
  detach(socket);
  // After the listeners of 'end' that come behind ours.
  process.nextTick(emitFreeNT, req);
  req.destroyed = true;
}

function emitFreeNT(req) {
  req._closed = true;
  req.emit('close');
  if (req.socket) req.socket.emit('free');
}

module.exports = { diagnostics, emitErrorEvent, onSocketNT, socketTimeoutOf };
