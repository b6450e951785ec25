'use strict';

// The functions of `node:fs` that block: `readFileSync` and its kin.

const { Buffer } = require('buffer');
const {
  codes: { ERR_INVALID_ARG_VALUE },
} = require('#internal/errors');
const {
  parseFileMode, validateBoolean, validateBuffer, validateEncoding, validateInteger, validateObject, validateOneOf,
} = require('#internal/validators');
const { encodeName, encodeNames, needsBytes } = require('#fs/dirent');
const { makeStatFs, makeStats } = require('#fs/stats');
const {
  copyObject, dataToBytes, getOptions, getValidMode, getValidatedFd, getValidatedPath, isUint8Array,
  readError, readPosition, stringToFlags, toUnixTimestamp, validateBufferArray, validateOffsetLengthRead,
  validateOffsetLengthWrite, validateOwner, validateRmdirOptions, validateStringAfterArrayBufferView, writePosition,
} = require('#fs/validate');
const native = binding('fs');

const kUtf8 = /^utf-?8$/i;
/** A path or descriptor given where both will do: descriptors stay numbers. */
const isFd = (value) => Number.isInteger(value) && value >= 0 && value <= 0x7fffffff;
const pathOrFd = (value) => (isFd(value) ? value | 0 : getValidatedPath(value));

function accessSync(path, mode) {
  native.access(getValidatedPath(path), getValidMode(mode));
}

let warnedOfExists = false;
function existsSync(path) {
  try {
    path = getValidatedPath(path);
  } catch (error) {
    if (error.code === 'ERR_INVALID_ARG_TYPE' && !warnedOfExists) {
      warnedOfExists = true;
      process.emitWarning('Passing invalid argument types to fs.existsSync is deprecated', 'DeprecationWarning',
        'DEP0187');
    }
    return false;
  }
  return native.exists(path);
}

function openSync(path, flags, mode) {
  return native.open(getValidatedPath(path), stringToFlags(flags), parseFileMode(mode, 'mode', 0o666));
}

function closeSync(fd) {
  native.close(getValidatedFd(fd));
}

/** Reading a file whole. */
function readFileSync(path, options) {
  options = getOptions(options, kReadFileDefaults);
  const { encoding } = options;
  const target = pathOrFd(path);
  const flags = stringToFlags(options.flag);
  if (encoding === 'utf8' || encoding === 'utf-8') return native.readFileText(target, flags);
  let buffer;
  try {
    buffer = native.readFileSync(target, flags);
  } catch (error) {
    throw readError(error, target);
  }
  return encoding && encoding !== 'buffer' ? buffer.toString(encoding) : buffer;
}
const kReadFileDefaults = Object.freeze({ __proto__: null, flag: 'r' });

function writeFileSync(path, data, options) {
  options = getOptions(options, kWriteFileDefaults);
  const flush = options.flush ?? false;
  validateBoolean(flush, 'options.flush');
  const bytes = dataToBytes(data, options.encoding);
  const flags = stringToFlags(options.flag || 'w');
  const mode = parseFileMode(options.mode, 'mode', 0o666);
  const target = pathOrFd(path);
  if (flush) writeAndFlush(target, bytes, flags, mode);
  else native.writeFile(target, bytes, flags, mode, false);
}

/** With `flush` the public fsync is called, which programs replace to see that it is. */
function writeAndFlush(target, bytes, flags, mode) {
  const fd = typeof target === 'number' ? target : native.open(target, flags, mode);
  try {
    native.writeFile(fd, bytes, flags, mode, false);
    require('fs').fsyncSync(fd);
  } finally {
    if (fd !== target) native.close(fd);
  }
}
const kWriteFileDefaults = Object.freeze({ __proto__: null, encoding: 'utf8', mode: 0o666, flag: 'w', flush: false });

function appendFileSync(path, data, options) {
  options = getOptions(options, { encoding: 'utf8', mode: 0o666, flag: 'a' });
  options = copyObject(options);
  if (!options.flag || isFd(path)) options.flag = 'a';
  module.exports.writeFileSync(path, data, options);
}

/** Arguments of `read` after the buffer, in either form. */
function readRange(buffer, offset, length, position) {
  if (offset === undefined || offset === null) offset = 0;
  else validateInteger(offset, 'offset', 0);
  length |= 0;
  if (length !== 0) {
    if (buffer.byteLength === 0) throw new ERR_INVALID_ARG_VALUE('buffer', buffer, 'is empty and cannot be written');
    validateOffsetLengthRead(offset, length, buffer.byteLength);
  }
  return [offset, length, readPosition(position, length)];
}

function readSync(fd, buffer, offsetOrOptions, length, position) {
  fd = getValidatedFd(fd);
  validateBuffer(buffer);
  let offset = offsetOrOptions;
  if (arguments.length <= 3 || (offsetOrOptions !== null && typeof offsetOrOptions === 'object')) {
    if (offsetOrOptions !== undefined) validateObject(offsetOrOptions, 'options', { nullable: true });
    ({ offset = 0, length = buffer.byteLength - offset, position = null } = offsetOrOptions ?? {});
  }
  [offset, length, position] = readRange(buffer, offset, length, position);
  return length === 0 ? 0 : native.read(fd, offset, length, position, buffer);
}

function readvSync(fd, buffers, position) {
  fd = getValidatedFd(fd);
  validateBufferArray(buffers);
  return native.readBuffers(fd, buffers, typeof position === 'number' ? position : -1);
}

/** Arguments of `write` for bytes. */
function writeRange(buffer, offset, length) {
  if (offset === undefined || offset === null) offset = 0;
  else validateInteger(offset, 'offset', 0);
  if (typeof length !== 'number') length = buffer.byteLength - offset;
  validateOffsetLengthWrite(offset, length, buffer.byteLength);
  return [offset, length];
}

function writeSync(fd, buffer, offsetOrOptions, length, position) {
  fd = getValidatedFd(fd);
  let offset = offsetOrOptions;
  if (ArrayBuffer.isView(buffer)) {
    if (typeof offset === 'object' && offset !== null) {
      ({ offset = 0, length = buffer.byteLength - offset, position = null } = offsetOrOptions);
    }
    [offset, length] = writeRange(buffer, offset, length);
    return native.write(fd, offset, length, writePosition(position), buffer);
  }
  validateStringAfterArrayBufferView(buffer, 'buffer');
  validateEncoding(buffer, length);
  const bytes = Buffer.from(buffer, length || 'utf8');
  return native.write(fd, 0, bytes.length, writePosition(offset), bytes);
}

function writevSync(fd, buffers, position) {
  fd = getValidatedFd(fd);
  validateBufferArray(buffers);
  if (buffers.length === 0) return 0;
  return native.writeBuffers(fd, buffers, writePosition(position));
}

function renameSync(oldPath, newPath) {
  native.rename(getValidatedPath(oldPath, 'oldPath'), getValidatedPath(newPath, 'newPath'));
}

function truncateSync(path, len) {
  if (len === undefined) len = 0;
  const fd = module.exports.openSync(path, 'r+');
  try {
    module.exports.ftruncateSync(fd, len);
  } finally {
    module.exports.closeSync(fd);
  }
}

function ftruncateSync(fd, len = 0) {
  validateInteger(len, 'len');
  native.ftruncate(getValidatedFd(fd), Math.max(0, len));
}

function rmdirSync(path, options) {
  path = getValidatedPath(path);
  if (options?.recursive) {
    require('#fs/rm').warnOfRecursiveRmdir();
    validateRmdirOptions(options);
    return require('#fs/rm').rmdirTreeSync(path, options);
  }
  validateRmdirOptions(options);
  native.rmdir(path);
}

function rmSync(path, options) {
  return require('#fs/rm').rmSync(path, options);
}

function fdatasyncSync(fd) {
  native.fsync(getValidatedFd(fd), true);
}

function fsyncSync(fd) {
  native.fsync(getValidatedFd(fd), false);
}

/** Mode and `recursive` of mkdir. */
function mkdirOptions(options) {
  let mode = 0o777;
  let recursive = false;
  if (typeof options === 'number' || typeof options === 'string') {
    mode = parseFileMode(options, 'mode');
  } else if (options) {
    if (options.recursive !== undefined) {
      recursive = options.recursive;
      validateBoolean(recursive, 'options.recursive');
    }
    if (options.mode !== undefined) mode = parseFileMode(options.mode, 'options.mode');
  }
  return [mode, recursive];
}

function mkdirSync(path, options) {
  const [mode, recursive] = mkdirOptions(options);
  path = getValidatedPath(path);
  if (recursive) return native.mkdirTree(path, mode);
  native.mkdir(path, mode);
}

function readdirSync(path, options) {
  options = getOptions(options);
  path = getValidatedPath(path);
  if (options.recursive !== undefined && options.recursive !== null) {
    validateBoolean(options.recursive, 'options.recursive');
  }
  if (options.recursive) return require('#fs/readdir').readdirTreeSync(path, options);
  const { encoding } = options;
  if (!options.withFileTypes) {
    return encodeNames(native.readdir(path, needsBytes(encoding), false), encoding);
  }
  return require('#fs/readdir').makeDirents(path, native.readdir(path, needsBytes(encoding), true), encoding);
}

function statOf(method, path, options) {
  const values = native[method](path, options?.bigint === true);
  return makeStats(values);
}

/** The Stats of a path, or undefined if nothing is there and the caller does not want to hear of it. */
function statSync(path, options) {
  const values = native.statSync(getValidatedPath(path), options?.bigint === true, true,
    options?.throwIfNoEntry !== false);
  return values === undefined ? undefined : makeStats(values);
}

function lstatSync(path, options) {
  const values = native.statSync(getValidatedPath(path), options?.bigint === true, false,
    options?.throwIfNoEntry !== false);
  return values === undefined ? undefined : makeStats(values);
}

function fstatSync(fd, options) {
  return statOf('fstat', getValidatedFd(fd), options);
}

function statfsSync(path, options) {
  return makeStatFs(native.statfs(getValidatedPath(path), options?.bigint === true));
}

function readlinkSync(path, options) {
  options = getOptions(options);
  return encodeName(native.readlink(getValidatedPath(path), needsBytes(options.encoding)), options.encoding);
}

function validateSymlinkType(type) {
  if (type !== undefined && type !== null) validateOneOf(type, 'type', ['dir', 'file', 'junction', null, undefined]);
}

function symlinkSync(target, path, type) {
  validateSymlinkType(type);
  native.symlink(getValidatedPath(target, 'target'), getValidatedPath(path));
}

function linkSync(existingPath, newPath) {
  native.link(getValidatedPath(existingPath, 'existingPath'), getValidatedPath(newPath, 'newPath'));
}

function unlinkSync(path) {
  native.unlink(getValidatedPath(path));
}

function fchmodSync(fd, mode) {
  mode = parseFileMode(mode, 'mode');
  native.fchmod(getValidatedFd(fd), mode);
}

function chmodSync(path, mode) {
  native.chmod(getValidatedPath(path), parseFileMode(mode, 'mode'));
}

function lchownSync(path, uid, gid) {
  path = getValidatedPath(path);
  validateOwner(uid, gid);
  native.chown(path, uid, gid, false);
}

function fchownSync(fd, uid, gid) {
  validateOwner(uid, gid);
  native.fchown(getValidatedFd(fd), uid, gid);
}

function chownSync(path, uid, gid) {
  path = getValidatedPath(path);
  validateOwner(uid, gid);
  native.chown(path, uid, gid, true);
}

function utimesSync(path, atime, mtime) {
  native.utimes(getValidatedPath(path), toUnixTimestamp(atime), toUnixTimestamp(mtime), true);
}

function futimesSync(fd, atime, mtime) {
  atime = toUnixTimestamp(atime, 'atime');
  mtime = toUnixTimestamp(mtime, 'mtime');
  native.futimes(getValidatedFd(fd), atime, mtime);
}

function lutimesSync(path, atime, mtime) {
  native.utimes(getValidatedPath(path), toUnixTimestamp(atime), toUnixTimestamp(mtime), false);
}

function copyFileSync(src, dest, mode) {
  src = getValidatedPath(src, 'src');
  dest = getValidatedPath(dest, 'dest');
  native.copyFile(src, dest, getValidMode(mode));
}

function cpSync(src, dest, options) {
  return require('#fs/cp').cpSync(src, dest, options);
}

function globSync(pattern, options) {
  return require('#fs/glob').globSync(pattern, options);
}

let warnedOfTemplate = false;
function warnOfTemplate(prefix) {
  const last = typeof prefix === 'string' ? prefix[prefix.length - 1] : String.fromCharCode(prefix[prefix.length - 1]);
  if (warnedOfTemplate || last !== 'X') return;
  warnedOfTemplate = true;
  process.emitWarning(
    'mkdtemp() templates ending with X are not portable. For details see: https://nodejs.org/api/fs.html');
}

function mkdtempSync(prefix, options) {
  options = getOptions(options);
  prefix = getValidatedPath(prefix, 'prefix');
  warnOfTemplate(prefix);
  return encodeName(native.mkdtemp(prefix, needsBytes(options.encoding)), options.encoding);
}

function mkdtempDisposableSync(prefix, options) {
  options = getOptions(options);
  prefix = getValidatedPath(prefix, 'prefix');
  warnOfTemplate(prefix);
  const made = native.mkdtemp(prefix, needsBytes(options.encoding));
  // A later chdir must not make `remove` take another directory.
  const full = require('path').resolve(isUint8Array(made) ? made.toString() : made);
  const remove = () => {
    rmSync(full, { maxRetries: 0, recursive: true, force: true, retryDelay: 0 });
  };
  return {
    path: encodeName(made, options.encoding),
    remove,
    [Symbol.dispose]() {
      remove();
    },
  };
}

function realpathSync(path, options) {
  return require('#fs/realpath').realpathSync(path, options);
}

realpathSync.native = function(path, options) {
  options = getOptions(options);
  return encodeName(native.realpath(getValidatedPath(path), needsBytes(options.encoding)), options.encoding);
};

module.exports = {
  accessSync, appendFileSync, chmodSync, chownSync, closeSync, copyFileSync, cpSync, existsSync, fchmodSync,
  fchownSync, fdatasyncSync, fstatSync, fsyncSync, ftruncateSync, futimesSync, globSync, lchownSync, linkSync,
  lstatSync, lutimesSync, mkdirSync, mkdtempDisposableSync, mkdtempSync, openSync, readSync, readFileSync,
  readdirSync, readlinkSync, readvSync, realpathSync, renameSync, rmSync, rmdirSync, statSync, statfsSync,
  symlinkSync, truncateSync, unlinkSync, utimesSync, writeFileSync, writeSync, writevSync,
  // shared with the other forms
  isFd, kReadFileDefaults, kUtf8, mkdirOptions, pathOrFd, readRange, validateSymlinkType, warnOfTemplate,
  writeRange,
};
