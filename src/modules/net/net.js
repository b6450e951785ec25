'use strict';

// node:net: the module's face. See socket.js, server.js, connect.js.

const { Socket, connect } = require('#net/socket');
const { Server, createServerHandle } = require('#net/server');
const { normalizeArgs } = require('#net/args');
const { isIP, isIPv4, isIPv6 } = require('#net/ip');
const {
  getDefaultAutoSelectFamily,
  setDefaultAutoSelectFamily,
  getDefaultAutoSelectFamilyAttemptTimeout,
  setDefaultAutoSelectFamilyAttemptTimeout,
} = require('#net/connect');

/**
 * @param {object | Function} [options]
 * @param {(socket: Socket) => void} [connectionListener]
 */
function createServer(options, connectionListener) {
  return new Server(options, connectionListener);
}

module.exports = {
  _createServerHandle: createServerHandle,
  _normalizeArgs: normalizeArgs,
  get BlockList() {
    return require('#net/block_list').BlockList;
  },
  get SocketAddress() {
    return require('#net/socket_address').SocketAddress;
  },
  connect,
  createConnection: connect,
  createServer,
  isIP,
  isIPv4,
  isIPv6,
  Server,
  Socket,
  Stream: Socket,
  getDefaultAutoSelectFamily,
  setDefaultAutoSelectFamily,
  getDefaultAutoSelectFamilyAttemptTimeout,
  setDefaultAutoSelectFamilyAttemptTimeout,
};
