'use strict';

// Worker: the parent's side. Two channels lead to the thread: the public one (postMessage, parentPort) and a control channel
// for standard streams, errors and the like.

const EventEmitter = require('events');
const native = binding('worker');
const messaging = require('#web/messaging');
const {
  codes: {
    ERR_INVALID_ARG_TYPE, ERR_WORKER_INIT_FAILED, ERR_WORKER_INVALID_EXEC_ARGV, ERR_WORKER_NOT_RUNNING,
    ERR_WORKER_OUT_OF_MEMORY, ERR_WORKER_PATH, ERR_WORKER_UNSERIALIZABLE_ERROR,
  },
} = require('#internal/errors');
const { validateArray, validateObject, validateString } = require('#internal/validators');
const environment = require('#worker_threads/environment_data');
const limits = require('#worker_threads/limits');

const SHARE_ENV = Symbol.for('nodejs.worker_threads.SHARE_ENV');
const kOnControl = Symbol('on control message');
const kOnExit = Symbol('on exit');

function copyOfEnv(env) {
  if (env === SHARE_ENV) return { share: true };
  if (env === undefined || env === null) return { values: { ...process.env } };
  if (typeof env !== 'object') {
    throw new ERR_INVALID_ARG_TYPE('options.env',
      ['object', 'undefined', 'null', 'worker_threads.SHARE_ENV'], env);
  }
  const values = {};
  for (const [key, value] of Object.entries(env)) values[key] = `${value}`;
  return { values };
}

/** A file's path or URL as something that the thread's loader takes. @returns {{ file?: string, url?: string }} */
function entryOf(filename, options) {
  if (options.eval) {
    if (typeof filename !== 'string') {
      const { ERR_INVALID_ARG_VALUE } = require('#internal/errors').codes;
      throw new ERR_INVALID_ARG_VALUE('options.eval', options.eval, 'must be false when \'filename\' is not a string');
    }
    return { source: filename };
  }
  const isUrl = filename !== null && typeof filename === 'object' && typeof filename.href === 'string' && filename.protocol;
  if (isUrl && filename.protocol === 'data:') return { url: filename.href };
  if (isUrl) {
    const { fileURLToPath } = require('url');
    return { file: fileURLToPath(filename) };
  }
  if (typeof filename !== 'string') {
    throw new ERR_INVALID_ARG_TYPE('filename', ['string', 'URL'], filename);
  }
  const path = require('path');
  if (path.isAbsolute(filename) || /^\.\.?[\\/]/.test(filename)) return { file: path.resolve(filename) };
  throw new ERR_WORKER_PATH(filename);
}

function checkExecArgv(execArgv) {
  const { known } = require('#worker_threads/exec_argv');
  const bad = execArgv.filter((argument) => argument.startsWith('-') && !known(argument));
  if (bad.length > 0) throw new ERR_WORKER_INVALID_EXEC_ARGV(bad);
}

class Worker extends EventEmitter {
  #impl;
  #publicPort;
  #control;
  #stdin = null;
  #stdout;
  #stderr;
  #exited;
  #settleExit;
  #limits;
  #name;

  constructor(filename, options = {}) {
    super();
    validateObject(options, 'options');
    if (options.execArgv !== undefined) validateArray(options.execArgv, 'options.execArgv');
    if (options.argv !== undefined) validateArray(options.argv, 'options.argv');
    if (options.name !== undefined) validateString(options.name, 'options.name');
    const entry = entryOf(filename, options);
    if (options.execArgv) checkExecArgv(options.execArgv);
    const env = copyOfEnv(options.env);
    this.#name = options.name ?? 'WorkerThread';
    this.#impl = new native.WorkerImpl();
    this.#impl.onexit = (status, outOfMemory) => this[kOnExit](status, outOfMemory);
    const publicChannel = new messaging.MessageChannel();
    const controlChannel = new messaging.MessageChannel();
    this.#publicPort = publicChannel.port1;
    this.#control = controlChannel.port1;
    this.#makeStreams(options);
    const limitArray = limits.toArray(options.resourceLimits);
    const message = {
      entry,
      argv: options.argv?.map((value) => `${value}`) ?? [],
      execArgv: options.execArgv ?? process.execArgv,
      inheritsOptions: options.execArgv === undefined,
      env,
      workerData: options.workerData,
      environmentData: environment.all(),
      name: this.#name,
      hasStdin: Boolean(options.stdin),
      trackUnmanagedFds: options.trackUnmanagedFds ?? true,
      publicPort: publicChannel.port2,
      controlPort: controlChannel.port2,
    };
    const transfer = [publicChannel.port2, controlChannel.port2, ...(options.transferList ?? [])];
    const error = this.#impl.start(message, transfer, limitArray);
    if (error) throw new ERR_WORKER_INIT_FAILED(require('util').getSystemErrorName(error));
    this.#limits = limitArray;
    this.#exited = new Promise((resolve) => { this.#settleExit = resolve; });
    this.#control.on('message', (value) => this[kOnControl](value));
    this.#control.unref();
    this.#publicPort.on('message', (value) => this.emit('message', value));
    this.#publicPort.on('messageerror', (value) => this.emit('messageerror', value));
    this.#publicPort.unref();
    process.nextTick(() => process.emit('worker', this));
  }

  #makeStreams(options) {
    const { makeReadable, makeWritable } = require('#worker_threads/streams');
    if (options.stdin) this.#stdin = makeWritable((chunk) => this.#control.postMessage({ type: 'stdin', chunk }));
    this.#stdout = makeReadable();
    this.#stderr = makeReadable();
    if (!options.stdout) this.#stdout.forwardTo(() => process.stdout);
    if (!options.stderr) this.#stderr.forwardTo(() => process.stderr);
  }

  [kOnControl](message) {
    switch (message.type) {
      case 'online':
        this.emit('online');
        break;
      case 'stdout':
        this.#stdout.take(message.chunk);
        break;
      case 'stderr':
        this.#stderr.take(message.chunk);
        break;
      case 'error':
        if (message.properties) Object.assign(message.error, message.properties);
        this.emit('error', message.error);
        break;
      case 'unserializable':
        this.emit('error', new ERR_WORKER_UNSERIALIZABLE_ERROR());
        break;
      default:
        break;
    }
  }

  [kOnExit](status, outOfMemory) {
    this.#drain();
    this.#impl = null;
    this.#publicPort.close();
    this.#control.close();
    this.#stdout.take(null);
    this.#stderr.take(null);
    this.#stdin?.destroy();
    if (outOfMemory) {
      this.emit('error', new ERR_WORKER_OUT_OF_MEMORY('JS heap out of memory'));
    }
    this.#settleExit(status);
    this.emit('exit', status);
  }

  /** What the thread said before it ended is heard before its end. */
  #drain() {
    messaging.handleOf(this.#control)?.drain();
    messaging.handleOf(this.#publicPort)?.drain();
  }

  postMessage(...args) {
    if (this.#impl === null) return;
    this.#publicPort.postMessage(...args);
  }

  terminate(callback) {
    if (typeof callback === 'function') {
      process.emitWarning('Passing a callback to worker.terminate() is deprecated. It returns a Promise instead.',
                          'DeprecationWarning', 'DEP0132');
      if (this.#impl === null) {
        process.nextTick(callback, null, undefined);
        return Promise.resolve();
      }
      this.once('exit', (status) => callback(null, status));
    }
    if (this.#impl === null) return Promise.resolve();
    this.#impl.terminate();
    return this.#exited;
  }

  async [Symbol.asyncDispose]() {
    await this.terminate();
  }

  ref() {
    this.#impl?.ref();
  }

  unref() {
    this.#impl?.unref();
  }

  get threadId() {
    return this.#impl === null ? -1 : this.#impl.threadId();
  }

  get threadName() {
    return this.#impl === null ? null : this.#name;
  }

  get stdin() {
    return this.#stdin;
  }

  get stdout() {
    return this.#stdout;
  }

  get stderr() {
    return this.#stderr;
  }

  get resourceLimits() {
    if (this.#impl === null) return {};
    const own = limits.current();
    const asked = limits.toObject(this.#limits);
    return Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, value || own[name]]));
  }

  getHeapSnapshot() {
    const { ERR_METHOD_NOT_IMPLEMENTED } = require('#internal/errors').codes;
    if (this.#impl === null) return Promise.reject(new ERR_WORKER_NOT_RUNNING());
    return Promise.reject(new ERR_METHOD_NOT_IMPLEMENTED('worker.getHeapSnapshot()'));
  }

  getHeapStatistics() {
    const { ERR_METHOD_NOT_IMPLEMENTED } = require('#internal/errors').codes;
    if (this.#impl === null) return Promise.reject(new ERR_WORKER_NOT_RUNNING());
    return Promise.reject(new ERR_METHOD_NOT_IMPLEMENTED('worker.getHeapStatistics()'));
  }
}

module.exports = { Worker, SHARE_ENV };
