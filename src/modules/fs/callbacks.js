'use strict';

// The functions of `node:fs` that take a callback.

const { Buffer } = require('buffer');
const {
  AbortError, codes: { ERR_INVALID_ARG_VALUE },
} = require('#internal/errors');
const { kCustomPromisify, kCustomPromisifyArgs, kEmptyObject } = require('#internal/util');
const {
  parseFileMode, validateBoolean, validateBuffer, validateEncoding, validateFunction, validateInteger, validateObject,
} = require('#internal/validators');
const { encodeName, encodeNames, needsBytes } = require('#fs/dirent');
const { makeStatFs, makeStats } = require('#fs/stats');
const {
  isFd, kReadFileDefaults, mkdirOptions, pathOrFd, validateSymlinkType, warnOfTemplate, writeRange,
} = require('#fs/sync');
const {
  copyObject, dataToBytes, getOptions, getValidMode, getValidatedFd, getValidatedPath, makeCallback, readError,
  readPosition,
  stringToFlags, toUnixTimestamp, validateBufferArray, validateOffsetLengthRead, validateOwner, validateRmdirOptions,
  validateStringAfterArrayBufferView, writePosition,
} = require('#fs/validate');
const native = binding('fs');

const kReadBufferSize = 16 * 1024;

/** Turns the arrays of the native half into Stats on their way. */
function statsCallback(callback) {
  validateFunction(callback, 'cb');
  return (error, values) => {
    if (error) callback(error);
    else callback(error, makeStats(values));
  };
}

function namesCallback(callback, encoding) {
  if (!needsBytes(encoding)) return callback;
  return (error, name) => {
    if (error) callback(error);
    else callback(error, encodeName(name, encoding));
  };
}

/** Native calls report success as `(null)`; a missing callback of close() throws what went wrong. */
function throwError(error) {
  if (error) throw error;
}

function access(path, mode, callback) {
  if (typeof mode === 'function') {
    callback = mode;
    mode = undefined;
  }
  path = getValidatedPath(path);
  callback = makeCallback(callback);
  native.access(path, getValidMode(mode), callback);
}

function exists(path, callback) {
  validateFunction(callback, 'cb');
  const report = (result) => callback(result);
  try {
    path = getValidatedPath(path);
  } catch {
    return report(false);
  }
  native.access(path, 0, (error) => report(!error));
}

Object.defineProperty(exists, kCustomPromisify, {
  __proto__: null,
  value: function exists(path) {
    return new Promise((resolve) => module.exports.exists(path, resolve));
  },
});

function open(path, flags, mode, callback) {
  path = getValidatedPath(path);
  if (arguments.length < 3) {
    callback = flags;
    flags = 'r';
    mode = 0o666;
  } else if (typeof mode === 'function') {
    callback = mode;
    mode = 0o666;
  } else {
    mode = parseFileMode(mode, 'mode', 0o666);
  }
  native.open(path, stringToFlags(flags), mode, makeCallback(callback));
}

function openAsBlob(path, options = kEmptyObject) {
  return require('#fs/open_as_blob').openAsBlob(path, options);
}

function close(fd, callback = throwError) {
  if (callback !== throwError) callback = makeCallback(callback);
  native.close(getValidatedFd(fd), callback);
}

/** Reports an AbortError instead of the result if `signal` fired meanwhile. @returns the callback to hand on */
function abortable(signal, callback) {
  if (!signal) return callback;
  return (error, value) => {
    if (!checkAborted(signal, callback)) callback(error, value);
  };
}

function checkAborted(signal, callback) {
  if (!signal?.aborted) return false;
  callback(new AbortError(undefined, { cause: signal.reason }));
  return true;
}

function readFile(path, options, callback) {
  callback ||= options;
  validateFunction(callback, 'cb');
  options = getOptions(options, kReadFileDefaults);
  const flags = stringToFlags(options.flag);
  const target = pathOrFd(path);
  if (checkAborted(options.signal, callback)) return;
  const { encoding } = options;
  native.readFile(target, flags, abortable(options.signal, (error, buffer) => {
    if (error) return callback(readError(error, target));
    if (encoding && encoding !== 'buffer') {
      try {
        buffer = buffer.toString(encoding);
      } catch (failure) {
        return callback(failure);
      }
    }
    callback(null, buffer);
  }));
}

function writeFile(path, data, options, callback) {
  callback ||= options;
  validateFunction(callback, 'cb');
  options = getOptions(options, { encoding: 'utf8', mode: 0o666, flag: 'w', flush: false });
  const flags = stringToFlags(options.flag || 'w');
  const flush = options.flush ?? false;
  validateBoolean(flush, 'options.flush');
  const bytes = dataToBytes(data, options.encoding);
  const target = pathOrFd(path);
  const mode = parseFileMode(options.mode, 'mode', 0o666);
  if (checkAborted(options.signal, callback)) return;
  const done = abortable(options.signal, callback);
  if (flush) writeAndFlush(target, bytes, flags, mode, done);
  else native.writeFile(target, bytes, flags, mode, false, done);
}

/** With `flush` the public fsync is called, which programs replace to see that it is. */
function writeAndFlush(target, bytes, flags, mode, callback) {
  const write = (fd) => {
    const finish = (error) => {
      if (fd === target) callback(error);
      else native.close(fd, (closeError) => callback(error || closeError));
    };
    native.writeFile(fd, bytes, flags, mode, false, (error) => {
      if (error) finish(error);
      else require('fs').fsync(fd, finish);
    });
  };
  if (typeof target === 'number') return write(target);
  native.open(target, flags, mode, (error, fd) => (error ? callback(error) : write(fd)));
}

function appendFile(path, data, options, callback) {
  callback ||= options;
  validateFunction(callback, 'cb');
  options = copyObject(getOptions(options, { encoding: 'utf8', mode: 0o666, flag: 'a' }));
  if (!options.flag || isFd(path)) options.flag = 'a';
  module.exports.writeFile(path, data, options, callback);
}

/** The many ways of calling `read`: (fd, buffer, offset, length, position, cb), (fd, buffer, options, cb), ... */
function readArguments(args, buffer, offset, length, position, callback) {
  let params = null;
  if (args <= 4) {
    if (args === 4) {
      validateObject(offset, 'options', { nullable: true });
      callback = length;
      params = offset;
    } else if (args === 3) {
      if (!ArrayBuffer.isView(buffer)) {
        params = buffer;
        ({ buffer = Buffer.alloc(kReadBufferSize) } = params ?? kEmptyObject);
      }
      callback = offset;
    } else {
      callback = buffer;
      buffer = Buffer.alloc(kReadBufferSize);
    }
    if (params !== undefined) validateObject(params, 'options', { nullable: true });
    ({ offset = 0, length = buffer?.byteLength - offset, position = null } = params ?? kEmptyObject);
  }
  return { buffer, offset, length, position, callback };
}

function read(fd, buffer, offsetOrOptions, length, position, callback) {
  fd = getValidatedFd(fd);
  let offset = offsetOrOptions;
  ({ buffer, offset, length, position, callback } =
    readArguments(arguments.length, buffer, offset, length, position, callback));
  validateBuffer(buffer);
  validateFunction(callback, 'cb');
  if (offset === null || offset === undefined) offset = 0;
  else validateInteger(offset, 'offset', 0);
  length |= 0;
  if (length === 0) {
    process.nextTick(() => callback(null, 0, buffer));
    return;
  }
  if (buffer.byteLength === 0) throw new ERR_INVALID_ARG_VALUE('buffer', buffer, 'is empty and cannot be written');
  validateOffsetLengthRead(offset, length, buffer.byteLength);
  native.read(fd, offset, length, readPosition(position, length), buffer,
    (error, bytesRead) => callback(error, bytesRead || 0, buffer));
}
Object.defineProperty(read, kCustomPromisifyArgs, { __proto__: null, value: ['bytesRead', 'buffer'] });

function readv(fd, buffers, position, callback) {
  fd = getValidatedFd(fd);
  validateBufferArray(buffers);
  callback = makeCallback(callback || position);
  native.readBuffers(fd, buffers, typeof position === 'number' ? position : -1,
    (error, bytesRead) => callback(error, bytesRead || 0, buffers));
}
Object.defineProperty(readv, kCustomPromisifyArgs, { __proto__: null, value: ['bytesRead', 'buffers'] });

function write(fd, buffer, offsetOrOptions, length, position, callback) {
  fd = getValidatedFd(fd);
  let offset = offsetOrOptions;
  if (ArrayBuffer.isView(buffer)) {
    callback = makeCallback(callback || position || length || offset);
    if (typeof offset === 'object' && offset !== null) {
      ({ offset = 0, length = buffer.byteLength - offset, position = null } = offsetOrOptions);
    }
    [offset, length] = writeRange(buffer, typeof offset === 'function' ? 0 : offset, length);
    native.write(fd, offset, length, writePosition(position), buffer,
      (error, written) => callback(error, written || 0, buffer));
    return;
  }
  validateStringAfterArrayBufferView(buffer, 'buffer');
  if (typeof position !== 'function') {
    if (typeof offset === 'function') {
      position = offset;
      offset = null;
    } else {
      position = length;
    }
    length = 'utf8';
  }
  validateEncoding(buffer, length);
  callback = makeCallback(position);
  const bytes = Buffer.from(buffer, length);
  native.write(fd, 0, bytes.length, writePosition(offset), bytes,
    (error, written) => callback(error, written || 0, buffer));
}
Object.defineProperty(write, kCustomPromisifyArgs, { __proto__: null, value: ['bytesWritten', 'buffer'] });

function writev(fd, buffers, position, callback) {
  fd = getValidatedFd(fd);
  validateBufferArray(buffers);
  callback = makeCallback(callback || position);
  if (buffers.length === 0) {
    process.nextTick(callback, null, 0, buffers);
    return;
  }
  native.writeBuffers(fd, buffers, writePosition(position),
    (error, written) => callback(error, written || 0, buffers));
}
Object.defineProperty(writev, kCustomPromisifyArgs, { __proto__: null, value: ['bytesWritten', 'buffers'] });

function rename(oldPath, newPath, callback) {
  callback = makeCallback(callback);
  native.rename(getValidatedPath(oldPath, 'oldPath'), getValidatedPath(newPath, 'newPath'), callback);
}

function truncate(path, len, callback) {
  if (typeof len === 'function') {
    callback = len;
    len = 0;
  } else if (len === undefined) {
    len = 0;
  }
  validateInteger(len, 'len');
  len = Math.max(0, len);
  callback = makeCallback(callback);
  open(path, 'r+', (error, fd) => {
    if (error) return callback(error);
    native.ftruncate(fd, len, (failure) => {
      native.close(fd, (later) => callback(failure || later));
    });
  });
}

function ftruncate(fd, len = 0, callback) {
  if (typeof len === 'function') {
    callback = len;
    len = 0;
  }
  validateInteger(len, 'len');
  callback = makeCallback(callback);
  native.ftruncate(getValidatedFd(fd), Math.max(0, len), callback);
}

function rmdir(path, options, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  }
  callback = makeCallback(callback);
  path = getValidatedPath(path);
  validateRmdirOptions(options);
  if (options?.recursive) {
    require('#fs/rm').warnOfRecursiveRmdir();
    return require('#fs/rm').rmdirTree(path, options, callback);
  }
  native.rmdir(path, callback);
}

function rm(path, options, callback) {
  return require('#fs/rm').rm(path, options, callback);
}

function fdatasync(fd, callback) {
  callback = makeCallback(callback);
  native.fsync(getValidatedFd(fd), true, callback);
}

function fsync(fd, callback) {
  callback = makeCallback(callback);
  native.fsync(getValidatedFd(fd), false, callback);
}

function mkdir(path, options, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  }
  const [mode, recursive] = mkdirOptions(options);
  callback = makeCallback(callback);
  path = getValidatedPath(path);
  if (recursive) native.mkdirTree(path, mode, callback);
  else native.mkdir(path, mode, callback);
}

function readdir(path, options, callback) {
  callback = makeCallback(typeof options === 'function' ? options : callback);
  options = getOptions(options);
  path = getValidatedPath(path);
  if (options.recursive !== undefined && options.recursive !== null) {
    validateBoolean(options.recursive, 'options.recursive');
  }
  if (options.recursive) return require('#fs/readdir').readdirTree(path, options, callback);
  const { encoding } = options;
  const withFileTypes = Boolean(options.withFileTypes);
  native.readdir(path, needsBytes(encoding), withFileTypes, (error, listing) => {
    if (error) return callback(error);
    let entries;
    try {
      entries = withFileTypes ? require('#fs/readdir').makeDirents(path, listing, encoding) :
        encodeNames(listing, encoding);
    } catch (failure) {
      return callback(failure);
    }
    callback(null, entries);
  });
}

function fstat(fd, options = { bigint: false }, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = kEmptyObject;
  }
  callback = statsCallback(callback);
  native.fstat(getValidatedFd(fd), Boolean(options?.bigint), callback);
}

function lstat(path, options = { bigint: false }, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = kEmptyObject;
  }
  callback = statsCallback(callback);
  native.lstat(getValidatedPath(path), Boolean(options?.bigint), callback);
}

function stat(path, options = { bigint: false, throwIfNoEntry: true }, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = kEmptyObject;
  }
  callback = statsCallback(callback);
  native.stat(getValidatedPath(path), Boolean(options?.bigint), callback);
}

function statfs(path, options = { bigint: false }, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = kEmptyObject;
  }
  validateFunction(callback, 'cb');
  native.statfs(getValidatedPath(path), Boolean(options?.bigint), (error, values) => {
    if (error) callback(error);
    else callback(error, makeStatFs(values));
  });
}

function readlink(path, options, callback) {
  callback = makeCallback(typeof options === 'function' ? options : callback);
  const { encoding } = getOptions(options);
  native.readlink(getValidatedPath(path), needsBytes(encoding), namesCallback(callback, encoding));
}

function symlink(target, path, type, callback) {
  if (callback === undefined) {
    callback = makeCallback(type);
    type = undefined;
  } else {
    validateSymlinkType(type);
    callback = makeCallback(callback);
  }
  native.symlink(getValidatedPath(target, 'target'), getValidatedPath(path), callback);
}

function link(existingPath, newPath, callback) {
  callback = makeCallback(callback);
  native.link(getValidatedPath(existingPath, 'existingPath'), getValidatedPath(newPath, 'newPath'), callback);
}

function unlink(path, callback) {
  callback = makeCallback(callback);
  native.unlink(getValidatedPath(path), callback);
}

function fchmod(fd, mode, callback) {
  mode = parseFileMode(mode, 'mode');
  callback = makeCallback(callback);
  native.fchmod(getValidatedFd(fd), mode, callback);
}

function chmod(path, mode, callback) {
  path = getValidatedPath(path);
  mode = parseFileMode(mode, 'mode');
  native.chmod(path, mode, makeCallback(callback));
}

function lchown(path, uid, gid, callback) {
  callback = makeCallback(callback);
  path = getValidatedPath(path);
  validateOwner(uid, gid);
  native.chown(path, uid, gid, false, callback);
}

function fchown(fd, uid, gid, callback) {
  validateOwner(uid, gid);
  callback = makeCallback(callback);
  native.fchown(getValidatedFd(fd), uid, gid, callback);
}

function chown(path, uid, gid, callback) {
  callback = makeCallback(callback);
  path = getValidatedPath(path);
  validateOwner(uid, gid);
  native.chown(path, uid, gid, true, callback);
}

function utimes(path, atime, mtime, callback) {
  callback = makeCallback(callback);
  path = getValidatedPath(path);
  native.utimes(path, toUnixTimestamp(atime), toUnixTimestamp(mtime), true, callback);
}

function futimes(fd, atime, mtime, callback) {
  atime = toUnixTimestamp(atime, 'atime');
  mtime = toUnixTimestamp(mtime, 'mtime');
  callback = makeCallback(callback);
  native.futimes(getValidatedFd(fd), atime, mtime, callback);
}

function lutimes(path, atime, mtime, callback) {
  callback = makeCallback(callback);
  path = getValidatedPath(path);
  native.utimes(path, toUnixTimestamp(atime), toUnixTimestamp(mtime), false, callback);
}

function copyFile(src, dest, mode, callback) {
  if (typeof mode === 'function') {
    callback = mode;
    mode = 0;
  }
  src = getValidatedPath(src, 'src');
  dest = getValidatedPath(dest, 'dest');
  callback = makeCallback(callback);
  native.copyFile(src, dest, getValidMode(mode), callback);
}

function cp(src, dest, options, callback) {
  return require('#fs/cp').cp(src, dest, options, callback);
}

function glob(pattern, options, callback) {
  return require('#fs/glob').globCallback(pattern, options, callback);
}

function mkdtemp(prefix, options, callback) {
  callback = makeCallback(typeof options === 'function' ? options : callback);
  const { encoding } = getOptions(options);
  prefix = getValidatedPath(prefix, 'prefix');
  warnOfTemplate(prefix);
  native.mkdtemp(prefix, needsBytes(encoding), namesCallback(callback, encoding));
}

function realpath(path, options, callback) {
  return require('#fs/realpath').realpath(path, options, callback);
}

realpath.native = function(path, options, callback) {
  callback = makeCallback(callback || options);
  const { encoding } = getOptions(options);
  native.realpath(getValidatedPath(path), needsBytes(encoding), namesCallback(callback, encoding));
};

module.exports = {
  access, appendFile, chmod, chown, close, copyFile, cp, exists, fchmod, fchown, fdatasync, fstat, fsync, ftruncate,
  futimes, glob, lchown, link, lstat, lutimes, mkdir, mkdtemp, open, openAsBlob, read, readFile, readdir, readlink,
  readv, realpath, rename, rm, rmdir, stat, statfs, symlink, truncate, unlink, utimes, write, writeFile, writev,
};
