'use strict';

// node:cluster in the primary: starts workers, and keeps the sockets that they share.

const EventEmitter = require('events');
const path = require('path');
const { validateObject } = require('#internal/validators');
const { internal, sendHelper } = require('#cluster/messages');
const RoundRobinHandle = require('#cluster/round_robin');
const SharedHandle = require('#cluster/shared_handle');
const Worker = require('#cluster/worker');

const SCHED_NONE = 1;
const SCHED_RR = 2;

const cluster = new EventEmitter();
const intercom = new EventEmitter();
const handles = new Map();
let ids = 0;
let initialized = false;

function schedulingFromEnvironment() {
  const policy = process.env.NODE_CLUSTER_SCHED_POLICY;
  return policy === 'none' ? SCHED_NONE : SCHED_RR;
}

cluster.isWorker = false;
cluster.isMaster = true;
cluster.isPrimary = true;
cluster.Worker = Worker;
cluster.workers = {};
cluster.settings = {};
cluster.SCHED_NONE = SCHED_NONE;
cluster.SCHED_RR = SCHED_RR;
cluster.schedulingPolicy = schedulingFromEnvironment();

/** @param {object} [options] */
cluster.setupPrimary = function (options) {
  const settings = {
    args: process.argv.slice(2),
    exec: process.argv[1],
    execArgv: process.execArgv,
    silent: false,
    ...cluster.settings,
    ...options,
  };
  cluster.settings = settings;
  if (!initialized) {
    initialized = true;
    const { schedulingPolicy } = cluster;
    if (schedulingPolicy !== SCHED_NONE && schedulingPolicy !== SCHED_RR) {
      throw new Error(`Bad cluster.schedulingPolicy: ${schedulingPolicy}`);
    }
  }
  process.nextTick(() => cluster.emit('setup', settings));
};
cluster.setupMaster = cluster.setupPrimary;

function createWorkerProcess(id, env) {
  const { settings } = cluster;
  if (settings.execArgv !== undefined && !Array.isArray(settings.execArgv)) validateObject(settings.execArgv, 'execArgv');
  return require('child_process').fork(settings.exec, settings.args, {
    cwd: settings.cwd,
    env: { ...process.env, ...env, NODE_UNIQUE_ID: `${id}` },
    serialization: settings.serialization,
    silent: settings.silent,
    windowsHide: settings.windowsHide,
    execArgv: [...settings.execArgv],
    stdio: settings.stdio,
    gid: settings.gid,
    uid: settings.uid,
  });
}

function removeWorker(worker) {
  delete cluster.workers[worker.id];
  if (Object.keys(cluster.workers).length === 0) intercom.emit('disconnect');
}

function removeHandlesForWorker(worker) {
  for (const [key, handle] of handles) if (handle.remove(worker)) handles.delete(key);
}

function onExit(worker, exitCode, signalCode) {
  if (!worker.isConnected()) {
    removeHandlesForWorker(worker);
    removeWorker(worker);
  }
  worker.exitedAfterDisconnect = Boolean(worker.exitedAfterDisconnect);
  worker.state = 'dead';
  worker.emit('exit', exitCode, signalCode);
  cluster.emit('exit', worker, exitCode, signalCode);
}

function onDisconnect(worker) {
  removeHandlesForWorker(worker);
  if (worker.isDead()) removeWorker(worker);
  worker.exitedAfterDisconnect = Boolean(worker.exitedAfterDisconnect);
  worker.state = 'disconnected';
  worker.emit('disconnect');
  cluster.emit('disconnect', worker);
}

/** @param {object} [env] */
cluster.fork = function (env) {
  cluster.setupPrimary();
  const id = ++ids;
  const worker = new Worker({ id, process: createWorkerProcess(id, env) });
  worker.on('message', function (message, handle) {
    cluster.emit('message', this, message, handle);
  });
  worker.process.once('exit', (exitCode, signalCode) => onExit(worker, exitCode, signalCode));
  worker.process.once('disconnect', () => onDisconnect(worker));
  worker.process.on('internalMessage', internal(worker, onMessage));
  process.nextTick(() => cluster.emit('fork', worker));
  cluster.workers[worker.id] = worker;
  return worker;
};

/** @param {() => void} [callback] */
cluster.disconnect = function (callback) {
  const workers = Object.values(cluster.workers);
  if (workers.length === 0) {
    process.nextTick(() => intercom.emit('disconnect'));
  } else {
    for (const worker of workers) if (worker.isConnected()) worker.disconnect();
  }
  if (typeof callback === 'function') intercom.once('disconnect', callback);
};

// --- messages of workers -------------------------------------------------------------------------------------------

const acts = {
  __proto__: null,

  online(worker) {
    worker.state = 'online';
    worker.emit('online');
    cluster.emit('online', worker);
  },

  exitedAfterDisconnect(worker, message) {
    worker.exitedAfterDisconnect = true;
    send(worker, { ack: message.seq });
  },

  queryServer(worker, message) {
    // It leaves, and would listen no more.
    if (worker.exitedAfterDisconnect) return;
    const key = `${message.address}:${message.port}:${message.addressType}:${message.fd}` +
      (message.port === 0 ? `:${message.index}` : '');
    const handle = handles.get(key) ?? makeHandle(key, message);
    if (!handle.data) handle.data = message.data;
    handle.add(worker, (errno, reply, sent) => {
      const data = handles.get(key)?.data;
      if (errno) handles.delete(key);
      send(worker, { errno, key, ack: message.seq, data, ...reply }, sent);
    });
  },

  listening(worker, message) {
    const info = { addressType: message.addressType, address: message.address, port: message.port, fd: message.fd };
    worker.state = 'listening';
    worker.emit('listening', info);
    cluster.emit('listening', worker, info);
  },

  close(worker, message) {
    const handle = handles.get(message.key);
    if (handle?.remove(worker)) handles.delete(message.key);
  },
};

function makeHandle(key, message) {
  let { address } = message;
  // Paths of sockets are short: take the shorter form.
  if (message.port < 0 && typeof address === 'string') {
    const relative = path.relative(process.cwd(), address);
    if (relative.length < address.length) address = relative;
  }
  const isDatagram = message.addressType === 'udp4' || message.addressType === 'udp6';
  const Handle = cluster.schedulingPolicy !== SCHED_RR || isDatagram ? SharedHandle : RoundRobinHandle;
  const handle = new Handle(key, address, message);
  handles.set(key, handle);
  return handle;
}

function onMessage(message) {
  acts[message.act]?.(this, message);
}

function send(worker, message, handle, callback) {
  return sendHelper(worker.process, message, handle, callback);
}

// --- workers as the primary sees them ------------------------------------------------------------------------------

Worker.prototype.disconnect = function () {
  this.exitedAfterDisconnect = true;
  send(this, { act: 'disconnect' });
  removeHandlesForWorker(this);
  removeWorker(this);
  return this;
};

/** @param {string} [signo] */
Worker.prototype.destroy = function (signo) {
  this.process.kill(signo || 'SIGTERM');
};

module.exports = cluster;
