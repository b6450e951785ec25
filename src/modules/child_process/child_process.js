'use strict';

// node:child_process: the module's face. See child.js (ChildProcess), sync.js, ipc.js.

const {
  codes: { ERR_CHILD_PROCESS_IPC_REQUIRED, ERR_CHILD_PROCESS_STDIO_MAXBUFFER, ERR_INVALID_ARG_TYPE },
  genericNodeError,
} = require('#internal/errors');
const { validateAbortSignal, validateFunction, validateObject, validateString } = require('#internal/validators');
const {
  normalizeSpawnArguments,
  sanitizeKillSignal,
  validateMaxBuffer,
  validateNoNull,
  validateTimeout,
  validatedPath,
} = require('#child_process/arguments');
const { ChildProcess, abortChildProcess } = require('#child_process/child');
const { stdioStringToArray } = require('#child_process/stdio');
const { execFileSync, execSync, spawnSync } = require('#child_process/sync');

const kMaxBuffer = 1024 * 1024;
const kCustomPromisify = Symbol.for('nodejs.util.promisify.custom');

function killAfter(child, timeout, killSignal) {
  let timer = setTimeout(() => {
    if (timer === null) return;
    try {
      child.kill(killSignal);
    } catch (error) {
      child.emit('error', error);
    }
    timer = null;
  }, timeout);
  child.once('exit', () => {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
  });
}

function killOnAbort(child, signal, killSignal) {
  const onAbort = () => abortChildProcess(child, killSignal, signal.reason);
  if (signal.aborted) {
    process.nextTick(onAbort);
    return;
  }
  signal.addEventListener('abort', onAbort, { once: true });
  child.once('exit', () => signal.removeEventListener('abort', onAbort));
}

/** Starts a program. */
function spawn(file, args, options) {
  options = normalizeSpawnArguments(file, args, options);
  validateTimeout(options.timeout);
  validateAbortSignal(options.signal, 'options.signal');
  const killSignal = sanitizeKillSignal(options.killSignal);
  const child = new ChildProcess();
  child.spawn(options);
  if (options.timeout > 0) killAfter(child, options.timeout, killSignal);
  if (options.signal) killOnAbort(child, options.signal, killSignal);
  return child;
}

function readExecFileArgs(file, args, options, callback) {
  if (args != null && Array.isArray(args)) {
    args = args.slice();
  } else if (args != null && typeof args === 'object') {
    callback = options;
    options = args;
    args = null;
  } else if (typeof args === 'function') {
    callback = args;
    options = null;
    args = null;
  }
  args ??= [];
  if (typeof options === 'function') callback = options;
  else if (options != null) validateObject(options, 'options');
  options = typeof options === 'function' ? {} : (options ?? {});
  if (callback != null) validateFunction(callback, 'callback');
  if (options.argv0 != null) {
    validateString(options.argv0, 'options.argv0');
    validateNoNull(options.argv0, 'options.argv0');
  }
  return { file, args, options, callback };
}

/** One of a child's output streams, gathered up to a limit. */
class Output {
  constructor(stream, name, { encoding, maxBuffer }, onFull) {
    this.stream = stream;
    this.encoding = encoding;
    this.chunks = [];
    let length = 0;
    if (!stream) return;
    if (encoding) stream.setEncoding(encoding);
    stream.on('data', (chunk) => {
      const { readableEncoding } = stream;
      const size = readableEncoding ? Buffer.byteLength(chunk, readableEncoding) : chunk.length;
      const room = maxBuffer - length;
      length += size;
      if (length > maxBuffer) {
        this.chunks.push(chunk.slice(0, room));
        onFull(new ERR_CHILD_PROCESS_STDIO_MAXBUFFER(name));
      } else {
        this.chunks.push(chunk);
      }
    });
  }

  value() {
    if (this.encoding || this.stream?.readableEncoding) return this.chunks.join('');
    return Buffer.concat(this.chunks);
  }
}

/** Runs a program and gathers what it writes. */
function execFile(file, args, options, callback) {
  ({ file, args, options, callback } = readExecFileArgs(file, args, options, callback));
  options = { __proto__: null, encoding: 'utf8', timeout: 0, maxBuffer: kMaxBuffer, killSignal: 'SIGTERM', cwd: null, env: null,
    shell: false, ...options };
  validateTimeout(options.timeout);
  validateMaxBuffer(options.maxBuffer);
  options.killSignal = sanitizeKillSignal(options.killSignal);
  const { cwd, env, gid, shell, signal, uid, windowsHide, windowsVerbatimArguments, argv0 } = options;
  const child = spawn(file, args, { cwd, env, gid, shell, signal, uid, argv0, windowsHide: Boolean(windowsHide),
    windowsVerbatimArguments: Boolean(windowsVerbatimArguments) });
  new Execution(child, [file, ...args].join(' '), options, callback).watch();
  return child;
}

class Execution {
  constructor(child, command, options, callback) {
    this.child = child;
    this.command = command;
    this.options = options;
    this.callback = callback;
    this.killed = false;
    this.exited = false;
    this.error = null;
    this.timer = undefined;
    const { encoding } = options;
    const limits = { encoding: encoding && encoding !== 'buffer' && Buffer.isEncoding(encoding) ? encoding : null,
      maxBuffer: options.maxBuffer };
    const onFull = (error) => {
      this.error = error;
      this.kill();
    };
    this.stdout = new Output(child.stdout, 'stdout', limits, onFull);
    this.stderr = new Output(child.stderr, 'stderr', limits, onFull);
  }

  watch() {
    const { child, options } = this;
    if (options.timeout > 0) {
      this.timer = setTimeout(() => {
        this.timer = undefined;
        this.kill();
      }, options.timeout);
    }
    child.addListener('close', (code, signal) => this.ended(code, signal));
    child.addListener('error', (error) => {
      this.error = error;
      child.stdout?.destroy();
      child.stderr?.destroy();
      this.ended();
    });
  }

  kill() {
    const { child } = this;
    child.stdout?.destroy();
    child.stderr?.destroy();
    this.killed = true;
    try {
      child.kill(this.options.killSignal);
    } catch (error) {
      this.error ??= error;
      this.ended();
    }
  }

  ended(code, signal) {
    if (this.exited) return;
    this.exited = true;
    clearTimeout(this.timer);
    if (!this.callback) return;
    const stdout = this.stdout.value();
    const stderr = this.stderr.value();
    let { error } = this;
    if (!error && code === 0 && signal === null) return void this.callback(null, stdout, stderr);
    if (!error) {
      error = genericNodeError(`Command failed: ${this.command}\n${stderr}`, {
        code: code < 0 ? require('util').getSystemErrorName(code) : code,
        killed: this.child.killed || this.killed,
        signal,
      });
    }
    error.cmd = this.command;
    this.callback(error, stdout, stderr);
  }
}

function readExecArgs(command, options, callback) {
  validateString(command, 'command');
  validateNoNull(command, 'command');
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  }
  options = { __proto__: null, ...options };
  options.shell = typeof options.shell === 'string' ? options.shell : true;
  return { command, options, callback };
}

/** Runs a shell's command and gathers what it writes. */
function exec(command, options, callback) {
  const read = readExecArgs(command, options, callback);
  return module.exports.execFile(read.command, read.options, read.callback);
}

/** The promise forms resolve to { stdout, stderr }; their promise knows its child. */
function promiseForm(run) {
  return (...args) => {
    const { promise, resolve, reject } = Promise.withResolvers();
    promise.child = run(...args, (error, stdout, stderr) => {
      if (error === null) return resolve({ stdout, stderr });
      error.stdout = stdout;
      error.stderr = stderr;
      reject(error);
    });
    return promise;
  };
}

for (const run of [exec, execFile]) {
  Object.defineProperty(run, kCustomPromisify, { __proto__: null, enumerable: false, value: promiseForm(run) });
}

function readForkArgs(args, options) {
  if (args == null) {
    args = [];
  } else if (typeof args === 'object' && !Array.isArray(args)) {
    options = args;
    args = [];
  } else if (!Array.isArray(args)) {
    throw new ERR_INVALID_ARG_TYPE('args', 'Array', args);
  }
  if (options != null) validateObject(options, 'options');
  return { args, options: { __proto__: null, ...options, shell: false } };
}

/** Starts another of this runtime's processes, with a channel for messages. */
function fork(modulePath, ...rest) {
  modulePath = validatedPath(modulePath, 'modulePath');
  let { args, options } = readForkArgs(...rest);
  options.execPath ||= process.execPath;
  validateNoNull(options.execPath, 'options.execPath');
  let execArgv = options.execArgv || process.execArgv;
  for (let i = 0; i < execArgv.length; i++) validateNoNull(execArgv[i], `options.execArgv[${i}]`);
  // The source of `-e` is not a flag for the child.
  if (execArgv === process.execArgv && process._eval != null) {
    const index = execArgv.lastIndexOf(process._eval);
    if (index > 0) execArgv = execArgv.toSpliced(index - 1, 2);
  }
  args = [...execArgv, modulePath, ...args];
  if (typeof options.stdio === 'string') {
    options.stdio = stdioStringToArray(options.stdio, 'ipc');
  } else if (!Array.isArray(options.stdio)) {
    options.stdio = stdioStringToArray(options.silent ? 'pipe' : 'inherit', 'ipc');
  } else if (!options.stdio.includes('ipc')) {
    throw new ERR_CHILD_PROCESS_IPC_REQUIRED('options.stdio');
  }
  return spawn(options.execPath, args, options);
}

/** The child's end of fork(). */
function _forkChild(fd, serializationMode) {
  require('#child_process/bootstrap').openChannel(fd, serializationMode);
}

module.exports = {
  _forkChild,
  ChildProcess,
  exec,
  execFile,
  execFileSync,
  execSync,
  fork,
  spawn,
  spawnSync,
};
