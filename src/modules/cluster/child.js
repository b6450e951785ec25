'use strict';

// node:cluster in a worker: asks the primary for sockets to listen on, and is handed connections.

const EventEmitter = require('events');
const path = require('path');
const { internal, sendHelper } = require('#cluster/messages');
const Worker = require('#cluster/worker');

const cluster = new EventEmitter();
const handles = new Map();
/** How many servers asked for the same address, since port 0 is another port for each. */
const indexes = new Map();

const kMaxInterval = 2 ** 31 - 1;

function noop() {}

cluster.isWorker = true;
cluster.isMaster = false;
cluster.isPrimary = false;
cluster.worker = null;
cluster.Worker = Worker;

/** Called before the program runs. */
cluster._setupWorker = function () {
  const worker = new Worker({ id: +process.env.NODE_UNIQUE_ID | 0, process, state: 'online' });
  cluster.worker = worker;
  process.once('disconnect', () => {
    process.channel = null;
    worker.emit('disconnect');
    // The primary is gone.
    if (!worker.exitedAfterDisconnect) process.exit(0);
  });
  process.on('internalMessage', internal(worker, (message, handle) => {
    if (message.act === 'newconn') onConnection(message, handle);
    else if (message.act === 'disconnect') disconnectWorker(worker, true);
  }));
  send({ act: 'online' });
};

/** For net and dgram: a handle to listen on. @param {(status: number, handle: object | null) => void} callback */
cluster._getServer = function (server, options, callback) {
  let { address } = options;
  if (options.port < 0 && typeof address === 'string') address = path.resolve(address);
  const indexesKey = [address, options.port, options.addressType, options.fd].join(':');
  let known = indexes.get(indexesKey);
  if (known === undefined) indexes.set(indexesKey, (known = { next: 0, set: new Set() }));
  const index = known.next++;
  known.set.add(index);
  const message = { act: 'queryServer', index, data: null, ...options, address };
  if (server._getServerData) message.data = server._getServerData();
  send(message, (reply, handle) => {
    if (typeof server._setServerData === 'function') server._setServerData(reply.data);
    if (handle) shared(reply, handle, { indexesKey, index }, callback);
    else roundRobin(reply, { indexesKey, index }, callback);
  });
  server.once('listening', () => {
    // It may be closed already.
    if (!indexes.has(indexesKey)) return;
    cluster.worker.state = 'listening';
    send({ ...message, act: 'listening', port: server.address()?.port || options.port });
  });
};

function removeIndex({ indexesKey, index }) {
  const known = indexes.get(indexesKey);
  if (known === undefined) return;
  known.set.delete(index);
  if (known.set.size === 0) indexes.delete(indexesKey);
}

/** A socket of our own, which other workers have too. */
function shared({ errno, key }, handle, place, callback) {
  const { close } = handle;
  handle.close = function (...args) {
    send({ act: 'close', key });
    handles.delete(key);
    removeIndex(place);
    handle.close = close;
    return close.apply(handle, args);
  };
  handles.set(key, handle);
  callback(errno, handle);
}

/** Stands in for a handle: the primary listens. */
function roundRobin({ errno, key, sockname }, place, callback) {
  if (errno) return callback(errno, null);
  let open = true;
  // What listens keeps its process alive; this does so in the socket's stead.
  const keepAlive = setInterval(noop, kMaxInterval);
  const handle = {
    close() {
      if (!open) return;
      open = false;
      clearInterval(keepAlive);
      send({ act: 'close', key });
      handles.delete(key);
      removeIndex(place);
    },
    listen: () => 0,
    ref: () => keepAlive.ref(),
    unref: () => keepAlive.unref(),
    getsockname(out) {
      if (open) Object.assign(out, sockname);
      return 0;
    },
  };
  if (!sockname) delete handle.getsockname;
  handles.set(key, handle);
  callback(0, handle);
}

/** Full servers leave the connection to another worker. */
function accepts(handle) {
  const server = handle?.owner;
  if (handle === undefined) return false;
  if (server === undefined || server.dropMaxConnection) return true;
  return !(server.maxConnections != null && server._connections >= server.maxConnections);
}

function onConnection(message, client) {
  const handle = handles.get(message.key);
  const accepted = accepts(handle);
  send({ ack: message.seq, accepted });
  if (accepted) handle.onconnection(0, client);
  else client?.close();
}

function send(message, callback) {
  return sendHelper(process, message, null, callback);
}

function disconnectWorker(worker, primaryInitiated) {
  worker.exitedAfterDisconnect = true;
  let waiting = 1;
  function done() {
    if (--waiting !== 0) return;
    // Who leaves by itself waits until the primary knows that it is no accident.
    if (primaryInitiated) process.disconnect();
    else send({ act: 'exitedAfterDisconnect' }, () => process.disconnect());
  }
  for (const handle of handles.values()) {
    waiting++;
    if (handle.owner) handle.owner.close(done);
    else handle.close(done);
  }
  handles.clear();
  done();
}

Worker.prototype.disconnect = function () {
  if (this.state !== 'disconnecting' && this.state !== 'destroying') {
    this.state = 'disconnecting';
    disconnectWorker(this, false);
  }
  return this;
};

Worker.prototype.destroy = function () {
  if (this.state === 'destroying') return;
  this.exitedAfterDisconnect = true;
  if (!this.isConnected()) {
    process.exit(0);
  } else {
    this.state = 'destroying';
    send({ act: 'exitedAfterDisconnect' }, () => process.disconnect());
    process.once('disconnect', () => process.exit(0));
  }
};

module.exports = cluster;
