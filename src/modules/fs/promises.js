'use strict';

// `node:fs/promises`.

const { codes: { ERR_METHOD_NOT_IMPLEMENTED } } = require('#internal/errors');
const { kEmptyObject } = require('#internal/util');
const { parseFileMode, validateBoolean, validateInteger } = require('#internal/validators');
const constants = require('#fs/constants');
const { encodeName, encodeNames, needsBytes } = require('#fs/dirent');
const {
  FileHandle, checkAborted, checkData, decode, isCustomIterable, traced, writeData,
} = require('#fs/file_handle');
const { kReadFileDefaults, mkdirOptions, validateSymlinkType, warnOfTemplate } = require('#fs/sync');
const { makeStatFs, makeStats } = require('#fs/stats');
const {
  copyObject, getOptions, getValidMode, getValidatedPath, readError, stringToFlags, toUnixTimestamp, validateOwner,
  validateRmdirOptions,
} = require('#fs/validate');
const native = binding('fs');
const { kPromise } = native;

async function access(path, mode) {
  return await traced(native.access(getValidatedPath(path), getValidMode(mode), kPromise));
}

async function cp(src, dest, options) {
  return require('#fs/cp').cpPromise(src, dest, options);
}

async function copyFile(src, dest, mode) {
  src = getValidatedPath(src, 'src');
  dest = getValidatedPath(dest, 'dest');
  return await traced(native.copyFile(src, dest, getValidMode(mode), kPromise));
}

function openFd(path, flags, mode) {
  path = getValidatedPath(path);
  return traced(native.open(path, stringToFlags(flags), parseFileMode(mode, 'mode', 0o666), kPromise));
}

async function open(path, flags, mode) {
  return new FileHandle(await openFd(path, flags, mode));
}

async function opendir(path, options) {
  return require('#fs/dir').opendirPromise(path, options);
}

/** Opens a descriptor, hands it to `use`, and closes it whatever came of that. */
async function withFile(path, flags, mode, use) {
  const fd = await openFd(path, flags, mode);
  let result;
  try {
    result = await use(fd);
  } catch (error) {
    await traced(native.close(fd, kPromise)).catch((other) => {
      throw new AggregateError([other, error], error.message);
    });
    throw error;
  }
  await traced(native.close(fd, kPromise));
  return result;
}

async function rename(oldPath, newPath) {
  oldPath = getValidatedPath(oldPath, 'oldPath');
  return await traced(native.rename(oldPath, getValidatedPath(newPath, 'newPath'), kPromise));
}

async function truncate(path, len = 0) {
  return withFile(path, 'r+', 0o666, async (fd) => {
    validateInteger(len, 'len');
    await traced(native.ftruncate(fd, Math.max(0, len), kPromise));
  });
}

async function rm(path, options) {
  return require('#fs/rm').rmPromise(path, options);
}

async function rmdir(path, options) {
  path = getValidatedPath(path);
  validateRmdirOptions(options);
  if (options?.recursive) {
    const { rmdirTreePromise, warnOfRecursiveRmdir } = require('#fs/rm');
    warnOfRecursiveRmdir();
    return rmdirTreePromise(path, options);
  }
  return await traced(native.rmdir(path, kPromise));
}

async function mkdir(path, options) {
  path = getValidatedPath(path);
  const [mode, recursive] = mkdirOptions(options);
  return await traced(recursive ? native.mkdirTree(path, mode, kPromise) : native.mkdir(path, mode, kPromise));
}

async function readdir(path, options) {
  options = getOptions(options);
  path = getValidatedPath(path);
  if (options.recursive !== undefined && options.recursive !== null) {
    validateBoolean(options.recursive, 'options.recursive');
  }
  if (options.recursive) return require('#fs/readdir').readdirTreePromise(path, copyObject(options));
  const { encoding } = options;
  const withFileTypes = Boolean(options.withFileTypes);
  const listing = await traced(native.readdir(path, needsBytes(encoding), withFileTypes, kPromise));
  return withFileTypes ? require('#fs/readdir').makeDirents(path, listing, encoding) : encodeNames(listing, encoding);
}

async function readlink(path, options) {
  const { encoding } = getOptions(options);
  path = getValidatedPath(path, 'oldPath');
  return encodeName(await traced(native.readlink(path, needsBytes(encoding), kPromise)), encoding);
}

async function symlink(target, path, type) {
  validateSymlinkType(type);
  return await traced(native.symlink(getValidatedPath(target, 'target'), getValidatedPath(path), kPromise));
}

async function lstat(path, options = { bigint: false }) {
  return makeStats(await traced(native.lstat(getValidatedPath(path), Boolean(options?.bigint), kPromise)));
}

async function stat(path, options = { bigint: false }) {
  return makeStats(await traced(native.stat(getValidatedPath(path), Boolean(options?.bigint), kPromise)));
}

async function statfs(path, options = { bigint: false }) {
  return makeStatFs(await traced(native.statfs(getValidatedPath(path), Boolean(options?.bigint), kPromise)));
}

async function link(existingPath, newPath) {
  existingPath = getValidatedPath(existingPath, 'existingPath');
  return await traced(native.link(existingPath, getValidatedPath(newPath, 'newPath'), kPromise));
}

async function unlink(path) {
  return await traced(native.unlink(getValidatedPath(path), kPromise));
}

async function chmod(path, mode) {
  return await traced(native.chmod(getValidatedPath(path), parseFileMode(mode, 'mode'), kPromise));
}

async function lchmod(path, mode) {
  throw new ERR_METHOD_NOT_IMPLEMENTED('lchmod()');
}

async function lchown(path, uid, gid) {
  path = getValidatedPath(path);
  validateOwner(uid, gid);
  return await traced(native.chown(path, uid, gid, false, kPromise));
}

async function chown(path, uid, gid) {
  path = getValidatedPath(path);
  validateOwner(uid, gid);
  return await traced(native.chown(path, uid, gid, true, kPromise));
}

async function utimes(path, atime, mtime) {
  path = getValidatedPath(path);
  return await traced(native.utimes(path, toUnixTimestamp(atime), toUnixTimestamp(mtime), true, kPromise));
}

async function lutimes(path, atime, mtime) {
  path = getValidatedPath(path);
  return await traced(native.utimes(path, toUnixTimestamp(atime), toUnixTimestamp(mtime), false, kPromise));
}

async function realpath(path, options) {
  const { encoding } = getOptions(options);
  path = getValidatedPath(path);
  return encodeName(await traced(native.realpath(path, needsBytes(encoding), kPromise)), encoding);
}

async function mkdtemp(prefix, options) {
  const { encoding } = getOptions(options);
  prefix = getValidatedPath(prefix, 'prefix');
  warnOfTemplate(prefix);
  return encodeName(await traced(native.mkdtemp(prefix, needsBytes(encoding), kPromise)), encoding);
}

async function mkdtempDisposable(prefix, options) {
  const { encoding } = getOptions(options);
  prefix = getValidatedPath(prefix, 'prefix');
  warnOfTemplate(prefix);
  // Resolved before the wait: a later chdir must not make `remove` take another directory.
  const cwd = process.cwd();
  const made = await traced(native.mkdtemp(prefix, needsBytes(encoding), kPromise));
  const full = require('path').resolve(cwd, made.toString());
  const remove = async () => {
    await rm(full, { maxRetries: 0, recursive: true, force: true, retryDelay: 0 });
  };
  return {
    __proto__: null,
    path: encodeName(made, encoding),
    remove,
    async [Symbol.asyncDispose]() {
      await remove();
    },
  };
}

async function writeFile(path, data, options) {
  options = getOptions(options, { encoding: 'utf8', mode: 0o666, flag: 'w', flush: false });
  const flush = options.flush ?? false;
  validateBoolean(flush, 'options.flush');
  if (path instanceof FileHandle) return path.writeFile(data, options);
  data = checkData(data, options.encoding);
  const { signal } = options;
  checkAborted(signal);
  const flag = options.flag || 'w';
  if (!signal && !isCustomIterable(data)) {
    const mode = parseFileMode(options.mode, 'mode', 0o666);
    return await traced(native.writeFile(getValidatedPath(path), data, stringToFlags(flag), mode, flush, kPromise));
  }
  return withFile(path, flag, options.mode, async (fd) => {
    await writeData(fd, data, signal, options.encoding);
    if (flush) await traced(native.fsync(fd, false, kPromise));
  });
}

async function appendFile(path, data, options) {
  options = copyObject(getOptions(options, { encoding: 'utf8', mode: 0o666, flag: 'a', flush: false }));
  options.flag ||= 'a';
  return writeFile(path, data, options);
}

/** The promise form tells which file a read failed on. */
function named(error, path) {
  if (error.syscall === 'read' && error.path === undefined) {
    error.path = path.toString();
    error.message += ` '${error.path}'`;
  }
  return error;
}

async function readFile(path, options) {
  options = getOptions(options, kReadFileDefaults);
  if (path instanceof FileHandle) return path.readFile(options);
  const { signal, encoding } = options;
  checkAborted(signal);
  path = getValidatedPath(path);
  const flags = stringToFlags(options.flag || 'r');
  let bytes;
  try {
    bytes = await traced(native.readFile(path, flags, kPromise));
  } catch (error) {
    throw named(readError(error, path), path);
  }
  checkAborted(signal);
  return decode(bytes, encoding);
}

async function* watch(filename, options = kEmptyObject) {
  yield* require('#fs/watch_async').watch(filename, options);
}

function glob(pattern, options) {
  return require('#fs/glob').glob(pattern, options);
}

module.exports = {
  access,
  copyFile,
  cp,
  glob,
  open,
  opendir,
  rename,
  truncate,
  rm,
  rmdir,
  mkdir,
  readdir,
  readlink,
  symlink,
  lstat,
  stat,
  statfs,
  link,
  unlink,
  chmod,
  lchmod,
  lchown,
  chown,
  utimes,
  lutimes,
  realpath,
  mkdtemp,
  mkdtempDisposable,
  writeFile,
  appendFile,
  readFile,
  watch,
  constants,
};
