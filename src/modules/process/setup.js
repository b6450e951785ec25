'use strict';

// Puts everything on the process object. `setup` runs while the realm is made (also for the snapshot), `refresh` when a
// program starts: it brings what belongs to this very process.

const native = binding('process');
const versions = require('#process/versions');
const exit = require('#process/exit');
const fatal = require('#process/fatal');
const ids = require('#process/ids');
const { cwd, chdir, forget: forgetCwd } = require('#process/cwd');
const measures = require('#process/measures');
const { emitWarning, onWarning } = require('#process/warning');
const options = require('#runtime/options');
const loader = require('#runtime/loader');
const { setupTaskQueue } = require('#process/task_queues');
const {
  codes: { ERR_INVALID_ARG_TYPE, ERR_UNKNOWN_SIGNAL },
  errnoException,
} = require('#internal/errors');
const { validateString, validateUint32 } = require('#internal/validators');

function define(object, name, value, attributes = {}) {
  Object.defineProperty(object, name, {
    __proto__: null, value, writable: true, enumerable: true, configurable: true, ...attributes,
  });
}

/** A mode as a number or as octal digits. */
function umask(mask) {
  if (mask === undefined) return native.umask();
  if (typeof mask === 'string') {
    if (!/^[0-7]+$/.test(mask)) {
      const { ERR_INVALID_ARG_VALUE } = require('#internal/errors').codes;
      throw new ERR_INVALID_ARG_VALUE('mask', mask, 'must be a 32-bit unsigned integer or an octal string');
    }
    mask = Number.parseInt(mask, 8);
  }
  validateUint32(mask, 'mask');
  return native.umask(mask);
}

function kill(pid, signal) {
  // eslint-disable-next-line eqeqeq
  if (pid != (pid | 0)) throw new ERR_INVALID_ARG_TYPE('pid', 'number', pid);
  let number;
  if (typeof signal === 'number') {
    number = signal;
  } else {
    const { signals } = require('os').constants;
    number = signals[signal ?? 'SIGTERM'];
    if (number === undefined) throw new ERR_UNKNOWN_SIGNAL(signal);
  }
  // A signal to ourselves that nobody handles is the end: coverage and profiles are written first.
  if (pid === process.pid && number !== 0 && loader.isLoaded('#inspector/tools')) {
    const { constants } = require('os');
    const name = Object.keys(constants.signals).find((key) => constants.signals[key] === number);
    if (process.listenerCount(name) === 0) require('#inspector/tools').finish();
  }
  const error = process._kill(pid, number);
  if (error) throw errnoException(error, 'kill');
  return true;
}

const { abort } = { abort() {
  native.abort();
} };

function loadEnvFile(path = '.env') {
  const { readFileSync } = require('fs');
  const { parseEnv } = require('util');
  const parsed = parseEnv(readFileSync(path instanceof URL ? path : String(path), 'utf8'));
  for (const [name, value] of Object.entries(parsed)) {
    if (process.env[name] === undefined) process.env[name] = value;
  }
}

function getBuiltinModule(id) {
  validateString(id, 'id');
  const name = id.startsWith('node:') ? id.slice(5) : id;
  if (!loader.isPublic(name)) return undefined;
  if (!id.startsWith('node:') && !loader.canBeRequiredWithoutScheme(name)) return undefined;
  return loader.requireBuiltin(name);
}

function dlopen(module, filename) {
  if (arguments.length < 2) {
    const { ERR_MISSING_ARGS } = require('#internal/errors').codes;
    throw new ERR_MISSING_ARGS('process.dlopen needs at least 2 arguments.');
  }
  const { ERR_DLOPEN_FAILED } = require('#internal/errors').codes;
  throw new ERR_DLOPEN_FAILED(`Gyre cannot load native addons yet: ${filename}`);
}

let bindingWarned = false;

/** What `process.binding` allows of old: only what programs still ask for. */
function legacyBinding(name) {
  if (options.getOptionValue('--pending-deprecation') && !bindingWarned) {
    bindingWarned = true;
    emitWarning('process.binding() is deprecated. Please use public APIs instead.', 'DeprecationWarning', 'DEP0111');
  }
  switch (name) {
    case 'natives': return Object.fromEntries(loader.publicModules.map((id) => [id, '']));
    case 'config': return { hasIntl: true, hasInspector: false, hasOpenSSL: true, fipsMode: false };
    case 'constants': {
      const { constants: os } = require('os');
      return { os, fs: require('fs').constants, crypto: require('crypto').constants, zlib: require('zlib').constants, trace: {} };
    }
    case 'util': {
      const { types } = require('util');
      const names = ['isArrayBuffer', 'isArrayBufferView', 'isAsyncFunction', 'isDataView', 'isDate', 'isExternal', 'isMap',
        'isMapIterator', 'isNativeError', 'isPromise', 'isRegExp', 'isSet', 'isSetIterator', 'isTypedArray', 'isUint8Array',
        'isAnyArrayBuffer'];
      return Object.fromEntries(names.map((name) => [name, types[name]]));
    }
    case 'spawn_sync': return require('#child_process/sync').legacyBinding;
    case 'uv': return require('#process/uv_binding').make();
    case 'buffer': return { kMaxLength: require('buffer').kMaxLength };
    default: {
      const error = new Error(`No such module: ${name}`);
      error.code = 'ERR_INVALID_MODULE';
      throw error;
    }
  }
}

function accessor(object, name, get, set, attributes = {}) {
  Object.defineProperty(object, name, {
    __proto__: null, get, set, enumerable: true, configurable: true, ...attributes,
  });
}

/** Computed until a program assigns it. */
function replaceable(object, name, get) {
  accessor(object, name, get, (value) => {
    Object.defineProperty(object, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
  });
}

function setupStreams(target) {
  for (const name of ['stdout', 'stdin', 'stderr']) {
    const getter = `get${name[0].toUpperCase()}${name.slice(1)}`;
    accessor(target, name, { [getter]: () => require('#stdio/stdio')[getter]() }[getter], undefined);
  }
  define(target, 'openStdin', function openStdin() {
    process.stdin.resume();
    return process.stdin;
  });
}

/** Signals are watched while somebody listens for them. */
function setupSignals(target) {
  const { startListening, stopListening } = require('#process/signals');
  // Directly on the emitter's own lists, so that no listener of ours shows in process.listeners().
  target.on('newListener', startListening);
  target.on('removeListener', stopListening);
}

function setup(target) {
  Object.defineProperty(target, Symbol.toStringTag, {
    __proto__: null, value: 'process', writable: true, enumerable: false, configurable: true,
  });
  define(target, 'version', versions.version, { writable: false });
  define(target, 'versions', versions.makeVersions(), { writable: false });
  define(target, 'arch', 'x64', { writable: false });
  define(target, 'platform', 'linux', { writable: false });
  define(target, 'release', versions.release, { writable: false });
  define(target, '_rawDebug', function _rawDebug(...args) {
    native.rawDebug(require('util').format(...args));
  });
  define(target, 'moduleLoadList', [], { writable: false });
  define(target, 'binding', legacyBinding);
  define(target, '_linkedBinding', function _linkedBinding(name) {
    validateString(name, 'module');
    const error = new Error(`No such binding: ${name}`);
    error.code = 'ERR_INVALID_MODULE';
    throw error;
  });
  require('events').call(target);
  define(target, 'domain', null);
  define(target, '_exiting', false);
  accessor(target, 'exitCode', exit.getExitCode, exit.setExitCode, { configurable: false });
  define(target, 'config', versions.makeConfig(), { writable: false });
  define(target, 'dlopen', dlopen);
  define(target, 'uptime', native.uptime);
  define(target, '_getActiveRequests', () => require('#process/active').requests());
  define(target, '_getActiveHandles', () => require('#process/active').handles());
  define(target, 'getActiveResourcesInfo', function getActiveResourcesInfo() {
    return require('#process/active').resourcesInfo();
  });
  define(target, 'reallyExit', exit.reallyExit);
  define(target, '_kill', native.kill);
  define(target, 'loadEnvFile', loadEnvFile);
  measures.install(target, define);
  define(target, 'kill', kill);
  define(target, 'exit', exit.exit);
  define(target, 'execve', function execve(...args) {
    require('#process/per_thread').execve(...args);
  });
  define(target, 'ref', function ref(resource) {
    const fn = resource?.[Symbol.for('nodejs.ref')] ?? resource?.ref;
    if (typeof fn === 'function') fn.call(resource);
  });
  define(target, 'unref', function unref(resource) {
    const fn = resource?.[Symbol.for('nodejs.unref')] ?? resource?.unref;
    if (typeof fn === 'function') fn.call(resource);
  });
  accessor(target, 'report', { get: () => require('#process/report').report }.get, undefined);
  replaceable(target, 'finalization', () => require('#process/finalization').finalization);
  ids.install(target, define);
  replaceable(target, 'allowedNodeEnvironmentFlags', () => require('#process/environment_flags').flags());
  define(target, 'features', versions.makeFeatures(), { writable: false });
  define(target, '_fatalException', fatal.onUncaught);
  define(target, 'setUncaughtExceptionCaptureCallback', fatal.setUncaughtExceptionCaptureCallback);
  define(target, 'hasUncaughtExceptionCaptureCallback', fatal.hasUncaughtExceptionCaptureCallback);
  define(target, 'emitWarning', emitWarning);
  const queue = setupTaskQueue();
  define(target, 'nextTick', queue.nextTick);
  define(target, '_tickCallback', queue.runNextTicks);
  accessor(target, 'sourceMapsEnabled', () => require('module').getSourceMapsSupport().enabled, undefined);
  define(target, 'setSourceMapsEnabled', function setSourceMapsEnabled(value) {
    require('#internal/validators').validateBoolean(value, 'val');
    require('#module/source_map_support').setSupport(value, { nodeModules: value, generatedCode: value });
  });
  define(target, 'getBuiltinModule', getBuiltinModule);
  define(target, '_debugProcess', function _debugProcess(pid) {
    process.kill(pid, 'SIGUSR1');
  });
  define(target, '_debugEnd', function _debugEnd() {
    require('inspector').close();
  });
  define(target, '_startProfilerIdleNotifier', () => {});
  define(target, '_stopProfilerIdleNotifier', () => {});
  setupStreams(target);
  define(target, 'abort', abort);
  define(target, 'umask', umask);
  define(target, 'chdir', chdir);
  define(target, 'cwd', cwd);
  require('#process/debug_port').install(target);
  target.on('warning', onWarning);
  setupSignals(target);
}

/** Whether the command line names reports; the module is rare. */
function wantsReports() {
  const { values } = options.all();
  for (const name in values) {
    if (name.startsWith('--report-') && values[name]) return true;
  }
  return false;
}

/** What the options say about warnings. */
function applyWarningOptions(target) {
  for (const [option, name] of [['--no-deprecation', 'noDeprecation'], ['--throw-deprecation', 'throwDeprecation'],
    ['--trace-deprecation', 'traceDeprecation'], ['--trace-warnings', 'traceProcessWarnings']]) {
    if (options.getOptionValue(option)) define(target, name, true);
  }
}

/** Brings what belongs to this process: arguments, environment, ids. */
function refresh(target) {
  const { argv0, execPath, execArgv, args } = options.all();
  forgetCwd();
  define(target, 'env', native.createEnv());
  let title = argv0;
  accessor(target, 'title', () => title, (value) => {
    title = String(value);
    native.setTitle(title);
  });
  define(target, 'argv', [execPath, ...args]);
  define(target, 'execArgv', execArgv);
  define(target, 'pid', native.getpid());
  replaceable(target, 'ppid', () => native.getppid());
  define(target, 'execPath', execPath);
  define(target, 'argv0', argv0);
  const wanted = options.getOptionValue('--title');
  if (wanted) target.title = wanted;
  applyWarningOptions(target);
  if (options.getOptionValue('--enable-source-maps') || options.getOptionValue('--experimental-transform-types') ||
       process.env.NODE_V8_COVERAGE) {
    require('#module/source_map_support').start();
  }
  if (options.getOptionValue('--disable-proto')) require('#process/disable_proto').apply(globalThis);
  if (wantsReports()) require('#process/report').start();
  if (!options.getOptionValue('--warnings')) target.removeListener('warning', onWarning);
}

module.exports = { setup, refresh, applyWarningOptions };
