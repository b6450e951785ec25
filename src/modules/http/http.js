'use strict';

// node:http: the module's face.

const { validateInteger } = require('#internal/validators');
const { getGlobalAgent, setGlobalAgent, Agent } = require('#http/agent');
const { ClientRequest } = require('#http/client');
const { getMaxHeaderSize, methods, parsers } = require('#http/common');
const { IncomingMessage } = require('#http/incoming');
const { validateHeaderName, validateHeaderValue } = require('#http/header_rules');
const { OutgoingMessage } = require('#http/outgoing');
const { Server } = require('#http/server');
const { connectionListener } = require('#http/server_connection');
const { ServerResponse } = require('#http/server_response');
const { STATUS_CODES } = require('#http/status');

function createServer(options, requestListener) {
  return new Server(options, requestListener);
}

function request(url, options, callback) {
  return new ClientRequest(url, options, callback);
}

function get(url, options, callback) {
  const req = request(url, options, callback);
  req.end();
  return req;
}

/** @param {number} max how many idle parsers are kept */
function setMaxIdleHTTPParsers(max) {
  validateInteger(max, 'max', 1);
  parsers.max = max;
}

module.exports = {
  _connectionListener: connectionListener,
  METHODS: methods.toSorted(),
  STATUS_CODES,
  Agent,
  ClientRequest,
  IncomingMessage,
  OutgoingMessage,
  Server,
  ServerResponse,
  createServer,
  validateHeaderName,
  validateHeaderValue,
  get,
  request,
  setMaxIdleHTTPParsers,
};

function define(name, get, set) {
  Object.defineProperty(module.exports, name, { __proto__: null, configurable: true, enumerable: true, get, set });
}

define('maxHeaderSize', getMaxHeaderSize);
define('globalAgent', getGlobalAgent, setGlobalAgent);
define('WebSocket', () => globalThis.WebSocket);
define('CloseEvent', () => globalThis.CloseEvent);
define('MessageEvent', () => globalThis.MessageEvent);
