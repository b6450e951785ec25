'use strict';

// `fs.watch` (FSWatcher, by the kernel's notifications) and `fs.watchFile` (StatWatcher, by looking again and again).

const EventEmitter = require('events');
const { UVException } = require('#internal/errors');
const {
  validateAbortSignal, validateBoolean, validateFunction, validateObject, validateUint32,
} = require('#internal/validators');
const { makeStats } = require('#fs/stats');
const { assertEncoding, getValidatedPath } = require('#fs/validate');
const native = binding('fs');

const kStart = Symbol('kFSWatchStart');
const kOldStatus = Symbol('kOldStatus');
const kUseBigint = Symbol('kUseBigint');
const kIsRefed = Symbol('kIsRefed');

/** Watchers that are at work, for process.getActiveResourcesInfo(). */
const activeWatchers = new Set();

/** A name from the kernel in the encoding asked for. */
function decodeName(bytes, encoding) {
  if (bytes === null || encoding === 'buffer') return bytes;
  return bytes.toString(encoding || 'utf8');
}

function FSWatcher() {
  Reflect.apply(EventEmitter, this, []);
  this._handle = new native.FSEvent();
  this._handle.onchange = (status, eventType, filename) => {
    if (this._handle === null) return;
    if (status < 0) return fail(this, status, filename);
    this.emit('change', eventType, decodeName(filename, this._encoding));
  };
}
Object.setPrototypeOf(FSWatcher.prototype, EventEmitter.prototype);
Object.setPrototypeOf(FSWatcher, EventEmitter);

function fail(watcher, status, filename) {
  activeWatchers.delete(watcher);
  watcher._handle.close();
  watcher._handle = null;
  const error = new UVException({ errno: status, syscall: 'watch', path: filename });
  error.filename = filename;
  watcher.emit('error', error);
}

FSWatcher.prototype[kStart] = function(filename, persistent, recursive, encoding) {
  if (this._handle === null || this._handle.initialized) return;
  filename = getValidatedPath(filename, 'filename');
  this._encoding = encoding;
  const status = this._handle.start(filename);
  if (status !== 0) {
    const error = new UVException({
      errno: status,
      syscall: 'watch',
      path: filename,
      message: status === -28 ? 'System limit for number of file watchers reached' : '',
    });
    error.filename = filename;
    throw error;
  }
  activeWatchers.add(this);
  if (!persistent) this._handle.unref();
};

Object.defineProperty(FSWatcher.prototype, kIsRefed, {
  __proto__: null,
  get() {
    return Boolean(this._handle?.hasRef());
  },
});

FSWatcher.prototype.start = () => {};

FSWatcher.prototype.close = function() {
  if (this._handle === null) return;
  if (!this._handle.initialized) return;
  activeWatchers.delete(this);
  this._handle.close();
  this._handle = null;
  process.nextTick(emitClose, this);
};

FSWatcher.prototype.ref = function() {
  if (this._handle) this._handle.ref();
  return this;
};

FSWatcher.prototype.unref = function() {
  if (this._handle) this._handle.unref();
  return this;
};

function emitClose(watcher) {
  watcher.emit('close');
}

/** Options of `fs.watch`, a string being the encoding. */
function watchOptions(options) {
  if (typeof options === 'string') options = { encoding: options };
  else if (options === undefined || options === null) options = {};
  validateObject(options, 'options');
  options = { persistent: true, recursive: false, encoding: 'utf8', ...options };
  if (options.persistent === undefined) options.persistent = true;
  if (options.recursive === undefined) options.recursive = false;
  validateBoolean(options.persistent, 'options.persistent');
  validateBoolean(options.recursive, 'options.recursive');
  if (options.encoding !== 'buffer') assertEncoding(options.encoding);
  if (options.signal !== undefined) validateAbortSignal(options.signal, 'options.signal');
  return options;
}

function watch(filename, options, listener) {
  if (typeof options === 'function') listener = options;
  filename = getValidatedPath(filename, 'filename');
  options = watchOptions(typeof options === 'function' ? undefined : options);
  let watcher;
  if (options.recursive && native.internalModuleStat(filename) === 1) {
    const { RecursiveWatcher } = require('#fs/watch_tree');
    watcher = new RecursiveWatcher(options);
    watcher[kStart](filename);
  } else {
    watcher = new FSWatcher();
    watcher[kStart](filename, options.persistent, options.recursive, options.encoding);
  }
  if (listener) watcher.addListener('change', listener);
  closeOnAbort(watcher, options.signal);
  return watcher;
}

function closeOnAbort(watcher, signal) {
  if (!signal) return;
  if (signal.aborted) {
    process.nextTick(() => watcher.close());
    return;
  }
  const onAbort = () => watcher.close();
  signal.addEventListener('abort', onAbort, { once: true });
  watcher.once('close', () => signal.removeEventListener('abort', onAbort));
}

/** Stats of what does not exist: all zero. */
const kZeros = new Float64Array(18);
const kBigZeros = new BigInt64Array(18);

class StatWatcher extends EventEmitter {
  #path;
  #interval;
  #timer = null;
  #refs = 0;
  #unrefs = 0;
  #closed = false;
  /** What async_hooks sees. @type {import('async_hooks').AsyncResource} */
  #resource;
  /** The last status seen, as numbers, or null before the first. */
  #last = null;
  /** Whether the last look failed, and with what. */
  #lastError = 0;

  constructor(bigint) {
    super();
    this._handle = null;
    this[kOldStatus] = -1;
    this[kUseBigint] = bigint;
  }

  [kStart](filename, persistent, interval) {
    if (this._handle !== null) return;
    filename = getValidatedPath(filename, 'filename');
    validateUint32(interval, 'interval');
    this._handle = this;
    this.#path = filename;
    this.#interval = Math.max(interval, 1);
    this.#unrefs = persistent ? 0 : 1;
    const { AsyncResource } = require('async_hooks');
    this.#resource = new AsyncResource('STATWATCHER', { requireManualDestroy: true });
    activeWatchers.add(this);
    this.#look();
  }

  get [kIsRefed]() {
    return this.#persistent;
  }

  #look() {
    native.stat(this.#path, this[kUseBigint], (error, values) => {
      if (this.#closed) return;
      this.#compare(error, values);
      if (this.#closed) return;
      this.#timer = require('timers').setTimeout(() => this.#look(), this.#interval);
      if (!this.#persistent) this.#timer.unref();
    });
  }

  get #persistent() {
    return this.#refs >= this.#unrefs;
  }

  #compare(error, values) {
    const zeros = this[kUseBigint] ? kBigZeros : kZeros;
    const status = error ? error.errno : 0;
    const previous = this.#last;
    const current = error ? zeros : values;
    this.#last = current;
    if (previous === null) {
      this.#lastError = status;
      // The first look says nothing unless the file is missing.
      if (error) this.#report(status, zeros, zeros);
      return;
    }
    if (error ? status !== this.#lastError : this.#lastError !== 0 || changed(previous, current)) {
      this.#lastError = status;
      this.#report(status, current, previous);
    }
  }

  #report(status, current, previous) {
    if (this[kOldStatus] === -1 && status === -1 && Number(current[2]) === Number(previous[2])) return;
    this[kOldStatus] = status;
    this.#resource.runInAsyncScope(this.emit, this, 'change', makeStats(current), makeStats(previous));
  }

  // Node.js names what it uses internally so; StatWatcher users only stop().
  start() {}

  stop() {
    if (this._handle === null) return;
    process.nextTick(() => this.emit('stop'));
    this.#closed = true;
    activeWatchers.delete(this);
    this.#resource.emitDestroy();
    if (this.#timer !== null) require('timers').clearTimeout(this.#timer);
    this._handle = null;
  }

  ref() {
    this.#refs++;
    if (this.#persistent) this.#timer?.ref();
    return this;
  }

  unref() {
    this.#unrefs++;
    if (!this.#persistent) this.#timer?.unref();
    return this;
  }
}

/** Whether two looks differ in anything but the time of access. */
function changed(a, b) {
  for (let i = 0; i < a.length; i++) {
    if (i !== 10 && i !== 11 && a[i] !== b[i]) return true;
  }
  return false;
}

const statWatchers = new Map();

function watchFile(filename, options, listener) {
  filename = getValidatedPath(filename);
  filename = require('path').resolve(filename.toString());
  if (options === null || typeof options !== 'object') {
    listener = options;
    options = null;
  }
  options = { interval: 5007, persistent: true, ...options };
  validateFunction(listener, 'listener');
  let watcher = statWatchers.get(filename);
  if (watcher === undefined) {
    watcher = new StatWatcher(Boolean(options.bigint));
    watcher[kStart](filename, options.persistent, options.interval);
    statWatchers.set(filename, watcher);
  }
  watcher.addListener('change', listener);
  return watcher;
}

function unwatchFile(filename, listener) {
  filename = getValidatedPath(filename);
  filename = require('path').resolve(filename.toString());
  const watcher = statWatchers.get(filename);
  if (watcher === undefined) return;
  if (typeof listener === 'function') watcher.removeListener('change', listener);
  else watcher.removeAllListeners('change');
  if (watcher.listenerCount('change') > 0) return;
  watcher.stop();
  statWatchers.delete(filename);
}

module.exports = {
  FSWatcher, StatWatcher, activeWatchers, kIsRefed, kStart, unwatchFile, watch, watchFile,
};
