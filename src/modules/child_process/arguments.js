'use strict';

// What spawn(), execFile() and their kin accept, made into what the native half takes.

const {
  codes: { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_OUT_OF_RANGE },
} = require('#internal/errors');
const { validateBoolean, validateObject, validateString } = require('#internal/validators');
const { convertToValidSignal } = require('#internal/signals');
const { kEmptyObject } = require('#internal/util');

const isInt32 = (value) => value === (value | 0);

function validateNoNull(value, name) {
  if (typeof value === 'string' && value.includes('\u0000')) {
    throw new ERR_INVALID_ARG_VALUE(name, value, 'must be a string without null bytes');
  }
}

function validateTimeout(timeout) {
  if (timeout != null && !(Number.isInteger(timeout) && timeout >= 0)) {
    throw new ERR_OUT_OF_RANGE('timeout', 'an unsigned integer', timeout);
  }
}

function validateMaxBuffer(maxBuffer) {
  if (maxBuffer != null && !(typeof maxBuffer === 'number' && maxBuffer >= 0)) {
    throw new ERR_OUT_OF_RANGE('options.maxBuffer', 'a positive number', maxBuffer);
  }
}

/** @returns {number | undefined} */
function sanitizeKillSignal(killSignal) {
  if (typeof killSignal === 'string' || typeof killSignal === 'number') return convertToValidSignal(killSignal);
  if (killSignal != null) throw new ERR_INVALID_ARG_TYPE('options.killSignal', ['string', 'number'], killSignal);
}

/** A path given as a string, a Buffer or a file: URL. */
function validatedPath(path, name) {
  if (path instanceof URL) path = require('url').fileURLToPath(path);
  if (ArrayBuffer.isView(path)) path = Buffer.from(path.buffer, path.byteOffset, path.byteLength).toString();
  if (typeof path !== 'string') throw new ERR_INVALID_ARG_TYPE(name, ['string', 'Buffer', 'URL'], path);
  if (path.includes('\u0000')) {
    throw new ERR_INVALID_ARG_VALUE(name, path, 'must be a string, Uint8Array, or URL without null bytes');
  }
  return path;
}

function validateSpawnOptions(options) {
  if (options.detached != null) validateBoolean(options.detached, 'options.detached');
  for (const name of ['uid', 'gid']) {
    const value = options[name];
    if (value != null && !isInt32(value)) throw new ERR_INVALID_ARG_TYPE(`options.${name}`, 'int32', value);
  }
  const { shell } = options;
  if (shell != null && typeof shell !== 'boolean' && typeof shell !== 'string') {
    throw new ERR_INVALID_ARG_TYPE('options.shell', ['boolean', 'string'], shell);
  }
  validateNoNull(shell, 'options.shell');
  if (options.argv0 != null) {
    validateString(options.argv0, 'options.argv0');
    validateNoNull(options.argv0, 'options.argv0');
  }
  if (options.windowsHide != null) validateBoolean(options.windowsHide, 'options.windowsHide');
  if (options.windowsVerbatimArguments != null) {
    validateBoolean(options.windowsVerbatimArguments, 'options.windowsVerbatimArguments');
  }
}

function readArgs(file, args, options) {
  validateString(file, 'file');
  validateNoNull(file, 'file');
  if (file.length === 0) throw new ERR_INVALID_ARG_VALUE('file', file, 'cannot be empty');
  if (Array.isArray(args)) {
    args = args.slice();
  } else if (args == null) {
    args = [];
  } else if (typeof args !== 'object') {
    throw new ERR_INVALID_ARG_TYPE('args', 'object', args);
  } else {
    options = args;
    args = [];
  }
  for (let i = 0; i < args.length; i++) validateNoNull(args[i], `args[${i}]`);
  return [args, options];
}

function keysOf(env) {
  if (env === process.env) return Object.keys(env);
  // Inherited properties of the program's own object count.
  const keys = [];
  for (const key in env) keys.push(key);
  return keys;
}

function environmentPairs(env) {
  const pairs = [];
  for (const key of keysOf(env)) {
    const value = env[key];
    if (value === undefined) continue;
    validateNoNull(key, `options.env['${key}']`);
    validateNoNull(value, `options.env['${key}']`);
    pairs.push(`${key}=${value}`);
  }
  return pairs;
}

let warnedOfShellArgs = false;
function warnOfShellArgs() {
  if (warnedOfShellArgs) return;
  warnedOfShellArgs = true;
  process.emitWarning(
    'Passing args to a child process with shell option true can lead to security vulnerabilities, as the arguments are not ' +
      'escaped, only concatenated.',
    'DeprecationWarning',
    'DEP0190',
  );
}

/**
 * @param {string} file
 * @param {string[] | object} [args]
 * @param {object} [options]
 */
function normalizeSpawnArguments(file, args, options) {
  [args, options] = readArgs(file, args, options);
  if (options === undefined) options = kEmptyObject;
  else validateObject(options, 'options');
  // Own properties only: a polluted prototype cannot add any.
  options = { __proto__: null, ...options };
  let { cwd } = options;
  if (cwd != null) cwd = validatedPath(cwd, 'options.cwd');
  validateSpawnOptions(options);

  const { shell } = options;
  if (shell) {
    if (args.length > 0) warnOfShellArgs();
    const command = [file, ...args].join(' ');
    file = typeof shell === 'string' ? shell : '/bin/sh';
    args = ['-c', command];
  }
  args.unshift(typeof options.argv0 === 'string' ? options.argv0 : file);
  let env = options.env || process.env;
  // Coverage also reaches children that are given an environment of their own, unless that says otherwise.
  const { NODE_V8_COVERAGE: coverage } = process.env;
  if (coverage && options.env && !Object.hasOwn(options.env, 'NODE_V8_COVERAGE')) {
    env = { ...options.env, NODE_V8_COVERAGE: coverage };
  }
  return {
    __proto__: null,
    ...options,
    args,
    cwd,
    detached: Boolean(options.detached),
    envPairs: environmentPairs(env),
    file,
    windowsHide: Boolean(options.windowsHide),
    windowsVerbatimArguments: Boolean(options.windowsVerbatimArguments),
  };
}

/** The options as the native half takes them: arguments may be anything until then. */
function nativeOptions(options) {
  return { __proto__: null, ...options, args: options.args?.map(String) };
}

module.exports = {
  nativeOptions,
  normalizeSpawnArguments,
  sanitizeKillSignal,
  validateMaxBuffer,
  validateNoNull,
  validateTimeout,
  validatedPath,
};
