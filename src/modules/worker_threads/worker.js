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
const { publish } = require('#internal/diagnostics');
const { validateArray, validateNumber, validateObject, validateString } = require('#internal/validators');
const environment = require('#worker_threads/environment_data');
const limits = require('#worker_threads/limits');

const { isLoaded } = require('#runtime/loader');

const isMainThread = () => require('#runtime/options').all().isMainThread;

/** An option: the builtin that the thread runs, one of the runtime's own. */
const kInternalEntry = Symbol('internal entry');

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

/** Options end at "--". */
function beforeDashes(execArgv) {
  const end = execArgv.indexOf('--');
  return end === -1 ? execArgv : execArgv.slice(0, end);
}

function checkExecArgv(execArgv) {
  const { known } = require('#worker_threads/exec_argv');
  const bad = beforeDashes(execArgv).filter((argument) => argument.startsWith('-') && !known(argument));
  if (bad.length > 0) throw new ERR_WORKER_INVALID_EXEC_ARGV(bad);
}

/** NODE_OPTIONS of an environment of its own: an option that is not allowed there is an error. */
function nodeOptionsOf(env) {
  const text = env.values?.NODE_OPTIONS;
  if (text === undefined || text === process.env.NODE_OPTIONS) return undefined;
  const { splitNodeOptions } = require('#worker_threads/exec_argv');
  const words = splitNodeOptions(text);
  const { known } = require('#worker_threads/exec_argv');
  const bad = words.filter((word) => word.startsWith('-') && !known(word, true) &&
    !process.allowedNodeEnvironmentFlags.has(word));
  if (bad.length > 0) throw new ERR_WORKER_INVALID_EXEC_ARGV(bad, 'invalid NODE_OPTIONS env variable');
  return words;
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
  #unanswered = new Set();
  #asyncId = 0;

  constructor(filename, options = {}) {
    super();
    validateObject(options, 'options');
    if (options.execArgv !== undefined) validateArray(options.execArgv, 'options.execArgv');
    if (options.argv !== undefined) validateArray(options.argv, 'options.argv');
    if (options.name !== undefined) validateString(options.name, 'options.name');
    const argv = options.argv?.map(String) ?? [];
    const internal = options[kInternalEntry];
    const entry = internal === undefined ? entryOf(filename, options) : { builtin: internal };
    if (options.execArgv) checkExecArgv(options.execArgv);
    const env = copyOfEnv(options.env);
    const nodeOptions = nodeOptionsOf(env);
    this.#name = options.name ?? 'WorkerThread';
    if (isMainThread()) native.attachThisThread?.();
    this.#impl = new native.WorkerImpl();
    this.#impl.setName?.(this.#name);
    this.#announce();
    this.#impl.onexit = (...how) => this[kOnExit](...how);
    const publicChannel = new messaging.MessageChannel();
    const controlChannel = new messaging.MessageChannel();
    this.#publicPort = publicChannel.port1;
    this.#control = controlChannel.port1;
    this.#makeStreams(options);
    const limitArray = limits.toArray(options.resourceLimits);
    const message = {
      entry,
      argv,
      execArgv: beforeDashes(options.execArgv ?? process.execArgv),
      inheritsOptions: options.execArgv === undefined && nodeOptions === undefined,
      nodeOptions,
      hooks: internal === undefined && isLoaded('#module/hooks_thread')
        ? require('#module/hooks_thread').portForWorker() : undefined,
      cwdCounter: require('#process/cwd').share(),
      env,
      workerData: options.workerData,
      environmentData: environment.all(),
      name: this.#name,
      hasStdin: Boolean(options.stdin),
      trackUnmanagedFds: options.trackUnmanagedFds ?? true,
      publicPort: publicChannel.port2,
      controlPort: controlChannel.port2,
    };
    const transfer = [...(message.hooks ? [message.hooks.port] : []), publicChannel.port2, controlChannel.port2, ...(options.transferList ?? [])];
    const error = this.#impl.start(message, transfer, limitArray);
    if (error) throw new ERR_WORKER_INIT_FAILED(require('util').getSystemErrorName(error));
    this.#limits = limitArray;
    this.#exited = new Promise((resolve) => { this.#settleExit = resolve; });
    this.#control.on('message', (value) => this[kOnControl](value));
    this.#control.unref();
    this.#publicPort.on('message', (value) => this.emit('message', value));
    this.#publicPort.on('messageerror', (value) => this.emit('messageerror', value));
    this.#publicPort.unref();
    if (internal === undefined) {
      publish('worker_threads', () => ({ worker: this }));
      process.nextTick(() => process.emit('worker', this));
    }
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
      case 'errorParts': {
        const error = new Error(message.message);
        if (message.name !== 'Error') Object.defineProperty(error, 'name', { value: message.name, configurable: true, writable: true });
        Object.defineProperty(error, 'stack', { value: undefined, configurable: true, writable: true });
        this.emit('error', error);
        break;
      }
      case 'unserializable':
        this.emit('error', new ERR_WORKER_UNSERIALIZABLE_ERROR());
        break;
      default:
        break;
    }
  }

  [kOnExit](status, outOfMemory, startError) {
    this.#drain();
    this.#impl = null;
    for (const fail of this.#unanswered) fail();
    // Closing takes a turn, in which it would still count as what keeps the process alive.
    this.#publicPort.unref();
    this.#publicPort.close();
    this.#control.close();
    this.#stdout.take(null);
    this.#stderr.take(null);
    this.#stdin?.destroy();
    if (outOfMemory) {
      this.emit('error', new ERR_WORKER_OUT_OF_MEMORY('JS heap out of memory'));
    } else if (startError !== 0) {
      this.emit('error', new ERR_WORKER_INIT_FAILED(require('util').getSystemErrorName(startError)));
    }
    if (this.#asyncId !== 0) require('#async_hooks/hooks').emitDestroy(this.#asyncId);
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

  /** Tells async_hooks of the thread, once there is somebody to tell. */
  #announce() {
    const hooks = require('#async_hooks/hooks');
    if (!hooks.initHooksExist()) return;
    this.#asyncId = hooks.newAsyncId();
    hooks.emitInit(this.#asyncId, 'WORKER', hooks.getDefaultTriggerAsyncId(), this.#impl);
  }

  get performance() {
    const eventLoopUtilization = (util1, util2) => {
      const { utilizationFrom } = require('#perf_hooks/node_timing');
      const [total, idle] = this.#impl === null ? [0, 0] : this.#impl.loopTimes();
      return utilizationFrom(total, idle, util1, util2);
    };
    return { eventLoopUtilization };
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
    this.#impl.ref();
    this.#impl.terminate();
    return this.#exited;
  }

  async [Symbol.asyncDispose]() {
    await this.terminate();
  }

  ref() {
    if (this.#impl === null) return;
    this.#impl.ref();
    this.#publicPort.ref();
  }

  unref() {
    if (this.#impl === null) return;
    this.#impl.unref();
    this.#publicPort.unref();
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

  /** Asks the thread, also while it is busy. @returns {Promise<number[] | Uint8Array | null>} */
  #ask(what, argument = 0) {
    return new Promise((resolve, reject) => {
      const fail = () => reject(new ERR_WORKER_NOT_RUNNING());
      const asked = this.#impl?.ask(what, argument, (answer) => {
        this.#unanswered.delete(fail);
        resolve(answer);
      });
      if (asked) this.#unanswered.add(fail);
      else fail();
    });
  }

  getHeapSnapshot(options) {
    const { snapshotOptions, streamOf } = require('#v8/snapshots');
    const [internals, numbers] = snapshotOptions(options);
    return this.#ask('heapSnapshot', Number(internals) + 2 * Number(numbers)).then(streamOf);
  }

  getHeapStatistics() {
    return this.#ask('heapStatistics').then((numbers) => {
      const statistics = {};
      heapStatisticsNames.forEach((name, index) => { statistics[name] = numbers[index]; });
      statistics.does_zap_garbage = Boolean(statistics.does_zap_garbage);
      return statistics;
    });
  }

  cpuUsage(previous) {
    if (previous !== undefined && previous !== null) {
      validateObject(previous, 'prev');
      validateNumber(previous.user, 'prev.user', 0, Number.MAX_SAFE_INTEGER);
      validateNumber(previous.system, 'prev.system', 0, Number.MAX_SAFE_INTEGER);
    }
    return this.#ask('cpuUsage').then(([user, system]) => ({
      user: user - (previous?.user ?? 0), system: system - (previous?.system ?? 0),
    }));
  }

  async startCpuProfile() {
    const [id] = await this.#ask('startCpuProfile');
    if (id < 0) {
      const { ERR_CPU_PROFILE_TOO_MANY } = require('#internal/errors').codes;
      throw new ERR_CPU_PROFILE_TOO_MANY();
    }
    return new ProfileHandle(() => this.#ask('stopCpuProfile', id));
  }

  async startHeapProfile() {
    const [started] = await this.#ask('startHeapProfile');
    if (!started) {
      const { ERR_HEAP_PROFILE_HAVE_BEEN_STARTED } = require('#internal/errors').codes;
      throw new ERR_HEAP_PROFILE_HAVE_BEEN_STARTED();
    }
    return new ProfileHandle(() => this.#ask('stopHeapProfile'));
  }
}

/** A profile under way on the thread. */
class ProfileHandle {
  #stop;
  #result;

  constructor(stop) {
    this.#stop = stop;
  }

  /** @returns {Promise<string>} the profile as JSON; the same however often it is asked for */
  stop() {
    return (this.#result ??= this.#stop().then((bytes) => (bytes === null ? undefined : Buffer.from(bytes).toString())));
  }

  async [Symbol.asyncDispose]() {
    await this.stop();
  }
}

const heapStatisticsNames = ['total_heap_size', 'total_heap_size_executable', 'total_physical_size', 'total_available_size',
  'used_heap_size', 'heap_size_limit', 'malloced_memory', 'peak_malloced_memory', 'does_zap_garbage',
  'number_of_native_contexts', 'number_of_detached_contexts', 'total_global_handles_size', 'used_global_handles_size',
  'external_memory'];

module.exports = { Worker, SHARE_ENV, kInternalEntry };
