'use strict';

// Dirent, and the directory entries as users ask for them.

const { Buffer } = require('buffer');
const {
  UV_DIRENT_BLOCK, UV_DIRENT_CHAR, UV_DIRENT_DIR, UV_DIRENT_FIFO, UV_DIRENT_FILE, UV_DIRENT_LINK,
  UV_DIRENT_SOCKET, UV_DIRENT_UNKNOWN,
} = require('#fs/constants');
const native = binding('fs');

const kType = Symbol('type');

class Dirent {
  constructor(name, type, path) {
    this.name = name;
    this.parentPath = path;
    this[kType] = type;
  }

  isDirectory() {
    return this[kType] === UV_DIRENT_DIR;
  }

  isFile() {
    return this[kType] === UV_DIRENT_FILE;
  }

  isBlockDevice() {
    return this[kType] === UV_DIRENT_BLOCK;
  }

  isCharacterDevice() {
    return this[kType] === UV_DIRENT_CHAR;
  }

  isSymbolicLink() {
    return this[kType] === UV_DIRENT_LINK;
  }

  isFIFO() {
    return this[kType] === UV_DIRENT_FIFO;
  }

  isSocket() {
    return this[kType] === UV_DIRENT_SOCKET;
  }
}

/** A Dirent whose type file system did not tell: taken from an lstat. */
class DirentFromStats extends Dirent {
  #stats;

  constructor(name, stats, path) {
    super(name, null, path);
    delete this[kType];
    this.#stats = stats;
  }

  static {
    for (const name of [
      'isDirectory', 'isFile', 'isBlockDevice', 'isCharacterDevice', 'isSymbolicLink', 'isFIFO', 'isSocket',
    ]) {
      Object.defineProperty(this.prototype, name, {
        __proto__: null,
        value() { return this.#stats[name](); },
        writable: true,
        configurable: true,
        enumerable: false,
      });
    }
  }
}

/** Joins a directory and an entry, either of which may be bytes. */
function joinPath(path, name) {
  if (typeof path === 'string' && typeof name === 'string') return path.endsWith('/') ? path + name : `${path}/${name}`;
  const bytes = [typeof path === 'string' ? Buffer.from(path) : path];
  if (bytes[0].length === 0 || bytes[0][bytes[0].length - 1] !== 47) bytes.push(Buffer.from('/'));
  bytes.push(typeof name === 'string' ? Buffer.from(name) : name);
  return Buffer.concat(bytes);
}

/** Type of the entry at `path`, for file systems that do not tell it with the name. */
function lookUpType(path) {
  const { makeStats } = require('#fs/stats');
  return makeStats(native.lstat(path, false));
}

/** @returns {Dirent} */
function makeDirent(path, name, type) {
  if (type !== UV_DIRENT_UNKNOWN) return new Dirent(name, type, path);
  return new DirentFromStats(name, lookUpType(joinPath(path, name)), path);
}

/** The names of a `scandir` in the encoding asked for. */
function encodeNames(names, encoding) {
  if (encoding === undefined || encoding === null || encoding === 'buffer' || isUtf8(encoding)) return names;
  for (let i = 0; i < names.length; i++) names[i] = names[i].toString(encoding);
  return names;
}

function isUtf8(encoding) {
  return encoding === 'utf8' || encoding === 'utf-8' || encoding === 'UTF-8' || encoding === 'UTF8';
}

/** Whether the native half must hand out bytes to make `encoding` of. */
const needsBytes = (encoding) => Boolean(encoding) && !isUtf8(encoding);

/** A path or name from the native half in the encoding asked for. */
function encodeName(name, encoding) {
  return typeof name === 'string' || encoding === 'buffer' ? name : name.toString(encoding);
}

module.exports = { Dirent, DirentFromStats, encodeName, encodeNames, joinPath, makeDirent, needsBytes };
