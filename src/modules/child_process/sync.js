'use strict';

// spawnSync() and what builds on it: the child runs on a loop of its own while this process waits.

const {
  codes: { ERR_INVALID_ARG_TYPE },
  genericNodeError,
} = require('#internal/errors');
const { validateString } = require('#internal/validators');
const { errnoException } = require('#net/errors');
const {
  nativeOptions,
  normalizeSpawnArguments,
  sanitizeKillSignal,
  validateMaxBuffer,
  validateNoNull,
  validateTimeout,
} = require('#child_process/arguments');
const { getValidStdio } = require('#child_process/stdio');

const kMaxBuffer = 1024 * 1024;

function putInput(options) {
  if (options.input) {
    options.stdio[0] = { ...options.stdio[0], input: options.input };
  }
  for (let i = 0; i < options.stdio.length; i++) {
    const input = options.stdio[i]?.input;
    if (input == null) continue;
    const entry = (options.stdio[i] = { ...options.stdio[i] });
    if (ArrayBuffer.isView(input)) entry.input = input;
    else if (typeof input === 'string') entry.input = Buffer.from(input, options.encoding);
    else {
      throw new ERR_INVALID_ARG_TYPE(`options.stdio[${i}]`, ['Buffer', 'TypedArray', 'DataView', 'string'], input);
    }
  }
}

/** What process.binding('spawn_sync') gives: coverage tools put a function of their own in its place. */
const legacyBinding = {
  spawn(options) {
    return binding('child_process').spawnSync(nativeOptions(options));
  },
};

function run(options) {
  const raw = legacyBinding.spawn(options);
  const result = { __proto__: null };
  if (raw.error) {
    const error = errnoException(raw.error, `spawnSync ${options.file}`);
    error.path = options.file;
    error.spawnargs = options.args.slice(1);
    result.error = error;
  }
  result.status = raw.status;
  result.signal = raw.signal;
  result.output = raw.output;
  result.pid = raw.pid;
  const { encoding } = options;
  if (result.output && encoding && encoding !== 'buffer') {
    for (let i = 0; i < result.output.length; i++) {
      if (result.output[i]) result.output[i] = result.output[i].toString(encoding);
    }
  }
  result.stdout = result.output?.[1];
  result.stderr = result.output?.[2];
  return Object.setPrototypeOf(result, Object.prototype);
}

function spawnSync(file, args, options) {
  options = { __proto__: null, maxBuffer: kMaxBuffer, ...normalizeSpawnArguments(file, args, options) };
  validateTimeout(options.timeout);
  validateMaxBuffer(options.maxBuffer);
  options.killSignal = sanitizeKillSignal(options.killSignal);
  options.stdio = getValidStdio(options.stdio || 'pipe', true).stdio;
  putInput(options);
  return run(options);
}

function checkExecSyncError(result, args, command) {
  if (result.error) return Object.assign(result.error, result);
  if (result.status === 0) return undefined;
  let message = `Command failed: ${command || args.join(' ')}`;
  if (result.stderr && result.stderr.length > 0) message += `\n${result.stderr.toString()}`;
  return genericNodeError(message, result);
}

function readExecFileSyncArgs(file, args, options) {
  if (args != null && !Array.isArray(args) && typeof args === 'object') {
    options = args;
    args = [];
  }
  args = Array.isArray(args) ? args : [];
  return { args, options: { __proto__: null, ...options } };
}

function execFileSync(file, args, options) {
  ({ args, options } = readExecFileSyncArgs(file, args, options));
  const inheritStderr = !options.stdio;
  const result = spawnSync(file, args, options);
  if (inheritStderr && result.stderr) process.stderr.write(result.stderr);
  const error = checkExecSyncError(result, [options.argv0 || file, ...args]);
  if (error) throw error;
  return result.stdout;
}

function execSync(command, options) {
  validateString(command, 'command');
  validateNoNull(command, 'command');
  options = { __proto__: null, ...options };
  options.shell = typeof options.shell === 'string' ? options.shell : true;
  const inheritStderr = !options.stdio;
  const result = spawnSync(command, options);
  if (inheritStderr && result.stderr) process.stderr.write(result.stderr);
  const error = checkExecSyncError(result, undefined, command);
  if (error) throw error;
  return result.stdout;
}

module.exports = { spawnSync, execFileSync, execSync, legacyBinding };
