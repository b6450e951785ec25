'use strict';

// Stats, BigIntStats and StatFs, made from the number arrays of the native half.

const { S_IFBLK, S_IFCHR, S_IFDIR, S_IFIFO, S_IFLNK, S_IFMT, S_IFREG, S_IFSOCK } = require('#fs/constants');

// Where the native half puts what: the ten plain fields, then seconds and nanoseconds of four times.
const kTimes = 10;

function StatsBase(dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks) {
  this.dev = dev;
  this.mode = mode;
  this.nlink = nlink;
  this.uid = uid;
  this.gid = gid;
  this.rdev = rdev;
  this.blksize = blksize;
  this.ino = ino;
  this.size = size;
  this.blocks = blocks;
}

StatsBase.prototype.isDirectory = function() {
  return this._checkModeProperty(S_IFDIR);
};

StatsBase.prototype.isFile = function() {
  return this._checkModeProperty(S_IFREG);
};

StatsBase.prototype.isBlockDevice = function() {
  return this._checkModeProperty(S_IFBLK);
};

StatsBase.prototype.isCharacterDevice = function() {
  return this._checkModeProperty(S_IFCHR);
};

StatsBase.prototype.isSymbolicLink = function() {
  return this._checkModeProperty(S_IFLNK);
};

StatsBase.prototype.isFIFO = function() {
  return this._checkModeProperty(S_IFIFO);
};

StatsBase.prototype.isSocket = function() {
  return this._checkModeProperty(S_IFSOCK);
};

// Half a millisecond is added so that the millisecond is rounded, not cut, as Date would.
const dateFromMs = (ms) => new Date(Math.round(Number(ms)));

/** `atime` and the others become Dates when first read. */
function defineDates(prototype) {
  for (const name of ['atime', 'mtime', 'ctime', 'birthtime']) {
    const field = `${name}Ms`;
    const set = function(value) {
      Object.defineProperty(this, name, {
        __proto__: null, value, writable: true, enumerable: true, configurable: true,
      });
    };
    Object.defineProperty(prototype, name, {
      __proto__: null,
      enumerable: true,
      configurable: true,
      get: function() {
        const value = dateFromMs(this[field]);
        set.call(this, value);
        return value;
      },
      set,
    });
  }
}

function BigIntStats(dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks,
  atimeNs, mtimeNs, ctimeNs, birthtimeNs) {
  StatsBase.call(this, dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks);
  this.atimeMs = atimeNs / 1_000_000n;
  this.mtimeMs = mtimeNs / 1_000_000n;
  this.ctimeMs = ctimeNs / 1_000_000n;
  this.birthtimeMs = birthtimeNs / 1_000_000n;
  this.atimeNs = atimeNs;
  this.mtimeNs = mtimeNs;
  this.ctimeNs = ctimeNs;
  this.birthtimeNs = birthtimeNs;
}
Object.setPrototypeOf(BigIntStats.prototype, StatsBase.prototype);
Object.setPrototypeOf(BigIntStats, StatsBase);
defineDates(BigIntStats.prototype);
BigIntStats.prototype._checkModeProperty = function(property) {
  return (this.mode & BigInt(S_IFMT)) === BigInt(property);
};

function Stats(dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks,
  atimeMs, mtimeMs, ctimeMs, birthtimeMs) {
  this.dev = dev;
  this.mode = mode;
  this.nlink = nlink;
  this.uid = uid;
  this.gid = gid;
  this.rdev = rdev;
  this.blksize = blksize;
  this.ino = ino;
  this.size = size;
  this.blocks = blocks;
  this.atimeMs = atimeMs;
  this.mtimeMs = mtimeMs;
  this.ctimeMs = ctimeMs;
  this.birthtimeMs = birthtimeMs;
}
Object.setPrototypeOf(Stats.prototype, StatsBase.prototype);
Object.setPrototypeOf(Stats, StatsBase);
defineDates(Stats.prototype);
Stats.prototype._checkModeProperty = function(property) {
  return (this.mode & S_IFMT) === property;
};

const milliseconds = (values, at) => values[at] * 1000 + values[at + 1] / 1_000_000;
const nanoseconds = (values, at) => values[at] * 1_000_000_000n + values[at + 1];

/** @param {Float64Array | BigInt64Array} values */
function makeStats(values) {
  if (values instanceof BigInt64Array) {
    return new BigIntStats(
      values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7], values[8], values[9],
      nanoseconds(values, kTimes), nanoseconds(values, kTimes + 2), nanoseconds(values, kTimes + 4),
      nanoseconds(values, kTimes + 6));
  }
  return new Stats(
    values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7], values[8], values[9],
    milliseconds(values, kTimes), milliseconds(values, kTimes + 2), milliseconds(values, kTimes + 4),
    milliseconds(values, kTimes + 6));
}

class StatFs {
  constructor(type, bsize, blocks, bfree, bavail, files, ffree) {
    this.type = type;
    this.bsize = bsize;
    this.blocks = blocks;
    this.bfree = bfree;
    this.bavail = bavail;
    this.files = files;
    this.ffree = ffree;
  }
}

/** @param {Float64Array | BigInt64Array} values */
const makeStatFs = (values) => new StatFs(...values);

module.exports = { BigIntStats, Stats, StatsBase, makeStatFs, makeStats };
