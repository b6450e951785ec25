'use strict';

const { STATUS_CODES } = require('#http/status');
const { Server, setupConnectionsTracking, storeHTTPOptions, httpServerPreClose } = require('#http/server');
const { connectionListener, kServerResponse, kConnectionsCheckingInterval } = require('#http/server_connection');
const { ServerResponse } = require('#http/server_response');

module.exports = {
  STATUS_CODES,
  Server,
  ServerResponse,
  setupConnectionsTracking,
  storeHTTPOptions,
  _connectionListener: connectionListener,
  kServerResponse,
  httpServerPreClose,
  kConnectionsCheckingInterval,
};
