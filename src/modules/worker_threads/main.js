'use strict';

// The worker's side: its start, and what becomes of an error that nobody catches.

const state = require('#worker_threads/state');
const options = require('#runtime/options');

let input;

function refuse(what) {
  const { codes: { ERR_WORKER_UNSUPPORTED_OPERATION } } = require('#internal/errors');
  throw new ERR_WORKER_UNSUPPORTED_OPERATION(what);
}

function unsupported(name) {
  const disabled = { [name]() {
    refuse(`process.${name}()`);
  } }[name];
  disabled.disabled = true;
  return disabled;
}

/** The channel to a parent process is the main thread's. */
function forbidChannel(define) {
  for (const name of ['send', 'disconnect']) define(name, unsupported(name));
  for (const name of ['channel', 'connected']) {
    Object.defineProperty(process, name, {
      __proto__: null, get: () => refuse(`process.${name}`), enumerable: false, configurable: true,
    });
  }
}

function setUpProcess(message) {
  const native = binding('process');
  const { makeDirectOutput, makeOutput, makeReadable } = require('#worker_threads/streams');
  const define = (name, value) => Object.defineProperty(process, name, {
    __proto__: null, value, writable: true, enumerable: true, configurable: true,
  });
  define('env', message.env.share ? native.createEnv() : native.createOwnEnv(Object.entries(message.env.values).flat()));
  define('execArgv', message.execArgv);
  define('argv', [process.argv[0], message.entry.file ?? message.entry.url ?? '[worker eval]', ...message.argv]);
  for (const name of ['abort', 'chdir', 'initgroups', 'setgroups', 'setegid', 'seteuid', 'setgid', 'setuid', 'execve']) {
    define(name, unsupported(name));
  }
  define('cwd', require('#process/cwd').workerCwd(message.cwdCounter));
  for (const name of ['_startProfilerIdleNotifier', '_stopProfilerIdleNotifier', '_debugProcess', '_debugEnd']) delete process[name];
  if (process.env.NODE_CHANNEL_FD !== undefined) forbidChannel(define);
  const { umask } = process;
  define('umask', function(mask) {
    if (mask !== undefined) refuse('Setting process.umask()');
    return umask();
  });
  let stdout;
  let stderr;
  const lazy = (name, get) => Object.defineProperty(process, name, {
    __proto__: null, get, enumerable: true, configurable: true,
  });
  // A thread that others wait for cannot wait until they write for it.
  const make = message.entry.builtin !== undefined ? makeDirectOutput : makeOutput;
  lazy('stdout', () => (stdout ??= make('stdout', 1)));
  lazy('stderr', () => (stderr ??= make('stderr', 2)));
  input = makeReadable(state.control);
  if (!message.hasStdin) input.take(null);
  lazy('stdin', () => input);
}

function setUpPorts(message) {
  state.control = message.controlPort;
  state.control.on('message', (received) => {
    if (received.type === 'stdin') input.take(received.chunk);
  });
  state.control.unref();
  state.parentPort = message.publicPort;
  state.workerData = message.workerData;
  state.threadName = message.name;
  require('#trace_events/tracing').traceWorker(options.all().threadId, message.name);
  require('#worker_threads/environment_data').adopt(message.environmentData);
}

function start() {
  require('#web/messaging');  // makes the ports in it
  const message = binding('worker').takeStartupData();
  if (!message.inheritsOptions) {
    const { parse } = require('#worker_threads/exec_argv');
    const all = options.all();
    const values = { ...all.values, ...parse(message.nodeOptions ?? []), ...parse(message.execArgv) };
    options.override({ values, execArgv: message.execArgv });
  }
  options.override({ values: { ...options.all().values, '--eval': undefined, '--print': false } });
  require('#process/setup').applyWarningOptions(process);
  setUpPorts(message);
  setUpProcess(message);
  binding('fs').trackDescriptors(Boolean(message.trackUnmanagedFds), (text) => process.emitWarning(text));
  state.control.postMessage({ type: 'online' });
  require('#runtime/prepare').startTools();
  const { entry } = message;
  if (entry.builtin !== undefined) {
    require(entry.builtin).start();
    return;
  }
  if (message.hooks !== undefined) require('#module/hooks_thread').adopt(message.hooks);
  const { runSourceInWorker, runEntry } = require('#module/run_main');
  if (entry.source !== undefined) runSourceInWorker(entry.source);
  else runEntry(entry);
}

/** What an error carries besides message, stack and cause (its code, say), which cloning does not keep. */
function ownProperties(error) {
  if (!(error instanceof Error)) return undefined;
  const properties = {};
  for (const name of Object.keys(error)) {
    const value = error[name];
    if (value === null || (typeof value !== 'object' && typeof value !== 'function' && typeof value !== 'symbol')) {
      properties[name] = value;
    }
  }
  if (Object.hasOwn(error, 'code')) properties.code ??= error.code;
  return properties;
}

/** Hands an uncaught error to the parent's 'error' event and ends the thread. */
function reportFatal(error) {
  if (state.onFatal !== undefined) state.onFatal(error);
  try {
    state.control.postMessage({ type: 'error', error, properties: ownProperties(error) });
  } catch {
    try {
      const { inspect } = require('util');
      const copy = new Error(typeof error === 'object' && error !== null ? String(error.message) : inspect(error));
      try {
        state.control.postMessage({ type: 'error', error: copy });
      } catch {
        // Looking at a stack runs code of the program's.
        const text = (value) => (typeof value === 'string' ? value : 'Error');
        state.control.postMessage({ type: 'errorParts', name: text(error?.name), message: text(error?.message) });
      }
    } catch {
      state.control.postMessage({ type: 'unserializable' });
    }
  }
  if (!process._exiting) {
    process._exiting = true;
    process.exitCode = 1;
    try {
      process.emit('exit', 1);
    } catch {
      // Nothing more can be said.
    }
  }
  process.reallyExit(Number(process.exitCode ?? 1));
}

module.exports = { start, reportFatal, ownProperties };
