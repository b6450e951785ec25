'use strict';

// node:dgram: datagram sockets.

const EventEmitter = require('events');
const { Buffer } = require('buffer');
const {
  codes: {
    ERR_BUFFER_OUT_OF_BOUNDS,
    ERR_INVALID_ARG_TYPE,
    ERR_INVALID_FD_TYPE,
    ERR_IP_BLOCKED,
    ERR_MISSING_ARGS,
    ERR_SOCKET_ALREADY_BOUND,
    ERR_SOCKET_BAD_BUFFER_SIZE,
    ERR_SOCKET_BAD_TYPE,
    ERR_SOCKET_BUFFER_SIZE,
    ERR_SOCKET_DGRAM_IS_CONNECTED,
    ERR_SOCKET_DGRAM_NOT_CONNECTED,
    ERR_SOCKET_DGRAM_NOT_RUNNING,
  },
} = require('#internal/errors');
const { publish } = require('#internal/diagnostics');
const {
  validateAbortSignal,
  validateFunction,
  validateNumber,
  validatePort,
  validateString,
  validateUint32,
} = require('#internal/validators');
const { errnoException, hostPortException } = require('#net/errors');
const { isIP } = require('#net/ip');
const { createUDP, isHandle, kState } = require('#dgram/handles');

const { kAsyncId, defaultTriggerAsyncIdScope } = require('#async_hooks/hooks');

const UV_EINVAL = -22;
const UV_UDP_IPV6ONLY = 1;
const UV_UDP_REUSEADDR = 4;
const UV_UDP_REUSEPORT = 8;

const kUnbound = 0;
const kBinding = 1;
const kBound = 2;
const kDisconnected = 0;
const kConnecting = 1;
const kConnected = 2;

/** What a socket looks names up with: its type's family, unless the program brings its own. */
function lookupFor(type, lookup) {
  if (lookup !== undefined) validateFunction(lookup, 'lookup');
  const family = type === 'udp6' ? 6 : 4;
  return (address, callback) => {
    const host = address || (family === 6 ? '::1' : '127.0.0.1');
    if (lookup !== undefined) return lookup(host, family, callback);
    require('dns').lookup(host, family, callback);
  };
}

function newHandle(type, lookup) {
  const handle = createUDP();
  handle.lookup = lookupFor(type, lookup);
  return handle;
}

function readOptions(type, listener) {
  if (type === null || typeof type !== 'object') return { type, options: {}, listener };
  return { type: type.type, options: type, listener };
}

/** Makes a native socket for the cluster's primary. @returns {object | number} */
function _createSocketHandle(address, port, addressType, fd, flags) {
  const handle = newHandle(addressType);
  let error = 0;
  if (typeof fd === 'number' && fd > 0) {
    if (require('#net/handles').guessHandleType(fd) !== 'UDP') error = UV_EINVAL;
    else error = handle.open(fd);
  } else if (port || address) {
    error = handle.bind(address || (addressType === 'udp6' ? '::' : '0.0.0.0'), port || 0, flags ?? 0);
  }
  if (error) {
    handle.close();
    return error;
  }
  return handle;
}

/**
 * @param {'udp4' | 'udp6' | object} type
 * @param {(message: Buffer, rinfo: object) => void} [listener]
 */
function Socket(type, listener) {
  EventEmitter.call(this);
  const read = readOptions(type, listener);
  const { options } = read;
  if (read.type !== 'udp4' && read.type !== 'udp6') throw new ERR_SOCKET_BAD_TYPE();
  const handle = newHandle(read.type, options.lookup);
  handle.owner = this;
  this[kAsyncId] = handle.getAsyncId();
  this.type = read.type;
  if (typeof listener === 'function') this.on('message', listener);
  this[kState] = {
    handle,
    receiving: false,
    bindState: kUnbound,
    connectState: kDisconnected,
    queue: undefined,
    reuseAddr: options.reuseAddr,
    reusePort: options.reusePort,
    ipv6Only: options.ipv6Only,
    recvBufferSize: options.recvBufferSize,
    sendBufferSize: options.sendBufferSize,
    receiveBlockList: options.receiveBlockList,
    sendBlockList: options.sendBlockList,
  };
  if (options.recvBufferSize != null) validateUint32(options.recvBufferSize, 'options.recvBufferSize');
  if (options.sendBufferSize != null) validateUint32(options.sendBufferSize, 'options.sendBufferSize');
  closeOnAbort(this, options.signal);
  publish('udp.socket', () => ({ socket: this }));
}
Object.setPrototypeOf(Socket.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Socket, EventEmitter);

function closeOnAbort(socket, signal) {
  if (signal === undefined) return;
  validateAbortSignal(signal, 'options.signal');
  const onAborted = () => {
    if (socket[kState].handle) socket.close();
  };
  if (signal.aborted) return onAborted();
  signal.addEventListener('abort', onAborted, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', onAborted));
}

/** @param {string | object} type @param {Function} [listener] */
function createSocket(type, listener) {
  return new Socket(type, listener);
}

// --- binding -------------------------------------------------------------------------------------------------------

function onMessage(nread, handle, buffer, rinfo) {
  const socket = handle.owner;
  if (socket === undefined || socket[kState].handle !== handle) return;
  if (nread < 0) return void socket.emit('error', errnoException(nread, 'recvmsg'));
  if (socket[kState].receiveBlockList?.check(rinfo.address, rinfo.family.toLowerCase())) return;
  socket.emit('message', buffer, rinfo);
}

function startListening(socket) {
  const state = socket[kState];
  state.handle.onmessage = onMessage;
  state.handle.recvStart();
  state.receiving = true;
  state.bindState = kBound;
  if (state.recvBufferSize) bufferSize(socket, state.recvBufferSize, true);
  if (state.sendBufferSize) bufferSize(socket, state.sendBufferSize, false);
  socket.emit('listening');
}

function replaceHandle(socket, handle) {
  const state = socket[kState];
  handle.lookup = state.handle.lookup;
  handle.owner = socket;
  socket[kAsyncId] = handle.getAsyncId();
  state.handle.close();
  state.handle = handle;
}

function bufferSize(socket, size, isReceive) {
  if (size >>> 0 !== size) throw new ERR_SOCKET_BAD_BUFFER_SIZE();
  healthCheck(socket);
  const result = socket[kState].handle.bufferSize(size, isReceive);
  if (result < 0) throw new ERR_SOCKET_BUFFER_SIZE(bufferSizeContext(result, isReceive));
  return result;
}

function bufferSizeContext(errno, isReceive) {
  const [code, message] = require('util').getSystemErrorMap().get(errno) ?? ['UNKNOWN', 'unknown error'];
  return { errno, code, message, syscall: `uv_${isReceive ? 'recv' : 'send'}_buffer_size` };
}

function healthCheck(socket) {
  if (!socket[kState].handle) throw new ERR_SOCKET_DGRAM_NOT_RUNNING();
}

function isInCluster(exclusive) {
  return !exclusive && require('#cluster/role').isWorker();
}

function bindServerHandle(socket, options, failed) {
  const state = socket[kState];
  require('cluster')._getServer(socket, options, (error, handle) => {
    if (error) {
      const exception = hostPortException(error, 'bind', options.address, options.port);
      state.bindState = kUnbound;
      return failed(exception);
    }
    if (!state.handle) return handle.close();
    replaceHandle(socket, handle);
    startListening(socket);
  });
}

function readBindArgs(port_, address_) {
  if (port_ !== null && typeof port_ === 'object' && !isHandle(port_)) {
    return { port: port_.port, address: port_.address || '', exclusive: Boolean(port_.exclusive), fd: port_.fd };
  }
  return { port: port_, address: typeof address_ === 'function' ? '' : address_, exclusive: false, fd: undefined };
}

function bindFlags(state, type) {
  let flags = 0;
  if (state.reuseAddr) flags |= UV_UDP_REUSEADDR;
  if (state.ipv6Only && type === 'udp6') flags |= UV_UDP_IPV6ONLY;
  if (state.reusePort) flags |= UV_UDP_REUSEPORT;
  return flags;
}

function onceBound(socket, callback) {
  function removeListeners() {
    socket.removeListener('error', removeListeners);
    socket.removeListener('listening', onListening);
  }
  function onListening() {
    removeListeners();
    callback.call(socket);
  }
  socket.on('error', removeListeners);
  socket.on('listening', onListening);
}

Socket.prototype.bind = function (port_, address_ /* , callback */) {
  healthCheck(this);
  const state = this[kState];
  if (state.bindState !== kUnbound) throw new ERR_SOCKET_ALREADY_BOUND();
  state.bindState = kBinding;
  const callback = arguments.length && arguments[arguments.length - 1];
  if (typeof callback === 'function') onceBound(this, callback);
  if (isHandle(port_)) {
    replaceHandle(this, port_);
    startListening(this);
    return this;
  }
  const { port, address, exclusive, fd } = readBindArgs(port_, address_);
  if (typeof fd === 'number' && fd > 0) {
    bindFd(this, fd, exclusive);
    return this;
  }
  // Looked up even if it is an address, so that errors come the same way.
  state.handle.lookup(address || (this.type === 'udp4' ? '0.0.0.0' : '::'), (error, ip) => {
    if (!state.handle) return;
    if (error) {
      state.bindState = kUnbound;
      this.emit('error', error);
      return;
    }
    bindTo(this, ip, port, exclusive);
  });
  return this;
};

function bindFd(socket, fd, exclusive) {
  const state = socket[kState];
  if (isInCluster(exclusive)) {
    bindServerHandle(socket, { address: null, port: null, addressType: socket.type, fd, flags: null }, (error) => {
      socket.emit('error', error);
    });
    return;
  }
  const type = require('#net/handles').guessHandleType(fd);
  if (type !== 'UDP') throw new ERR_INVALID_FD_TYPE(type);
  const error = state.handle.open(fd);
  if (error) throw errnoException(error, 'open');
  startListening(socket);
}

function bindTo(socket, ip, port, exclusive) {
  const state = socket[kState];
  const flags = bindFlags(state, socket.type);
  if (isInCluster(exclusive || state.reusePort)) {
    bindServerHandle(socket, { address: ip, port, addressType: socket.type, fd: -1, flags }, (error) => {
      // Told in a turn of its own, as bind() itself would.
      process.nextTick(() => socket.emit('error', error));
    });
    return;
  }
  const error = state.handle.bind(ip, port || 0, flags);
  if (error) {
    state.bindState = kUnbound;
    socket.emit('error', hostPortException(error, 'bind', ip, port));
    return;
  }
  startListening(socket);
}

// --- connecting ----------------------------------------------------------------------------------------------------

function validatedPort(port) {
  const legal = validatePort(port, 'Port', false);
  return legal | 0;
}

Socket.prototype.connect = function (port, address, callback) {
  port = validatedPort(port);
  if (typeof address === 'function') {
    callback = address;
    address = '';
  } else if (address === undefined) {
    address = '';
  }
  validateString(address, 'address');
  const state = this[kState];
  if (state.connectState !== kDisconnected) throw new ERR_SOCKET_DGRAM_IS_CONNECTED();
  state.connectState = kConnecting;
  if (state.bindState === kUnbound) this.bind({ port: 0, exclusive: true }, null);
  if (state.bindState !== kBound) {
    enqueue(this, () => startConnect(this, port, address, callback));
    return;
  }
  startConnect(this, port, address, callback);
};

function startConnect(socket, port, address, callback) {
  socket[kState].handle.lookup(address, (error, ip) => doConnect(error, socket, ip, address, port, callback));
}

function doConnect(error, socket, ip, address, port, callback) {
  const state = socket[kState];
  if (!state.handle) return;
  if (!error && state.sendBlockList?.check(ip, `ipv${isIP(ip)}`)) error = new ERR_IP_BLOCKED(ip);
  if (!error) {
    const status = state.handle.connect(ip, port);
    if (status) error = hostPortException(status, 'connect', address, port);
  }
  if (error) {
    state.connectState = kDisconnected;
    process.nextTick(() => {
      if (typeof callback === 'function') callback(error);
      else socket.emit('error', error);
    });
    return;
  }
  state.connectState = kConnected;
  if (typeof callback === 'function') socket.once('connect', callback);
  process.nextTick(() => socket.emit('connect'));
}

Socket.prototype.disconnect = function () {
  const state = this[kState];
  if (state.connectState !== kConnected) throw new ERR_SOCKET_DGRAM_NOT_CONNECTED();
  const error = state.handle.disconnect();
  if (error) throw errnoException(error, 'connect');
  state.connectState = kDisconnected;
};

/** Runs `task` once the socket is bound. */
function enqueue(socket, task) {
  const state = socket[kState];
  if (state.queue === undefined) {
    state.queue = [];
    socket.once('error', onListenError);
    socket.once('listening', onListenSuccess);
  }
  state.queue.push(task);
}

function onListenSuccess() {
  this.removeListener('error', onListenError);
  const { queue } = this[kState];
  this[kState].queue = undefined;
  for (const task of queue) task.call(this);
}

function onListenError() {
  this.removeListener('listening', onListenSuccess);
  this[kState].queue = undefined;
}

// --- sending -------------------------------------------------------------------------------------------------------

function sliceBuffer(buffer, offset, length) {
  if (typeof buffer === 'string') buffer = Buffer.from(buffer);
  else if (!ArrayBuffer.isView(buffer)) {
    throw new ERR_INVALID_ARG_TYPE('buffer', ['string', 'Buffer', 'TypedArray', 'DataView'], buffer);
  }
  offset >>>= 0;
  length >>>= 0;
  if (offset > buffer.byteLength) throw new ERR_BUFFER_OUT_OF_BOUNDS('offset');
  if (offset + length > buffer.byteLength) throw new ERR_BUFFER_OUT_OF_BOUNDS('length');
  return Buffer.from(buffer.buffer, buffer.byteOffset + offset, length);
}

function fixBufferList(list) {
  const buffers = [];
  for (const item of list) {
    if (typeof item === 'string') buffers.push(Buffer.from(item));
    else if (!ArrayBuffer.isView(item)) return null;
    else buffers.push(Buffer.from(item.buffer, item.byteOffset, item.byteLength));
  }
  return buffers;
}

// send(msg, [offset, length,] [port, [address]], [callback]) in its many forms.
Socket.prototype.send = function (buffer, offset, length, port, address, callback) {
  const state = this[kState];
  const connected = state.connectState === kConnected;
  if (!connected) {
    if (address || (port && typeof port !== 'function')) {
      buffer = sliceBuffer(buffer, offset, length);
    } else {
      callback = port;
      port = offset;
      address = length;
    }
  } else {
    if (typeof length === 'number') {
      buffer = sliceBuffer(buffer, offset, length);
      if (typeof port === 'function') {
        callback = port;
        port = null;
      }
    } else {
      callback = offset;
    }
    if (port || address) throw new ERR_SOCKET_DGRAM_IS_CONNECTED();
  }
  const list = bufferList(buffer);
  if (!connected) port = validatedPort(port);
  if (typeof callback !== 'function') callback = undefined;
  if (typeof address === 'function') {
    callback = address;
    address = undefined;
  } else if (address != null) {
    validateString(address, 'address');
  }
  healthCheck(this);
  if (state.bindState === kUnbound) this.bind({ port: 0, exclusive: true }, null);
  if (list.length === 0) list.push(Buffer.alloc(0));
  if (state.bindState !== kBound) {
    enqueue(this, () => startSend(this, list, address, port, callback));
    return;
  }
  startSend(this, list, address, port, callback);
};

function bufferList(buffer) {
  if (!Array.isArray(buffer)) {
    if (typeof buffer === 'string') return [Buffer.from(buffer)];
    if (!ArrayBuffer.isView(buffer)) {
      throw new ERR_INVALID_ARG_TYPE('buffer', ['Buffer', 'TypedArray', 'DataView', 'string'], buffer);
    }
    return [Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength)];
  }
  const list = fixBufferList(buffer);
  if (list === null) throw new ERR_INVALID_ARG_TYPE('buffer list arguments', ['Buffer', 'TypedArray', 'DataView', 'string'], buffer);
  return list;
}

function startSend(socket, list, address, port, callback) {
  const state = socket[kState];
  if (!state.handle) return;
  if (state.connectState === kConnected) return doSend(null, socket, undefined, list, undefined, port, callback);
  defaultTriggerAsyncIdScope(socket[kAsyncId], () => {
    state.handle.lookup(address, (error, ip) => doSend(error, socket, ip, list, address, port, callback));
  });
}

function doSend(error, socket, ip, list, address, port, callback) {
  const state = socket[kState];
  if (error) {
    if (callback) process.nextTick(callback, error);
    else process.nextTick(() => socket.emit('error', error));
    return;
  }
  if (!state.handle) return;
  if (ip && state.sendBlockList?.check(ip, `ipv${isIP(ip)}`)) {
    if (callback) process.nextTick(callback, new ERR_IP_BLOCKED(ip));
    return;
  }
  const request = {
    oncomplete(status, sent) {
      if (!callback) return;
      callback(status ? hostPortException(status, 'send', address, port) : null, sent);
    },
  };
  const result = ip === undefined ? state.handle.send(request, list) : state.handle.send(request, list, port, ip);
  if (result >= 1) {
    if (callback) process.nextTick(callback, null, result - 1);
    return;
  }
  if (result < 0 && callback) process.nextTick(callback, hostPortException(result, 'send', address, port));
}

// --- the end -------------------------------------------------------------------------------------------------------

function emitCloseNT(socket) {
  socket.emit('close');
}

/** @param {() => void} [callback] */
Socket.prototype.close = function (callback) {
  const state = this[kState];
  if (typeof callback === 'function') this.on('close', callback);
  if (state.queue !== undefined) {
    state.queue.push(() => this.close());
    return this;
  }
  healthCheck(this);
  stopReceiving(this);
  state.handle.close();
  state.handle = null;
  defaultTriggerAsyncIdScope(this[kAsyncId], process.nextTick, emitCloseNT, this);
  return this;
};

Socket.prototype[Symbol.asyncDispose] = async function () {
  if (!this[kState].handle) return;
  await new Promise((resolve) => this.close(resolve));
};

function stopReceiving(socket) {
  const state = socket[kState];
  if (!state.receiving) return;
  state.handle.recvStop();
  state.receiving = false;
}

// --- names and options ---------------------------------------------------------------------------------------------

Socket.prototype.address = function () {
  healthCheck(this);
  const out = {};
  const error = this[kState].handle.getsockname(out);
  if (error) throw errnoException(error, 'getsockname');
  return out;
};

Socket.prototype.remoteAddress = function () {
  healthCheck(this);
  const state = this[kState];
  if (state.connectState !== kConnected) throw new ERR_SOCKET_DGRAM_NOT_CONNECTED();
  const out = {};
  const error = state.handle.getpeername(out);
  if (error) throw errnoException(error, 'getpeername');
  return out;
};

Socket.prototype.setBroadcast = function (flag) {
  const error = this[kState].handle.setBroadcast(flag ? 1 : 0);
  if (error) throw errnoException(error, 'setBroadcast');
};

Socket.prototype.setTTL = function (ttl) {
  validateNumber(ttl, 'ttl');
  const error = this[kState].handle.setTTL(ttl);
  if (error) throw errnoException(error, 'setTTL');
  return ttl;
};

Socket.prototype.setMulticastTTL = function (ttl) {
  validateNumber(ttl, 'ttl');
  const error = this[kState].handle.setMulticastTTL(ttl);
  if (error) throw errnoException(error, 'setMulticastTTL');
  return ttl;
};

Socket.prototype.setMulticastLoopback = function (flag) {
  const error = this[kState].handle.setMulticastLoopback(flag ? 1 : 0);
  if (error) throw errnoException(error, 'setMulticastLoopback');
  return flag;
};

Socket.prototype.setMulticastInterface = function (interfaceAddress) {
  healthCheck(this);
  validateString(interfaceAddress, 'interfaceAddress');
  const error = this[kState].handle.setMulticastInterface(interfaceAddress);
  if (error) throw errnoException(error, 'setMulticastInterface');
};

for (const method of ['addMembership', 'dropMembership']) {
  Socket.prototype[method] = function (multicastAddress, interfaceAddress) {
    healthCheck(this);
    if (!multicastAddress) throw new ERR_MISSING_ARGS('multicastAddress');
    const error = this[kState].handle[method](multicastAddress, interfaceAddress ?? '');
    if (error) throw errnoException(error, method);
  };
}

for (const method of ['addSourceSpecificMembership', 'dropSourceSpecificMembership']) {
  Socket.prototype[method] = function (sourceAddress, groupAddress, interfaceAddress) {
    healthCheck(this);
    validateString(sourceAddress, 'sourceAddress');
    validateString(groupAddress, 'groupAddress');
    const error = this[kState].handle[method](sourceAddress, groupAddress, interfaceAddress ?? '');
    if (error) throw errnoException(error, method);
  };
}

Socket.prototype.ref = function () {
  this[kState].handle?.ref();
  return this;
};

Socket.prototype.unref = function () {
  this[kState].handle?.unref();
  return this;
};

Socket.prototype.setRecvBufferSize = function (size) {
  bufferSize(this, size, true);
};

Socket.prototype.setSendBufferSize = function (size) {
  bufferSize(this, size, false);
};

Socket.prototype.getRecvBufferSize = function () {
  return bufferSize(this, 0, true);
};

Socket.prototype.getSendBufferSize = function () {
  return bufferSize(this, 0, false);
};

Socket.prototype.getSendQueueSize = function () {
  return this[kState].handle.getSendQueueSize();
};

Socket.prototype.getSendQueueCount = function () {
  return this[kState].handle.getSendQueueCount();
};

require('#dgram/legacy').addTo(Socket.prototype, { healthCheck, stopReceiving });

module.exports = { _createSocketHandle, createSocket, Socket };
