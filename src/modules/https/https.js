'use strict';
// node:https: node:http over node:tls.

const http = require('http');
const tls = require('tls');
const { urlToHttpOptions } = require('url');
const { Agent } = require('#https/agent');
const { storeHTTPOptions, setupConnectionsTracking, httpServerPreClose } = require('#http/server');
const { connectionListener, kConnections } = require('#http/server_connection');

function Server(options, requestListener) {
  if (!(this instanceof Server)) return new Server(options, requestListener);
  let ALPNProtocols = ['http/1.1'];
  if (typeof options === 'function') {
    requestListener = options;
    options = {};
  } else if (options === undefined || options === null) {
    options = {};
  } else {
    require('#internal/validators').validateObject(options, 'options');
    // Only one of ALPNProtocols and ALPNCallback may be there.
    if (options.ALPNProtocols || options.ALPNCallback) ALPNProtocols = undefined;
  }
  Reflect.apply(storeHTTPOptions, this, [options]);
  tls.Server.call(this, { noDelay: true, ALPNProtocols, ...options }, connectionListener);
  this.httpAllowHalfOpen = false;
  this.timeout = 0;
  this.maxHeadersCount = null;
  this.maxRequestsPerSocket = 0;
  this[kConnections] = new Set();
  if (requestListener) this.addListener('request', requestListener);
  this.addListener('tlsClientError', function onClientError(error, socket) {
    if (!this.emit('clientError', error, socket)) socket.destroy(error);
  });
  this.on('listening', setupConnectionsTracking);
}
Object.setPrototypeOf(Server.prototype, tls.Server.prototype);
Object.setPrototypeOf(Server, tls.Server);

Server.prototype.closeAllConnections = http.Server.prototype.closeAllConnections;
Server.prototype.closeIdleConnections = http.Server.prototype.closeIdleConnections;
Server.prototype.setTimeout = http.Server.prototype.setTimeout;

Server.prototype.close = function close(...args) {
  httpServerPreClose(this);
  Reflect.apply(tls.Server.prototype.close, this, args);
  return this;
};

Server.prototype[Symbol.asyncDispose] = async function() {
  await new Promise((resolve, reject) => {
    this.close((error) => (error ? reject(error) : resolve()));
  });
};

function createServer(options, requestListener) {
  return new Server(options, requestListener);
}

const globalAgent = new Agent({
  keepAlive: true, scheduling: 'lifo', timeout: 5000, ...require('#http/proxy').globalAgentOptions(),
});

/** Makes a request over TLS. */
function request(...args) {
  let options = {};
  if (typeof args[0] === 'string') {
    options = urlToHttpOptions(new URL(args.shift()));
  } else if (args[0] instanceof URL || (args[0]?.href !== undefined && args[0]?.protocol !== undefined &&
      typeof args[0].searchParams === 'object')) {
    options = urlToHttpOptions(args.shift());
  }
  if (args[0] && typeof args[0] !== 'function') Object.assign(options, args.shift());
  options._defaultAgent = module.exports.globalAgent;
  args.unshift(options);
  return Reflect.construct(http.ClientRequest, args);
}

function get(input, options, callback) {
  const req = request(input, options, callback);
  req.end();
  return req;
}

module.exports = { Agent, globalAgent, Server, createServer, get, request };
