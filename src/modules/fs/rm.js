'use strict';

// `fs.rm` and the recursive `fs.rmdir`.

const { codes: { ERR_FS_EISDIR } } = require('#internal/errors');
const { validateFunction } = require('#internal/validators');
const { S_IFDIR, S_IFMT } = require('#fs/constants');
const { runAsync, runSync, toCallback } = require('#fs/script');
const { getValidatedPath, validateRmOptions, validateRmdirOptions } = require('#fs/validate');

const kEISDIR = 21;
const kTransient = new Set(['EBUSY', 'EMFILE', 'ENFILE', 'ENOTEMPTY', 'EPERM']);

const isMissing = (error) => error.code === 'ENOENT' || error.code === 'ENOTDIR';

/** Yields what removes the tree, again and again while the failure may pass. */
function* removeTree(path, { maxRetries = 0, retryDelay = 100, force = true }, wait) {
  for (let attempt = 1; ; attempt++) {
    try {
      return yield ['removeTree', path, true, force];
    } catch (error) {
      if (attempt > maxRetries || !kTransient.has(error.code)) throw error;
      yield [() => wait(attempt * retryDelay)];
    }
  }
}

function* remove(path, options, wait) {
  let stats;
  try {
    stats = yield ['lstat', path, false];
  } catch (error) {
    if (options.force && isMissing(error)) return;
    throw error;
  }
  const isDirectory = (stats[1] & S_IFMT) === S_IFDIR;
  if (isDirectory && !options.recursive) {
    throw new ERR_FS_EISDIR({ code: 'EISDIR', message: 'is a directory', path, syscall: 'rm', errno: kEISDIR });
  }
  if (isDirectory) return yield* removeTree(path, { ...options, force: true }, wait);
  for (let attempt = 1; ; attempt++) {
    try {
      return yield ['unlink', path];
    } catch (error) {
      if (options.force && isMissing(error)) return;
      if (attempt > options.maxRetries || !kTransient.has(error.code)) throw error;
      yield [() => wait(attempt * options.retryDelay)];
    }
  }
}

/** The recursive rmdir: only for directories, and not for what is not there. */
function* rmdirTree(path, options, wait) {
  const stats = yield ['lstat', path, false];
  if ((stats[1] & S_IFMT) !== S_IFDIR) return yield ['rmdir', path];
  return yield* removeTree(path, { ...options, force: true }, wait);
}

function waitSync(ms) {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const waitAsync = (ms) => new Promise((resolve) => { require('timers').setTimeout(resolve, ms); });

function rmSync(path, options) {
  path = getValidatedPath(path);
  return runSync(remove(path, validateRmOptions(options), waitSync));
}

async function rmPromise(path, options) {
  path = getValidatedPath(path);
  await runAsync(remove(path, validateRmOptions(options), waitAsync));
}

function rm(path, options, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  }
  validateFunction(callback, 'cb');
  path = getValidatedPath(path);
  options = validateRmOptions(options);
  toCallback(runAsync(remove(path, options, waitAsync)), (error) => callback(error));
}

let warned = false;
function warnOfRecursiveRmdir() {
  if (warned) return;
  warned = true;
  process.emitWarning(
    'In future versions of Node.js, fs.rmdir(path, { recursive: true }) will be removed. ' +
    'Use fs.rm(path, { recursive: true }) instead', 'DeprecationWarning', 'DEP0147');
}

module.exports = {
  rm,
  rmPromise,
  rmSync,
  rmdirTree: (path, options, callback) =>
    toCallback(runAsync(rmdirTree(path, validateRmdirOptions(options), waitAsync)), (error) => callback(error)),
  rmdirTreePromise: async (path, options) => {
    await runAsync(rmdirTree(path, validateRmdirOptions(options), waitAsync));
  },
  rmdirTreeSync: (path, options) => {
    runSync(rmdirTree(path, validateRmdirOptions(options), waitSync));
  },
  warnOfRecursiveRmdir,
};
