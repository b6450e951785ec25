'use strict';

// net.Server: accepts connections and makes sockets of them.

const EventEmitter = require('events');
const {
  codes: {
    ERR_INVALID_ARG_TYPE,
    ERR_INVALID_ARG_VALUE,
    ERR_SERVER_ALREADY_LISTEN,
    ERR_SERVER_NOT_RUNNING,
  },
} = require('#internal/errors');
const { validateAbortSignal, validateNumber, validatePort } = require('#internal/validators');
const { takeArgs, toNumber, isPipeName } = require('#net/args');
const { errnoException, hostPortException, uvHostPortException } = require('#net/errors');
const { createTCP, createPipe, kPipeServer, isTCP, isPipe } = require('#net/handles');
const { Socket, handleForFd, applyOptions, kSetNoDelay, kSetKeepAlive, kKeepAliveDelay } = require('#net/socket');

const { kAsyncId, defaultTriggerAsyncIdScope } = require('#async_hooks/hooks');

const kDefaultBacklog = 511;
const UV_TCP_IPV6ONLY = 1;
const UV_TCP_REUSEPORT = 2;
const UV_EINVAL = -22;
const UV_EADDRINUSE = -98;

let channels;
function diagnostics() {
  if (channels === undefined) {
    const { channel, tracingChannel } = require('diagnostics_channel');
    channels = { socket: channel('net.server.socket'), listen: tracingChannel('net.server.listen') };
  }
  return channels;
}

function readConstructorOptions(options) {
  if (options === null || options === undefined) return {};
  if (typeof options !== 'object') throw new ERR_INVALID_ARG_TYPE('options', 'Object', options);
  const own = { ...options };
  if (own.keepAliveInitialDelay !== undefined) {
    validateNumber(own.keepAliveInitialDelay, 'options.keepAliveInitialDelay');
    if (own.keepAliveInitialDelay < 0) own.keepAliveInitialDelay = 0;
  }
  if (own.highWaterMark !== undefined) {
    validateNumber(own.highWaterMark, 'options.highWaterMark');
    if (own.highWaterMark < 0) own.highWaterMark = require('stream').getDefaultHighWaterMark();
  }
  return own;
}

/**
 * @param {object | Function} [options]
 * @param {(socket: Socket) => void} [connectionListener]
 */
function Server(options, connectionListener) {
  if (!(this instanceof Server)) return new Server(options, connectionListener);
  EventEmitter.call(this);
  if (typeof options === 'function') {
    connectionListener = options;
    options = {};
  }
  options = readConstructorOptions(options);
  if (typeof connectionListener === 'function') this.on('connection', connectionListener);
  else if (connectionListener != null) {
    throw new ERR_INVALID_ARG_TYPE('connectionListener', 'Function', connectionListener);
  }
  if (options.blockList && !require('#net/block_list').BlockList.isBlockList(options.blockList)) {
    throw new ERR_INVALID_ARG_TYPE('options.blockList', 'net.BlockList', options.blockList);
  }

  this[kAsyncId] = -1;
  this._connections = 0;
  this._handle = null;
  this._usingWorkers = false;
  this._workers = [];
  this._unref = false;
  this._listeningId = 1;
  this.allowHalfOpen = options.allowHalfOpen || false;
  this.pauseOnConnect = Boolean(options.pauseOnConnect);
  this.noDelay = Boolean(options.noDelay);
  this.keepAlive = Boolean(options.keepAlive);
  this.keepAliveInitialDelay = ~~(options.keepAliveInitialDelay / 1000);
  this.highWaterMark = options.highWaterMark ?? require('stream').getDefaultHighWaterMark();
  if (options.blockList) this.blockList = options.blockList;
}
Object.setPrototypeOf(Server.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Server, EventEmitter);

// --- listening -----------------------------------------------------------------------------------------------------

/** @returns {object | number} a bound handle, or a negative errno */
function createServerHandle(address, port, addressType, fd, flags) {
  if (typeof fd === 'number' && fd >= 0) return openServerFd(fd);
  if (port === -1 && addressType === -1) {
    const handle = createPipe(kPipeServer);
    const error = handle.bindPath(address);
    if (error === 0) return handle;
    handle.close();
    return error;
  }
  const handle = createTCP(true);
  let error;
  if (addressType === 6 || (!address && addressType !== 4)) {
    error = handle.bind(address || '::', port | 0, flags ?? 0);
    if (error !== 0 && !address) error = handle.bind('0.0.0.0', port | 0, flags ?? 0);
  } else {
    error = handle.bind(address || '0.0.0.0', port | 0, flags ?? 0);
  }
  if (error === 0) return handle;
  handle.close();
  return error;
}

function openServerFd(fd) {
  let handle;
  try {
    handle = handleForFd(fd, true);
  } catch (error) {
    if (error.code === 'ERR_INVALID_FD_TYPE' || error.code === 'ERR_OUT_OF_RANGE') return UV_EINVAL;
    throw error;
  }
  const error = handle.open(fd);
  if (error < 0) return error;
  handle.readable = true;
  handle.writable = true;
  return handle;
}

function emitErrorNT(emitter, error) {
  emitter.emit('error', error);
}

function emitListeningNT(server) {
  if (server._handle) server.emit('listening');
}

function failListen(server, status, address, port) {
  const error = uvHostPortException(status, 'listen', address, port);
  if (server._handle) {
    server._handle.close();
    server._handle = null;
  }
  if (diagnostics().listen.hasSubscribers) diagnostics().listen.error.publish({ server, error });
  defaultTriggerAsyncIdScope(server[kAsyncId], process.nextTick, emitErrorNT, server, error);
}

/** Both families at once where the kernel has IPv6, else IPv4. */
function bindAnyAddress(port, fd, flags) {
  const both = createServerHandle('::', port, 6, fd, flags);
  if (typeof both !== 'number') return { handle: both, address: '::', addressType: 6 };
  if (both === UV_EADDRINUSE) return { handle: both, address: '::', addressType: 6 };
  return { handle: createServerHandle('0.0.0.0', port, 4, fd, flags), address: '0.0.0.0', addressType: 4 };
}

function setupListenHandle(address, port, addressType, backlog, fd, flags) {
  if (!this._handle) {
    let handle;
    if (!address && typeof fd !== 'number') {
      ({ handle, address, addressType } = bindAnyAddress(port, fd, flags));
    } else {
      handle = createServerHandle(address, port, addressType, fd, flags);
    }
    if (typeof handle === 'number') return failListen(this, handle, address, port);
    this._handle = handle;
  }
  this[kAsyncId] = this._handle.getAsyncId?.() ?? -1;
  this._handle.onconnection = onconnection;
  this._handle.owner = this;
  const error = this._handle.listen(backlog || kDefaultBacklog);
  if (error !== 0) return failListen(this, error, address, port);
  this._connectionKey = `${addressType}:${address}:${port}`;
  if (this._unref) this.unref();
  if (diagnostics().listen.hasSubscribers) diagnostics().listen.asyncEnd.publish({ server: this });
  defaultTriggerAsyncIdScope(this[kAsyncId], process.nextTick, emitListeningNT, this);
}

Server.prototype._listen2 = setupListenHandle;

function isClusterWorker() {
  return require('#cluster/role').isWorker();
}

function listenInCluster(server, address, port, addressType, backlog, fd, exclusive, flags, options) {
  exclusive = Boolean(exclusive);
  if (!isClusterWorker() || exclusive) {
    server._listen2(address, port, addressType, backlog, fd, flags);
    return;
  }
  const query = { address, port, addressType, fd, flags, backlog, ...options };
  const listeningId = ++server._listeningId;
  require('cluster')._getServer(server, query, (status, handle) => {
    if (listeningId !== server._listeningId) {
      handle?.close();
      return;
    }
    if (status === 0 && handle.getsockname) status = checkBound(handle, port);
    if (status) {
      const error = hostPortException(status, 'bind', address, port);
      return server.emit('error', error);
    }
    server._handle = handle;
    server._listen2(address, port, addressType, backlog, fd, flags);
  });
}

/** In a worker the primary may have bound another port than the one that was asked for. */
function checkBound(handle, port) {
  if (!(port > 0)) return 0;
  const out = {};
  const error = handle.getsockname(out);
  return error === 0 && out.port !== port && out.port !== undefined ? UV_EADDRINUSE : 0;
}

function lookupAndListen(server, port, address, backlog, exclusive, flags) {
  const listeningId = server._listeningId;
  require('dns').lookup(address, (error, ip, addressType) => {
    // Closed, or listening again, meanwhile.
    if (listeningId !== server._listeningId) return;
    if (error) return void server.emit('error', error);
    listenInCluster(server, ip, port, ip ? addressType : 4, backlog, undefined, exclusive, flags);
  });
}

function listenOnPort(server, options, backlog, flags) {
  if (typeof options.port === 'number' || typeof options.port === 'string') {
    validatePort(options.port, 'options.port');
    const port = options.port | 0;
    const exclusive = options.exclusive || Boolean(options.reusePort);
    if (options.host) lookupAndListen(server, port, options.host, backlog, exclusive, flags);
    else listenInCluster(server, null, port, 4, backlog, undefined, exclusive, flags);
    return true;
  }
  return false;
}

/** Who may connect to a server's path, see the readableAll and writableAll options. */
function openPathToAll(server, options) {
  const mode = (options.readableAll ? 0o444 : 0) | (options.writableAll ? 0o222 : 0);
  if (mode === 0) return;
  const error = server._handle.fchmod(mode);
  if (error) {
    server._handle.close();
    server._handle = null;
    throw errnoException(error, 'uv_pipe_chmod');
  }
}

function listenOnPath(server, options, backlog) {
  if (options.path.startsWith('\0') && (options.readableAll || options.writableAll)) {
    throw new ERR_INVALID_ARG_VALUE('options', options,
      'can not set readableAll or writableAllt to true when path is abstract unix socket');
  }
  const pipeName = (server._pipeName = options.path);
  listenInCluster(server, pipeName, -1, -1, backlog, undefined, options.exclusive, undefined, {
    readableAll: options.readableAll,
    writableAll: options.writableAll,
  });
  if (server._handle) openPathToAll(server, options);
}

function closeOnAbort(server, options) {
  if (options?.signal === undefined) return;
  const { signal } = options;
  validateAbortSignal(signal, 'options.signal');
  const onAborted = () => server.close();
  if (signal.aborted) return void process.nextTick(onAborted);
  signal.addEventListener('abort', onAborted, { once: true });
  server.once('close', () => signal.removeEventListener('abort', onAborted));
}

function backlogOf(args, options) {
  return toNumber(args.length > 1 && args[1]) || toNumber(args.length > 2 && args[2]) || options.backlog;
}

function flagsOf({ ipv6Only, reusePort }) {
  const flags = (ipv6Only === true ? UV_TCP_IPV6ONLY : 0) | (reusePort === true ? UV_TCP_REUSEPORT : 0);
  return flags === 0 ? undefined : flags;
}

/** listen(handle): a server's or a native one. */
function listenOnHandle(server, handle, backlog) {
  server._handle = handle;
  server._listeningId++;
  listenInCluster(server, null, -1, -1, backlog, undefined, true);
}

Server.prototype.listen = function (...args) {
  let [options, callback] = takeArgs(args);
  if (this._handle) throw new ERR_SERVER_ALREADY_LISTEN();
  if (callback !== null) this.once('listening', callback);
  const backlog = backlogOf(args, options);
  options = options._handle || options.handle || options;
  const flags = flagsOf(options);
  if (diagnostics().listen.hasSubscribers) diagnostics().listen.asyncStart.publish({ server: this, options });

  if (isTCP(options) || isPipe(options)) {
    listenOnHandle(this, options, backlog);
    return this;
  }
  closeOnAbort(this, options);
  if (typeof options.fd === 'number' && options.fd >= 0) {
    listenInCluster(this, null, null, null, backlog, options.fd);
    return this;
  }
  if (args.length === 0 || typeof args[0] === 'function' ||
    (options.port === undefined && 'port' in options) || options.port === null) {
    options = { ...options, port: 0 };
  }
  if (listenOnPort(this, options, backlog, flags)) return this;
  if (options.path && isPipeName(options.path)) {
    listenOnPath(this, options, backlog);
    return this;
  }
  if (!('port' in options || 'path' in options)) {
    throw new ERR_INVALID_ARG_VALUE('options', options, 'must have the property "port" or "path"');
  }
  throw new ERR_INVALID_ARG_VALUE('options', options);
};

Object.defineProperty(Server.prototype, 'listening', {
  __proto__: null,
  get() { return Boolean(this._handle); },
  configurable: true,
  enumerable: true,
});

Server.prototype.address = function () {
  if (this._handle?.getsockname) {
    const out = {};
    const error = this._handle.getsockname(out);
    if (error) throw errnoException(error, 'address');
    // A path's handle has no address of its own.
    if (out.address !== undefined) return out;
  }
  return this._pipeName ? this._pipeName : null;
};

// --- connections ---------------------------------------------------------------------------------------------------

function namesOf(client) {
  const local = {};
  const remote = {};
  client.getsockname?.(local);
  client.getpeername?.(remote);
  return {
    localAddress: local.address,
    localPort: local.port,
    localFamily: local.family,
    remoteAddress: remote.address,
    remotePort: remote.port,
    remoteFamily: remote.family,
  };
}

function isBlocked(server, client) {
  if (!server.blockList) return false;
  const remote = {};
  client.getpeername?.(remote);
  return remote.address !== undefined && server.blockList.check(remote.address, remote.family);
}

function drop(server, client) {
  const data = namesOf(client);
  client.close();
  server.emit('drop', data);
}

/** Called by the listening handle. */
function onconnection(status, client) {
  const server = this.owner;
  if (status !== 0) return void server.emit('error', errnoException(status, 'accept'));
  if (server.maxConnections != null && server._connections >= server.maxConnections) return drop(server, client);
  if (isBlocked(server, client)) return drop(server, client);
  const socket = new Socket({
    handle: client,
    allowHalfOpen: server.allowHalfOpen,
    pauseOnCreate: server.pauseOnConnect,
    readable: true,
    writable: true,
    readableHighWaterMark: server.highWaterMark,
    writableHighWaterMark: server.highWaterMark,
  });
  if (server.noDelay || server.keepAlive) {
    socket[kSetNoDelay] = server.noDelay;
    socket[kSetKeepAlive] = server.keepAlive;
    socket[kKeepAliveDelay] = server.keepAliveInitialDelay;
    applyOptions(socket);
  }
  server._connections++;
  socket.server = server;
  socket._server = server;
  server.emit('connection', socket);
  if (diagnostics().socket.hasSubscribers) diagnostics().socket.publish({ socket });
}

/** @param {(error: Error | null, count?: number) => void} callback */
Server.prototype.getConnections = function (callback) {
  const end = (error, connections) => {
    defaultTriggerAsyncIdScope(this[kAsyncId], process.nextTick, callback, error, connections);
  };
  if (!this._usingWorkers) {
    end(null, this._connections);
    return this;
  }
  // Sockets sent to other processes are counted there.
  let left = this._workers.length;
  let total = this._connections;
  const oncount = (error, count) => {
    if (error) {
      left = -1;
      return end(error);
    }
    total += count;
    if (--left === 0) end(null, total);
  };
  for (const worker of this._workers) worker.getConnections(oncount);
  return this;
};

// --- closing -------------------------------------------------------------------------------------------------------

Server.prototype.close = function (callback) {
  if (typeof callback === 'function') {
    if (!this._handle) {
      this.once('close', function close() {
        callback(new ERR_SERVER_NOT_RUNNING());
      });
    } else {
      this.once('close', callback);
    }
  }
  if (this._handle) {
    this._handle.close();
    this._handle = null;
  }
  this._listeningId++;
  if (this._usingWorkers) closeWorkers(this);
  else this._emitCloseIfDrained();
  return this;
};

function closeWorkers(server) {
  let left = server._workers.length;
  const onWorkerClose = () => {
    if (--left !== 0) return;
    server._connections = 0;
    server._emitCloseIfDrained();
  };
  // The close message also counts as a connection that is left.
  server._connections++;
  for (const worker of server._workers) worker.close(onWorkerClose);
}

function emitCloseNT(server) {
  server.emit('close');
}

Server.prototype._emitCloseIfDrained = function () {
  if (this._handle || this._connections) return;
  defaultTriggerAsyncIdScope(this[kAsyncId], process.nextTick, emitCloseNT, this);
};

Server.prototype[Symbol.asyncDispose] = async function () {
  if (!this._handle) return;
  await new Promise((resolve, reject) => {
    this.close((error) => (error ? reject(error) : resolve()));
  });
};

Server.prototype[Symbol.for('nodejs.rejection')] = function (error, event, socket) {
  if (event === 'connection') socket.destroy(error);
  else this.emit('error', error);
};

/** Counts the sockets that a child process holds for this server. */
Server.prototype._setupWorker = function (socketList) {
  this._usingWorkers = true;
  this._workers.push(socketList);
  socketList.once('exit', (list) => {
    this._workers.splice(this._workers.indexOf(list), 1);
  });
};

Server.prototype.ref = function () {
  this._unref = false;
  if (this._handle) this._handle.ref();
  return this;
};

Server.prototype.unref = function () {
  this._unref = true;
  if (this._handle) this._handle.unref();
  return this;
};

module.exports = { Server, createServerHandle };
