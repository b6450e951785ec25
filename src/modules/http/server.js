'use strict';

// http.Server: a net.Server that speaks HTTP/1.

const net = require('net');
const { setInterval, clearInterval } = require('timers');
const EventEmitter = require('events');
const {
  codes: { ERR_HTTP_REQUEST_TIMEOUT, ERR_OUT_OF_RANGE },
} = require('#internal/errors');
const {
  validateBoolean,
  validateFunction,
  validateInteger,
  validateObject,
} = require('#internal/validators');
const { IncomingMessage } = require('#http/incoming');
const { ServerResponse } = require('#http/server_response');
const { kIncomingMessage } = require('#http/common');
const { kUniqueHeaders } = require('#http/outgoing_symbols');
const { parseUniqueHeadersOption } = require('#http/header_rules');
const { debug } = require('#http/debug');
const core = require('#http/native_server');
const {
  connectionListener,
  kConnections,
  kConnectionsCheckingInterval,
  kOptimizeEmptyRequests,
  kServerResponse,
  socketOnError,
} = require('#http/server_connection');

function timeoutOption(options, name, fallback) {
  const value = options[name];
  if (value === undefined) return fallback;
  validateInteger(value, name, 0);
  return value;
}

function booleanOption(options, name, fallback) {
  const value = options[name];
  if (value === undefined) return fallback;
  validateBoolean(value, `options.${name}`);
  return value;
}

/** Reads the options that http and https servers have in common. */
function storeHTTPOptions(options) {
  this[kIncomingMessage] = options.IncomingMessage || IncomingMessage;
  this[kServerResponse] = options.ServerResponse || ServerResponse;
  if (options.maxHeaderSize !== undefined) validateInteger(options.maxHeaderSize, 'maxHeaderSize', 0);
  this.maxHeaderSize = options.maxHeaderSize;
  this.insecureHTTPParser = booleanOption(options, 'insecureHTTPParser', undefined);
  this.requestTimeout = timeoutOption(options, 'requestTimeout', 300_000);
  this.headersTimeout = timeoutOption(options, 'headersTimeout',
    this.requestTimeout > 0 ? Math.min(60_000, this.requestTimeout) : 60_000);
  if (this.requestTimeout > 0 && this.headersTimeout > 0 && this.headersTimeout > this.requestTimeout) {
    throw new ERR_OUT_OF_RANGE('headersTimeout', '<= requestTimeout', options.headersTimeout);
  }
  this.keepAliveTimeout = timeoutOption(options, 'keepAliveTimeout', 5_000);
  this.keepAliveTimeoutBuffer = timeoutOption(options, 'keepAliveTimeoutBuffer', 1_000);
  this.connectionsCheckingInterval = timeoutOption(options, 'connectionsCheckingInterval', 30_000);
  this.requireHostHeader = booleanOption(options, 'requireHostHeader', true);
  this.joinDuplicateHeaders = booleanOption(options, 'joinDuplicateHeaders', undefined);
  this.rejectNonStandardBodyWrites = booleanOption(options, 'rejectNonStandardBodyWrites', false);
  this[kOptimizeEmptyRequests] = booleanOption(options, 'optimizeEmptyRequests', false);
  if (options.shouldUpgradeCallback !== undefined) {
    validateFunction(options.shouldUpgradeCallback, 'options.shouldUpgradeCallback');
    this.shouldUpgradeCallback = options.shouldUpgradeCallback;
  } else {
    this.shouldUpgradeCallback = function () {
      return this.listenerCount('upgrade') > 0;
    };
  }
}

function checkConnections(server) {
  core.checkTimeouts(server);
  const { headersTimeout, requestTimeout } = server;
  const time = performance.now();
  for (const connection of [...server[kConnections]]) {
    const { messageStart } = connection;
    if (messageStart === 0) continue;
    const limit = connection.headersCompleted ? requestTimeout : headersTimeout || requestTimeout;
    const expired = (limit > 0 && time - messageStart >= limit) ||
      (requestTimeout > 0 && time - messageStart >= requestTimeout);
    if (!expired || connection.expired === messageStart) continue;
    connection.expired = messageStart; // told once of each request
    const { socket } = connection;
    if (socket && !socket.destroyed) socketOnError.call(socket, new ERR_HTTP_REQUEST_TIMEOUT());
  }
}

/** Begins to watch the times that requests take; on 'listening'. */
function setupConnectionsTracking() {
  debug('server listens');
  this[kConnections] ??= new Set();
  if (this[kConnectionsCheckingInterval]) clearInterval(this[kConnectionsCheckingInterval]);
  this[kConnectionsCheckingInterval] = setInterval(checkConnections, this.connectionsCheckingInterval, this);
  this[kConnectionsCheckingInterval].unref();
  // A server over TLS has sockets of its own; so have the handles that a cluster's primary sends.
  if (this instanceof Server && this._handle) core.attach(this);
}

function httpServerPreClose(server) {
  server.closeIdleConnections();
  clearInterval(server[kConnectionsCheckingInterval]);
}

/**
 * @param {object | Function} [options]
 * @param {(req: IncomingMessage, res: ServerResponse) => void} [requestListener]
 */
function Server(options, requestListener) {
  if (!(this instanceof Server)) return new Server(options, requestListener);
  if (typeof options === 'function') {
    requestListener = options;
    options = {};
  } else if (options === undefined || options === null) {
    options = {};
  } else {
    validateObject(options, 'options');
    options = { ...options };
  }
  storeHTTPOptions.call(this, options);
  net.Server.call(this, {
    allowHalfOpen: true,
    noDelay: options.noDelay ?? true,
    keepAlive: options.keepAlive,
    keepAliveInitialDelay: options.keepAliveInitialDelay,
    highWaterMark: options.highWaterMark,
  });
  if (requestListener) this.on('request', requestListener);
  // Only the server's own 'connection' listener; the native core may take its place, see native_server.js.
  this.on('connection', connectionListener);
  this.on('listening', setupConnectionsTracking);
  // A server's sockets are half-open for the server's sake only.
  this.httpAllowHalfOpen = false;
  this.timeout = 0;
  this.maxHeadersCount = null;
  this.maxRequestsPerSocket = 0;
  this[kConnections] = new Set();
  this[kUniqueHeaders] = parseUniqueHeadersOption(options.uniqueHeaders);
}
Object.setPrototypeOf(Server.prototype, net.Server.prototype);
Object.setPrototypeOf(Server, net.Server);

Server.prototype.close = function close(...args) {
  httpServerPreClose(this);
  core.detach(this);
  return net.Server.prototype.close.apply(this, args);
};

Server.prototype[Symbol.asyncDispose] = async function () {
  await new Promise((resolve, reject) => this.close((error) => (error ? reject(error) : resolve())));
};

Server.prototype.closeAllConnections = function closeAllConnections() {
  core.closeConnections(this, false);
  for (const connection of [...(this[kConnections] ?? [])]) connection.socket.destroy();
};

Server.prototype.closeIdleConnections = function closeIdleConnections() {
  core.closeConnections(this, true);
  for (const connection of [...(this[kConnections] ?? [])]) {
    if (!connection.idle()) continue;
    const { socket } = connection;
    if (socket._httpMessage && !socket._httpMessage.finished) continue;
    socket.destroy();
  }
};

Server.prototype.setTimeout = function setTimeout(msecs, callback) {
  this.timeout = msecs;
  if (callback) this.on('timeout', callback);
  return this;
};

Server.prototype[EventEmitter.captureRejectionSymbol] = function (error, event, ...args) {
  if (event !== 'request') {
    net.Server.prototype[EventEmitter.captureRejectionSymbol]?.call(this, error, event, ...args);
    return;
  }
  const [, res] = args;
  if (!res.headersSent && !res.writableEnded) {
    for (const name of res.getHeaderNames()) res.removeHeader(name);
    res.statusCode = 500;
    res.end(require('#http/status').STATUS_CODES[500]);
  } else {
    res.destroy();
  }
};

module.exports = { Server, httpServerPreClose, setupConnectionsTracking, storeHTTPOptions };
