'use strict';

// http.ClientRequest: its construction and what a program does with it. How it uses its socket: client_socket.js.

const net = require('net');
const { Buffer } = require('buffer');
const {
  codes: {
    ERR_HTTP_HEADERS_SENT,
    ERR_INVALID_ARG_TYPE,
    ERR_INVALID_HTTP_TOKEN,
    ERR_INVALID_PROTOCOL,
    ERR_UNESCAPED_CHARACTERS,
  },
} = require('#internal/errors');
const { validateBoolean, validateInteger, validateNumber } = require('#internal/validators');
const { debug } = require('#http/debug');
const { checkIsHttpToken } = require('#http/common');
const { OutgoingMessage } = require('#http/outgoing');
const asyncContext = require('#async_hooks/context');
const { kContextFrame, kErrored, kOutHeaders, kUniqueHeaders } = require('#http/outgoing_symbols');
const { parseUniqueHeadersOption } = require('#http/header_rules');
const { hasHttpObserver } = require('#http/observer');
const { getGlobalAgent } = require('#http/agent');
const { kProxyConfig, kTunnel } = require('#http/proxy_symbols');
const { diagnostics, emitErrorEvent, onSocketNT, socketTimeoutOf } = require('#http/client_socket');

// A path must not end the request line, or begin another.
const badPathExpression = /[^\u0021-\u00ff]/;

function once(callback) {
  let called = false;
  return function (...args) {
    if (called) return;
    called = true;
    Reflect.apply(callback, this, args);
  };
}

function isURL(value) {
  return Boolean(value?.href && value.protocol && value.auth === undefined && value.path === undefined);
}

/** @returns {[object, Function | undefined]} */
function readArguments(input, options, callback) {
  const { urlToHttpOptions } = require('url');
  if (typeof input === 'string') {
    input = urlToHttpOptions(new URL(input));
  } else if (isURL(input)) {
    input = urlToHttpOptions(input);
  } else {
    callback = options;
    options = input;
    input = null;
  }
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  }
  // Without a prototype: what somebody put on Object.prototype is no option.
  return [{ __proto__: null, ...input, ...options }, callback];
}

function chooseAgent(options) {
  const defaultAgent = options._defaultAgent || getGlobalAgent();
  const { agent } = options;
  if (agent === false) return new defaultAgent.constructor();
  if (agent === null || agent === undefined) {
    return typeof options.createConnection !== 'function' ? defaultAgent : agent;
  }
  if (typeof agent.addRequest !== 'function') {
    throw new ERR_INVALID_ARG_TYPE('options.agent', ['Agent-like Object', 'undefined', 'false'], agent);
  }
  return agent;
}

function validateHost(host, name) {
  if (host !== null && host !== undefined && typeof host !== 'string') {
    throw new ERR_INVALID_ARG_TYPE(`options.${name}`, ['string', 'undefined', 'null'], host);
  }
  return host;
}

function timerDuration(msecs, name) {
  validateNumber(msecs, name);
  if (msecs < 0 || !Number.isFinite(msecs)) {
    const { codes: { ERR_OUT_OF_RANGE } } = require('#internal/errors');
    throw new ERR_OUT_OF_RANGE(name, 'a non-negative finite number', msecs);
  }
  const kMax = 2 ** 31 - 1;
  if (msecs > kMax) {
    process.emitWarning(`${msecs} does not fit into a 32-bit signed integer.\nTimer duration was truncated to ${kMax}.`,
      'TimeoutOverflowWarning');
    return kMax;
  }
  return msecs;
}

function chooseMethod(method) {
  if (method !== null && method !== undefined && typeof method !== 'string') {
    throw new ERR_INVALID_ARG_TYPE('options.method', 'string', method);
  }
  if (!method) return 'GET';
  if (!checkIsHttpToken(method)) throw new ERR_INVALID_HTTP_TOKEN('Method', method);
  return method.toUpperCase();
}

const kNoBodyMethods = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

/**
 * @param {string | URL | object} input
 * @param {object | Function} [options]
 * @param {Function} [callback]
 */
function ClientRequest(input, options, callback) {
  OutgoingMessage.call(this);
  // The answer arrives on a connection that another request may have opened: it belongs to this one's async context.
  const frame = asyncContext.snapshot();
  if (frame !== undefined) this[kContextFrame] = frame;
  [options, callback] = readArguments(input, options, callback);
  const agent = chooseAgent(options);
  this.agent = agent;
  checkTarget(this, options, agent);

  const defaultPort = options.defaultPort || agent?.defaultPort;
  const port = (options.port = options.port || defaultPort || 80);
  const host = (options.host =
    validateHost(options.hostname, 'hostname') || validateHost(options.host, 'host') || 'localhost');
  const setHost = options.setHost !== undefined ? Boolean(options.setHost) : options.setDefaultHeaders !== false;
  this._removedConnection = options.setDefaultHeaders === false;
  this._removedContLen = options.setDefaultHeaders === false;
  this._removedTE = options.setDefaultHeaders === false;
  this.socketPath = options.socketPath;
  if (options.timeout !== undefined) this.timeout = timerDuration(options.timeout, 'timeout');
  const { signal } = options;
  if (signal) require('stream').addAbortSignal(signal, this);
  const method = (this.method = chooseMethod(options.method));
  readParserOptions(this, options);
  this.path = options.path || '/';
  if (callback) this.once('response', callback);
  this.useChunkedEncodingByDefault = !kNoBodyMethods.has(method);
  this._ended = false;
  this.res = null;
  this.aborted = false;
  this.timeoutCb = null;
  this.upgradeOrConnect = false;
  this.parser = null;
  this.maxHeadersCount = null;
  this.reusedSocket = false;
  this.host = host;
  this.protocol = options.protocol || agent?.protocol || 'http:';
  chooseKeepAlive(this, agent);
  setHeaders(this, options, { host, port, defaultPort, setHost });
  this[kUniqueHeaders] = parseUniqueHeadersOption(options.uniqueHeaders);

  const withoutSignal = { ...options };
  if (signal) delete withoutSignal.signal;
  if (options.insecureHTTPParser !== undefined) delete withoutSignal.insecureHTTPParser;
  startConnection(this, agent, withoutSignal);
  const { requestCreated } = diagnostics();
  if (requestCreated.hasSubscribers) requestCreated.publish({ request: this });
}
Object.setPrototypeOf(ClientRequest.prototype, OutgoingMessage.prototype);
Object.setPrototypeOf(ClientRequest, OutgoingMessage);

function checkTarget(req, options, agent) {
  const protocol = options.protocol || (options._defaultAgent || agent || getGlobalAgent()).protocol;
  let expected = (options._defaultAgent || getGlobalAgent()).protocol;
  if (agent?.protocol) expected = agent.protocol;
  if (options.path) {
    const path = String(options.path);
    if (badPathExpression.test(path)) throw new ERR_UNESCAPED_CHARACTERS('Request path');
  }
  if (protocol !== expected) throw new ERR_INVALID_PROTOCOL(protocol, expected);
}

function readParserOptions(req, options) {
  if (options.maxHeaderSize !== undefined) validateInteger(options.maxHeaderSize, 'maxHeaderSize', 0);
  req.maxHeaderSize = options.maxHeaderSize;
  if (options.insecureHTTPParser !== undefined) {
    validateBoolean(options.insecureHTTPParser, 'options.insecureHTTPParser');
  }
  req.insecureHTTPParser = options.insecureHTTPParser;
  if (options.joinDuplicateHeaders !== undefined) {
    validateBoolean(options.joinDuplicateHeaders, 'options.joinDuplicateHeaders');
  }
  req.joinDuplicateHeaders = options.joinDuplicateHeaders;
}

function chooseKeepAlive(req, agent) {
  // An agent that neither keeps connections nor limits them never uses one twice.
  const once = !agent || (!agent.keepAlive && !Number.isFinite(agent.maxSockets));
  req._last = once;
  req.shouldKeepAlive = !once;
}

/** @returns {string} the Host field of a request */
function hostField(host, port, defaultPort) {
  const colon = host.indexOf(':');
  // An IPv6 address stands in brackets.
  const bare = colon !== -1 && host.includes(':', colon + 1) && host.charCodeAt(0) !== 91;
  const text = bare ? `[${host}]` : host;
  return port && +port !== defaultPort ? `${text}:${port}` : text;
}

function setHeaders(req, options, { host, port, defaultPort, setHost }) {
  const { headers } = options;
  if (Array.isArray(headers)) {
    // They go out as they are: nothing is added, not even Host, though what a proxy needs.
    const sent = writeForProxy(req, options, headers) ?? headers;
    req._storeHeader(`${req.method} ${req.path} HTTP/1.1\r\n`, sent);
    return;
  }
  if (headers) {
    for (const key of Object.keys(headers)) req.setHeader(key, headers[key]);
  }
  if (host && !req.getHeader('host') && setHost) req.setHeader('Host', hostField(host, port, defaultPort));
  if (options.auth && !req.getHeader('Authorization')) {
    req.setHeader('Authorization', `Basic ${Buffer.from(options.auth).toString('base64')}`);
  }
  writeForProxy(req, options);
  if (req.getHeader('expect')) {
    if (req._header) throw new ERR_HTTP_HEADERS_SENT('render');
    req._storeHeader(`${req.method} ${req.path} HTTP/1.1\r\n`, req[kOutHeaders]);
  }
}

/** A plain request of an agent with a proxy is written for that one. */
function writeForProxy(req, options, headers = undefined) {
  if (!req.agent?.[kProxyConfig]) return undefined;
  const { plainProxyOf, rewriteRequest } = require('#http/proxy');
  const config = plainProxyOf(req.agent, req.protocol, options);
  return config && rewriteRequest(req, config, options, headers);
}

function startConnection(req, agent, options) {
  if (agent) return void agent.addRequest(req, options);
  // Without an agent the connection serves one request.
  req._last = true;
  req.shouldKeepAlive = false;
  let socket;
  if (options.socketPath) options.path = options.socketPath;
  else if (options.path) options = { ...options, path: undefined };
  if (typeof options.createConnection === 'function') {
    const created = once((error, made) => {
      if (error) process.nextTick(() => emitErrorEvent(req, error));
      else req.onSocket(made);
    });
    try {
      socket = options.createConnection(options, created);
      if (socket) created(null, socket);
    } catch (error) {
      created(error);
    }
  } else {
    req.onSocket(net.createConnection(options));
  }
}

ClientRequest.prototype._finish = function _finish() {
  OutgoingMessage.prototype._finish.call(this);
  if (hasHttpObserver()) {
    this.performanceStart = require('perf_hooks').performance.now();
  }
  const { requestStart } = diagnostics();
  if (requestStart.hasSubscribers) requestStart.publish({ request: this });
};

ClientRequest.prototype._implicitHeader = function _implicitHeader() {
  if (this._header) throw new ERR_HTTP_HEADERS_SENT('render');
  this._storeHeader(`${this.method} ${this.path} HTTP/1.1\r\n`, this[kOutHeaders]);
};

function emitAbortNT(req) {
  req.emit('abort');
}

ClientRequest.prototype.abort = function abort() {
  if (this.aborted) return;
  this.aborted = true;
  process.nextTick(emitAbortNT, this);
  this.destroy();
};

ClientRequest.prototype.destroy = function destroy(error) {
  if (this.destroyed) return this;
  this.destroyed = true;
  // What is left of an answer is not wanted any more.
  if (this.res) this.res._dump();
  this[kErrored] = error;
  (this.socket ?? this[kTunnel])?.destroy(error);
  return this;
};

ClientRequest.prototype.onSocket = function onSocket(socket, error) {
  debug('%s %s: has a socket', this.method, this.path);
  process.nextTick(onSocketNT, this, socket, error);
};

/** Calls a method of the socket once there is a connection. */
ClientRequest.prototype._deferToConnect = function _deferToConnect(method, args) {
  const call = () => {
    if (method) Reflect.apply(this.socket[method], this.socket, args);
  };
  const withSocket = () => {
    if (this.socket.writable && !this.socket.connecting) call();
    else this.socket.once('connect', call);
  };
  if (!this.socket) this.once('socket', withSocket);
  else withSocket();
};

ClientRequest.prototype.setTimeout = function setTimeout(msecs, callback) {
  if (this._ended) return this;
  socketTimeoutOf(this);
  msecs = timerDuration(msecs, 'msecs');
  if (callback) {
    if (typeof callback !== 'function') throw new ERR_INVALID_ARG_TYPE('callback', 'Function', callback);
    this.once('timeout', callback);
  }
  if (this.socket) setSocketTimeout(this.socket, msecs);
  else this.once('socket', (socket) => setSocketTimeout(socket, msecs));
  return this;
};

function setSocketTimeout(socket, msecs) {
  if (socket.connecting) {
    socket.once('connect', function () {
      this.setTimeout(msecs);
    });
  } else {
    socket.setTimeout(msecs);
  }
}

ClientRequest.prototype.setNoDelay = function setNoDelay(noDelay) {
  this._deferToConnect('setNoDelay', [noDelay]);
};

ClientRequest.prototype.setSocketKeepAlive = function setSocketKeepAlive(enable, initialDelay) {
  this._deferToConnect('setKeepAlive', [enable, initialDelay]);
};

ClientRequest.prototype.clearTimeout = function clearTimeout(callback) {
  this.setTimeout(0, callback);
};

module.exports = { ClientRequest };
