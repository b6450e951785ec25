'use strict';

// ChildProcess: a child that runs, its streams, its exit, and its message channel if it has one.

const EventEmitter = require('events');
const {
  AbortError,
  codes: { ERR_INVALID_ARG_TYPE },
} = require('#internal/errors');
const { publish } = require('#internal/diagnostics');
const { validateObject, validateOneOf, validateString } = require('#internal/validators');
const { convertToValidSignal } = require('#internal/signals');
const { errnoException } = require('#net/errors');
const { nativeOptions } = require('#child_process/arguments');
const { getValidStdio } = require('#child_process/stdio');

const UV_ESRCH = -3;
const UV_EINVAL = -22;
const UV_ENOSYS = -38;
const UV_EMFILE = -24;
const UV_ENFILE = -23;
/** Failures that only show at run time: they become an 'error' event. EACCES, EAGAIN, EMFILE, ENFILE, ENOENT. */
const kRunTimeErrors = new Set([-13, -11, UV_EMFILE, UV_ENFILE, -2]);

const kStdioUsed = Symbol('kIsUsedAsStdio');

function ChildProcess() {
  if (!(this instanceof ChildProcess)) return new ChildProcess();
  EventEmitter.call(this);
  this._closesNeeded = 1;
  this._closesGot = 0;
  this.connected = false;
  this.signalCode = null;
  this.exitCode = null;
  this.killed = false;
  this.spawnfile = null;
  const { Process } = binding('child_process');
  this._handle = new Process();
  this._handle.owner = this;
  this._handle.onexit = (exitCode, signalCode) => onExit(this, exitCode, signalCode);
}
Object.setPrototypeOf(ChildProcess.prototype, EventEmitter.prototype);
Object.setPrototypeOf(ChildProcess, EventEmitter);

function onExit(child, exitCode, signalCode) {
  if (signalCode) child.signalCode = signalCode;
  else child.exitCode = exitCode;
  if (child.stdin) child.stdin.destroy();
  if (child._handle) {
    child._handle.close();
    child._handle = null;
  }
  if (exitCode < 0) {
    const syscall = child.spawnfile ? `spawn ${child.spawnfile}` : 'spawn';
    const error = errnoException(exitCode, syscall);
    if (child.spawnfile) error.path = child.spawnfile;
    error.spawnargs = child.spawnargs.slice(1);
    child.emit('error', error);
  } else {
    child.emit('exit', child.exitCode, child.signalCode);
  }
  // What nobody reads must not hold back 'close'.
  process.nextTick(flushStdio, child);
  maybeClose(child);
}

function flushStdio(child) {
  const { stdio } = child;
  if (stdio == null) return;
  for (const stream of stdio) {
    if (!stream || !stream.readable || stream[kStdioUsed]) continue;
    stream.resume();
  }
}

function maybeClose(child) {
  child._closesGot++;
  if (child._closesGot === child._closesNeeded) child.emit('close', child.exitCode, child.signalCode);
}

function onErrorNT(child, error) {
  onExit(child, error, '');
}

function onSpawnNT(child) {
  child.emit('spawn');
}

function readSpawnOptions(child, options) {
  validateObject(options, 'options');
  const { stdio, ipc, ipcFd } = getValidStdio(options.stdio || 'pipe', false);
  options.stdio = stdio;
  validateOneOf(options.serialization, 'options.serialization', [undefined, 'json', 'advanced']);
  const serialization = options.serialization || 'json';
  if (ipc !== undefined) {
    if (options.envPairs === undefined) options.envPairs = [];
    else if (!Array.isArray(options.envPairs)) {
      throw new ERR_INVALID_ARG_TYPE('options.envPairs', 'Array', options.envPairs);
    }
    options.envPairs.push(`NODE_CHANNEL_FD=${ipcFd}`, `NODE_CHANNEL_SERIALIZATION_MODE=${serialization}`);
  }
  validateString(options.file, 'options.file');
  child.spawnfile = options.file;
  if (options.args === undefined) child.spawnargs = [];
  else if (Array.isArray(options.args)) child.spawnargs = options.args;
  else throw new ERR_INVALID_ARG_TYPE('options.args', 'Array', options.args);
  return { ipc, serialization };
}

function createSocket(pipe, readable, writable) {
  const net = require('net');
  return new net.Socket({ handle: pipe, readable, writable });
}

function closePipes(stdio) {
  for (const { type, handle } of stdio) if (type === 'pipe') handle.close();
}

/** Another stream's descriptor now is the child's too: this process stops reading from it. */
function giveAway({ handle, _stdio }) {
  handle.reading = false;
  handle.readStop?.();
  _stdio.pause?.();
  if (_stdio._readableState) _stdio._readableState.readableFlowing = false;
  if (_stdio._readableState) _stdio._readableState.reading = false;
  _stdio[kStdioUsed] = true;
}

function makeStreams(child, stdio) {
  for (let i = 0; i < stdio.length; i++) {
    const entry = stdio[i];
    if (entry.type === 'ignore') continue;
    if (entry.ipc) {
      child._closesNeeded++;
      continue;
    }
    if (entry.type === 'wrap') {
      giveAway(entry);
      continue;
    }
    if (!entry.handle) continue;
    entry.socket = createSocket(child.pid !== 0 ? entry.handle : null, i > 0, i < 1 || i > 2);
    if (i > 0 && child.pid !== 0) {
      child._closesNeeded++;
      entry.socket.on('close', () => maybeClose(child));
    }
  }
  const socketAt = (i) => stdio[i]?.socket ?? null;
  child.stdin = stdio.length >= 1 ? socketAt(0) : null;
  child.stdout = stdio.length >= 2 ? socketAt(1) : null;
  child.stderr = stdio.length >= 3 ? socketAt(2) : null;
  child.stdio = stdio.map(({ socket }) => socket ?? null);
}

/** @param {object} options what normalizeSpawnArguments() made @returns {number} 0 or a negative errno */
ChildProcess.prototype.spawn = function (options) {
  const { ipc, serialization } = readSpawnOptions(this, options);
  const { stdio } = options;
  const error = this._handle.spawn(nativeOptions(options));
  if (kRunTimeErrors.has(error)) {
    process.nextTick(onErrorNT, this, error);
    // Without descriptors there are no pipes to speak of.
    if (error === UV_EMFILE || error === UV_ENFILE) return error;
  } else if (error) {
    closePipes(stdio);
    this._handle.close();
    this._handle = null;
    throw errnoException(error, 'spawn');
  } else {
    process.nextTick(onSpawnNT, this);
    publish('child_process', () => ({ process: this }));
  }
  this.pid = error === 0 ? this._handle.pid : undefined;
  if (error !== 0) this.pid = 0;
  makeStreams(this, stdio);
  if (error !== 0) {
    this.pid = undefined;
    closePipes(stdio);
  }
  if (ipc !== undefined) {
    if (error === 0) require('#child_process/ipc').setupChannel(this, ipc, serialization);
    else this._closesNeeded--;
  }
  return error;
};

/** @param {string | number} [sig] @returns {boolean} whether it was delivered */
ChildProcess.prototype.kill = function (sig) {
  const signal = sig === 0 ? sig : convertToValidSignal(sig === undefined ? 'SIGTERM' : sig);
  if (!this._handle) return false;
  const error = this._handle.kill(signal);
  if (error === 0) {
    this.killed = true;
    return true;
  }
  if (error === UV_ESRCH) return false;
  if (error === UV_EINVAL || error === UV_ENOSYS) throw errnoException(error, 'kill');
  this.emit('error', errnoException(error, 'kill'));
  return false;
};

ChildProcess.prototype[Symbol.dispose] = function () {
  if (!this.killed) this.kill();
};

ChildProcess.prototype.ref = function () {
  if (this._handle) this._handle.ref();
};

ChildProcess.prototype.unref = function () {
  if (this._handle) this._handle.unref();
};

/** Kills the child because a signal of `AbortController` says so. */
function abortChildProcess(child, killSignal, reason) {
  if (!child) return;
  try {
    if (child.kill(killSignal)) child.emit('error', new AbortError(undefined, { cause: reason }));
  } catch (error) {
    child.emit('error', error);
  }
}

module.exports = { ChildProcess, abortChildProcess, maybeClose };
