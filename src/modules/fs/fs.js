'use strict';

// `node:fs`: puts the forms together. Where what is: sync.js, callbacks.js, promises.js, streams.js, watchers.js, ...

const { deprecate } = require('#internal/util');
const callbacks = require('#fs/callbacks');
const constants = require('#fs/constants');
const { Dir, opendir, opendirSync } = require('#fs/dir');
const { Dirent } = require('#fs/dirent');
const { Stats } = require('#fs/stats');
const sync = require('#fs/sync');
const { toUnixTimestamp } = require('#fs/validate');
const { unwatchFile, watch, watchFile } = require('#fs/watchers');

let streams;
const lazyStreams = () => streams ??= { ...require('#fs/streams') };

function createReadStream(path, options) {
  return new (lazyStreams().ReadStream)(path, options);
}

function createWriteStream(path, options) {
  return new (lazyStreams().WriteStream)(path, options);
}

const fs = {
  appendFile: callbacks.appendFile,
  appendFileSync: sync.appendFileSync,
  access: callbacks.access,
  accessSync: sync.accessSync,
  chown: callbacks.chown,
  chownSync: sync.chownSync,
  chmod: callbacks.chmod,
  chmodSync: sync.chmodSync,
  close: callbacks.close,
  closeSync: sync.closeSync,
  copyFile: callbacks.copyFile,
  copyFileSync: sync.copyFileSync,
  cp: callbacks.cp,
  cpSync: sync.cpSync,
  createReadStream,
  createWriteStream,
  exists: callbacks.exists,
  existsSync: sync.existsSync,
  fchown: callbacks.fchown,
  fchownSync: sync.fchownSync,
  fchmod: callbacks.fchmod,
  fchmodSync: sync.fchmodSync,
  fdatasync: callbacks.fdatasync,
  fdatasyncSync: sync.fdatasyncSync,
  fstat: callbacks.fstat,
  fstatSync: sync.fstatSync,
  fsync: callbacks.fsync,
  fsyncSync: sync.fsyncSync,
  ftruncate: callbacks.ftruncate,
  ftruncateSync: sync.ftruncateSync,
  futimes: callbacks.futimes,
  futimesSync: sync.futimesSync,
  glob: callbacks.glob,
  globSync: sync.globSync,
  lchown: callbacks.lchown,
  lchownSync: sync.lchownSync,
  // Not on Linux.
  lchmod: undefined,
  lchmodSync: undefined,
  link: callbacks.link,
  linkSync: sync.linkSync,
  lstat: callbacks.lstat,
  lstatSync: sync.lstatSync,
  lutimes: callbacks.lutimes,
  lutimesSync: sync.lutimesSync,
  mkdir: callbacks.mkdir,
  mkdirSync: sync.mkdirSync,
  mkdtemp: callbacks.mkdtemp,
  mkdtempSync: sync.mkdtempSync,
  mkdtempDisposableSync: sync.mkdtempDisposableSync,
  open: callbacks.open,
  openSync: sync.openSync,
  openAsBlob: callbacks.openAsBlob,
  readdir: callbacks.readdir,
  readdirSync: sync.readdirSync,
  read: callbacks.read,
  readSync: sync.readSync,
  readv: callbacks.readv,
  readvSync: sync.readvSync,
  readFile: callbacks.readFile,
  readFileSync: sync.readFileSync,
  readlink: callbacks.readlink,
  readlinkSync: sync.readlinkSync,
  realpath: callbacks.realpath,
  realpathSync: sync.realpathSync,
  rename: callbacks.rename,
  renameSync: sync.renameSync,
  rm: callbacks.rm,
  rmSync: sync.rmSync,
  rmdir: callbacks.rmdir,
  rmdirSync: sync.rmdirSync,
  stat: callbacks.stat,
  statfs: callbacks.statfs,
  statSync: sync.statSync,
  statfsSync: sync.statfsSync,
  symlink: callbacks.symlink,
  symlinkSync: sync.symlinkSync,
  truncate: callbacks.truncate,
  truncateSync: sync.truncateSync,
  unwatchFile,
  unlink: callbacks.unlink,
  unlinkSync: sync.unlinkSync,
  utimes: callbacks.utimes,
  utimesSync: sync.utimesSync,
  watch,
  watchFile,
  writeFile: callbacks.writeFile,
  writeFileSync: sync.writeFileSync,
  write: callbacks.write,
  writeSync: sync.writeSync,
  writev: callbacks.writev,
  writevSync: sync.writevSync,
  Dirent,
  Stats: deprecate(Stats, 'fs.Stats constructor is deprecated.', 'DEP0180'),

  get ReadStream() {
    return lazyStreams().ReadStream;
  },

  set ReadStream(value) {
    lazyStreams().ReadStream = value;
  },

  get WriteStream() {
    return lazyStreams().WriteStream;
  },

  set WriteStream(value) {
    lazyStreams().WriteStream = value;
  },

  // Names of old, which graceful-fs and others replace on their own.
  get FileReadStream() {
    return lazyStreams().FileReadStream ?? lazyStreams().ReadStream;
  },

  set FileReadStream(value) {
    lazyStreams().FileReadStream = value;
  },

  get FileWriteStream() {
    return lazyStreams().FileWriteStream ?? lazyStreams().WriteStream;
  },

  set FileWriteStream(value) {
    lazyStreams().FileWriteStream = value;
  },

  get Utf8Stream() {
    return require('#fs/utf8_stream').Utf8Stream;
  },

  // For tests of old programs.
  _toUnixTimestamp: toUnixTimestamp,

  Dir,
  opendir,
  opendirSync,
};
module.exports = fs;

for (const name of ['F_OK', 'R_OK', 'W_OK', 'X_OK']) {
  Object.defineProperty(fs, name, {
    __proto__: null,
    enumerable: false,
    get: deprecate(() => constants[name], `fs.${name} is deprecated, use fs.constants.${name} instead`, 'DEP0176'),
  });
}

let promises;
Object.defineProperties(fs, {
  constants: { __proto__: null, configurable: false, enumerable: true, value: constants },
  promises: {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get() {
      return promises ??= require('#fs/promises');
    },
  },
});

require('#process/active').addSource(require('#fs/active').activeFiles);
