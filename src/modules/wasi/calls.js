'use strict';
// The calls of WASI preview 1. Each gives a number of the list of errors; results go into the program's memory.
// https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md

const fs = require('fs');
const { Buffer } = require('buffer');
const { errno, fdflag, filetype, inheritable, oflag, right, rightsOf } = require('#wasi/constants');
const { Descriptor, WasiError, fail, resolve, typeOf } = require('#wasi/descriptors');

const kFollow = 1;

/** The system's number of an error, as WASI's. */
function numberOf(error) {
  if (error instanceof WasiError) return error.number;
  if (error instanceof RangeError) return errno.OVERFLOW; // outside of the program's memory
  if (typeof error?.code === 'string' && error.syscall !== undefined) return errno[error.code.slice(1)] ?? errno.IO;
  throw error;
}

/** What the calls share: the program's memory, its arguments and its descriptors. */
class Program {
  constructor({ args, env, descriptors, exit }) {
    this.args = args.map((text) => Buffer.from(`${text}\0`));
    this.env = env.map((text) => Buffer.from(`${text}\0`));
    this.descriptors = descriptors;
    this.exit = exit;
    this.memory = undefined;
  }

  /** Memory may have grown since: never kept. */
  get view() {
    return new DataView(this.memory.buffer);
  }

  bytes(at, size) {
    return new Uint8Array(this.memory.buffer, at >>> 0, size >>> 0);
  }

  text(at, size) {
    return Buffer.from(this.bytes(at, size)).toString('utf8');
  }

  /** The buffers of a list of (address, size). */
  vectors(at, count) {
    const { view } = this;
    const list = [];
    for (let i = 0; i < count; i++) {
      list.push(this.bytes(view.getUint32(at + i * 8, true), view.getUint32(at + i * 8 + 4, true)));
    }
    return list;
  }

  putList(list, pointers, at) {
    const { view } = this;
    for (const item of list) {
      view.setUint32(pointers, at, true);
      this.bytes(at, item.length).set(item);
      pointers += 4;
      at += item.length;
    }
  }

  putSizes(list, count, size) {
    this.view.setUint32(count, list.length, true);
    this.view.setUint32(size, list.reduce((sum, item) => sum + item.length, 0), true);
  }

  putStat(at, stats) {
    const { view } = this;
    this.bytes(at, 64).fill(0);
    view.setBigUint64(at, stats.dev, true);
    view.setBigUint64(at + 8, stats.ino, true);
    view.setUint8(at + 16, typeOf(stats));
    view.setBigUint64(at + 24, stats.nlink, true);
    view.setBigUint64(at + 32, stats.size, true);
    view.setBigUint64(at + 40, stats.atimeNs, true);
    view.setBigUint64(at + 48, stats.mtimeNs, true);
    view.setBigUint64(at + 56, stats.ctimeNs, true);
  }

  path(fd, needed, at, size, follow) {
    return resolve(this.descriptors.get(fd, needed), this.text(at, size), follow);
  }
}

/** Seconds of the two times that utimes() wants; flags say which are set, and to what. */
function times(stats, atime, mtime, flags) {
  if ((flags & 3) === 3 || (flags & 12) === 12) fail('INVAL');
  const now = Date.now() / 1000;
  const pick = (set, setNow, given, old) => {
    if (flags & setNow) return now;
    return flags & set ? Number(given) / 1e9 : Number(old) / 1e9;
  };
  return [pick(1, 2, atime, stats.atimeNs), pick(4, 8, mtime, stats.mtimeNs)];
}

const bigint = { bigint: true };

const args = {
  args_get(program, pointers, at) { program.putList(program.args, pointers, at); },
  args_sizes_get(program, count, size) { program.putSizes(program.args, count, size); },
  environ_get(program, pointers, at) { program.putList(program.env, pointers, at); },
  environ_sizes_get(program, count, size) { program.putSizes(program.env, count, size); },
};

function now(clock) {
  switch (clock) {
    case 0: return BigInt(Date.now()) * 1_000_000n;
    case 1: return process.hrtime.bigint();
    case 2:
    case 3: {
      const { user, system } = process.cpuUsage();
      return BigInt(user + system) * 1000n;
    }
    default: return fail('INVAL');
  }
}

const others = {
  clock_res_get(program, clock, at) {
    now(clock);
    program.view.setBigUint64(at, clock === 0 ? 1_000_000n : 1n, true);
  },
  clock_time_get(program, clock, precision, at) {
    program.view.setBigUint64(at, now(clock), true);
  },
  random_get(program, at, size) {
    program.bytes(at, size).set(require('crypto').randomBytes(size >>> 0));
  },
  sched_yield() {},
  proc_exit(program, code) { program.exit(code); },
  proc_raise(program, signal) {
    // The numbers are those of Linux.
    const name = Object.entries(require('os').constants.signals).find(([, number]) => number === signal)?.[0];
    if (name === undefined) fail('INVAL');
    process.kill(process.pid, name);
  },
  poll_oneoff(program, subscriptions, events, count, told) {
    if (count === 0) fail('INVAL');
    program.view.setUint32(told, require('#wasi/poll').poll(program, now, subscriptions, events, count), true);
  },
  sock_accept(program, fd) { notASocket(program, fd); },
  sock_recv(program, fd) { notASocket(program, fd); },
  sock_send(program, fd) { notASocket(program, fd); },
  sock_shutdown(program, fd) { notASocket(program, fd); },
};

function notASocket(program, fd) {
  program.descriptors.get(fd);
  fail('NOTSOCK');
}

/** Where a read or write is to be, for the system: null where it keeps the place itself. */
function placeOf(descriptor, writes) {
  if (writes && descriptor.flags & fdflag.APPEND) return null;
  return descriptor.offset ?? null;
}

function sizeOf(descriptor) {
  return fs.fstatSync(descriptor.fd, bigint).size;
}

const fds = {
  fd_advise(program, fd) { program.descriptors.get(fd, right.FD_ADVISE); },
  fd_allocate(program, fd, offset, size) {
    const found = program.descriptors.get(fd, right.FD_ALLOCATE);
    if (size === 0n) fail('INVAL');
    if (sizeOf(found) < offset + size) fs.ftruncateSync(found.fd, Number(offset + size));
  },
  fd_close(program, fd) { program.descriptors.close(fd); },
  fd_datasync(program, fd) { fs.fdatasyncSync(program.descriptors.get(fd, right.FD_DATASYNC).fd); },
  fd_sync(program, fd) { fs.fsyncSync(program.descriptors.get(fd, right.FD_SYNC).fd); },
  fd_fdstat_get(program, fd, at) {
    const found = program.descriptors.get(fd);
    const { view } = program;
    program.bytes(at, 24).fill(0);
    view.setUint8(at, found.type);
    view.setUint16(at + 2, found.flags, true);
    view.setBigUint64(at + 8, found.rights, true);
    view.setBigUint64(at + 16, found.inheriting, true);
  },
  fd_fdstat_set_flags(program, fd, flags) {
    program.descriptors.get(fd, right.FD_FDSTAT_SET_FLAGS).flags = flags;
  },
  fd_fdstat_set_rights(program, fd, base, inheriting) {
    const found = program.descriptors.get(fd);
    // They only ever become fewer.
    if ((found.rights | base) !== found.rights || (found.inheriting | inheriting) !== found.inheriting) {
      fail('NOTCAPABLE');
    }
    found.rights = base;
    found.inheriting = inheriting;
  },
  fd_filestat_get(program, fd, at) {
    program.putStat(at, fs.fstatSync(program.descriptors.get(fd, right.FD_FILESTAT_GET).fd, bigint));
  },
  fd_filestat_set_size(program, fd, size) {
    fs.ftruncateSync(program.descriptors.get(fd, right.FD_FILESTAT_SET_SIZE).fd, Number(size));
  },
  fd_filestat_set_times(program, fd, atime, mtime, flags) {
    const found = program.descriptors.get(fd, right.FD_FILESTAT_SET_TIMES);
    fs.futimesSync(found.fd, ...times(fs.fstatSync(found.fd, bigint), atime, mtime, flags));
  },
  fd_prestat_get(program, fd, at) {
    const { name } = program.descriptors.get(fd);
    if (name === undefined) fail('INVAL');
    program.view.setUint32(at, 0, true);
    program.view.setUint32(at + 4, Buffer.byteLength(name), true);
  },
  fd_prestat_dir_name(program, fd, at, size) {
    const { name } = program.descriptors.get(fd);
    if (name === undefined) fail('BADF');
    const bytes = Buffer.from(name);
    if (bytes.length > size) fail('NOBUFS');
    program.bytes(at, bytes.length).set(bytes);
  },
  fd_read(program, fd, list, count, told) {
    const found = program.descriptors.get(fd, right.FD_READ);
    const size = fs.readvSync(found.fd, program.vectors(list, count), placeOf(found, false));
    if (found.offset !== undefined) found.offset += size;
    program.view.setUint32(told, size, true);
  },
  fd_pread(program, fd, list, count, offset, told) {
    const found = program.descriptors.get(fd, right.FD_READ | right.FD_SEEK);
    program.view.setUint32(told, fs.readvSync(found.fd, program.vectors(list, count), Number(offset)), true);
  },
  fd_write(program, fd, list, count, told) {
    const found = program.descriptors.get(fd, right.FD_WRITE);
    const size = fs.writevSync(found.fd, program.vectors(list, count), placeOf(found, true));
    if (found.flags & fdflag.APPEND) found.offset &&= Number(sizeOf(found));
    else if (found.offset !== undefined) found.offset += size;
    program.view.setUint32(told, size, true);
  },
  fd_pwrite(program, fd, list, count, offset, told) {
    const found = program.descriptors.get(fd, right.FD_WRITE | right.FD_SEEK);
    program.view.setUint32(told, fs.writevSync(found.fd, program.vectors(list, count), Number(offset)), true);
  },
  fd_seek(program, fd, offset, whence, told) {
    const found = program.descriptors.get(fd, right.FD_SEEK);
    if (found.type !== filetype.REGULAR) fail('SPIPE');
    const bases = [0n, BigInt(found.offset ?? 0), sizeOf(found)];
    if (bases[whence] === undefined) fail('INVAL');
    const place = bases[whence] + offset;
    if (place < 0n || place > BigInt(Number.MAX_SAFE_INTEGER)) fail('INVAL');
    found.offset = Number(place);
    program.view.setBigUint64(told, place, true);
  },
  fd_tell(program, fd, told) {
    program.view.setBigUint64(told, BigInt(program.descriptors.get(fd, right.FD_TELL).offset ?? 0), true);
  },
  fd_renumber(program, from, to) { program.descriptors.renumber(from, to); },
  fd_readdir(program, fd, at, size, cookie, told) {
    const found = program.descriptors.get(fd, right.FD_READDIR);
    if (found.type !== filetype.DIRECTORY) fail('NOTDIR');
    if (cookie === 0n || found.entries === undefined) found.entries = listOf(found.root);
    let used = 0;
    for (let i = Number(cookie); i < found.entries.length && used < size; i++) {
      const record = recordOf(found.entries[i], i + 1).subarray(0, size - used);
      program.bytes(at + used, record.length).set(record);
      used += record.length;
    }
    // A buffer that is full says that there may be more.
    program.view.setUint32(told, used, true);
  },
};

function listOf(root) {
  return ['.', '..', ...fs.readdirSync(root)].map((name) => {
    try {
      const stats = fs.lstatSync(`${root}/${name}`, bigint);
      return { name, ino: stats.ino, type: typeOf(stats) };
    } catch {
      return { name, ino: 0n, type: filetype.UNKNOWN };
    }
  });
}

function recordOf({ name, ino, type }, next) {
  const bytes = Buffer.from(name);
  const record = Buffer.alloc(24 + bytes.length);
  record.writeBigUInt64LE(BigInt(next), 0);
  record.writeBigUInt64LE(ino, 8);
  record.writeUInt32LE(bytes.length, 16);
  record.writeUInt8(type, 20);
  bytes.copy(record, 24);
  return record;
}

const paths = {
  path_create_directory(program, fd, at, size) {
    fs.mkdirSync(program.path(fd, right.PATH_CREATE_DIRECTORY, at, size, false));
  },
  path_filestat_get(program, fd, flags, at, size, to) {
    const place = program.path(fd, right.PATH_FILESTAT_GET, at, size, (flags & kFollow) !== 0);
    program.putStat(to, fs.lstatSync(place, bigint));
  },
  path_filestat_set_times(program, fd, lookup, at, size, atime, mtime, flags) {
    const place = program.path(fd, right.PATH_FILESTAT_SET_TIMES, at, size, (lookup & kFollow) !== 0);
    fs.lutimesSync(place, ...times(fs.lstatSync(place, bigint), atime, mtime, flags));
  },
  path_link(program, from, lookup, fromAt, fromSize, to, toAt, toSize) {
    const old = program.path(from, right.PATH_LINK_SOURCE, fromAt, fromSize, (lookup & kFollow) !== 0);
    fs.linkSync(old, program.path(to, right.PATH_LINK_TARGET, toAt, toSize, false));
  },
  path_open(program, fd, lookup, at, size, flags, rights, inheriting, fdflags, told) {
    const found = program.descriptors.get(fd, right.PATH_OPEN);
    const place = resolve(found, program.text(at, size), (lookup & kFollow) !== 0);
    const opened = fs.openSync(place, systemFlags(found, flags, rights, fdflags), 0o666);
    const descriptor = new Descriptor(opened, { root: place, flags: fdflags, inheriting: found.inheriting & inheriting });
    descriptor.rights = rights & rightsOf(descriptor.type) & found.inheriting;
    if (descriptor.type === filetype.REGULAR) descriptor.offset = 0;
    program.view.setUint32(told, program.descriptors.add(descriptor), true);
  },
  path_readlink(program, fd, at, size, to, space, told) {
    const target = Buffer.from(fs.readlinkSync(program.path(fd, right.PATH_READLINK, at, size, false)));
    const used = Math.min(target.length, space);
    program.bytes(to, used).set(target.subarray(0, used));
    program.view.setUint32(told, used, true);
  },
  path_remove_directory(program, fd, at, size) {
    fs.rmdirSync(program.path(fd, right.PATH_REMOVE_DIRECTORY, at, size, false));
  },
  path_rename(program, from, fromAt, fromSize, to, toAt, toSize) {
    const old = program.path(from, right.PATH_RENAME_SOURCE, fromAt, fromSize, false);
    fs.renameSync(old, program.path(to, right.PATH_RENAME_TARGET, toAt, toSize, false));
  },
  path_symlink(program, oldAt, oldSize, fd, at, size) {
    const target = program.text(oldAt, oldSize);
    if (target.startsWith('/')) fail('NOTCAPABLE');
    fs.symlinkSync(target, program.path(fd, right.PATH_SYMLINK, at, size, false));
  },
  path_unlink_file(program, fd, at, size) {
    fs.unlinkSync(program.path(fd, right.PATH_UNLINK_FILE, at, size, false));
  },
};

/** The flags of open() for those of path_open. */
function systemFlags(directory, flags, rights, fdflags) {
  const { O_APPEND, O_CREAT, O_DIRECTORY, O_DSYNC, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_SYNC, O_TRUNC,
    O_WRONLY } = fs.constants;
  const reads = (rights & (right.FD_READ | right.FD_READDIR)) !== 0n;
  const writes = (rights & (right.FD_DATASYNC | right.FD_WRITE | right.FD_ALLOCATE | right.FD_FILESTAT_SET_SIZE)) !== 0n;
  let system = O_RDONLY;
  if (writes) system = reads ? O_RDWR : O_WRONLY;
  // What could be a link has been followed already.
  system |= O_NOFOLLOW;
  if (flags & oflag.CREAT) {
    if ((directory.rights & right.PATH_CREATE_FILE) === 0n) fail('NOTCAPABLE');
    system |= O_CREAT;
  }
  if (flags & oflag.DIRECTORY) system |= O_DIRECTORY;
  if (flags & oflag.EXCL) system |= O_EXCL;
  if (flags & oflag.TRUNC) {
    if ((directory.rights & right.PATH_FILESTAT_SET_SIZE) === 0n) fail('NOTCAPABLE');
    system |= O_TRUNC;
  }
  if (fdflags & fdflag.APPEND) system |= O_APPEND;
  if (fdflags & fdflag.DSYNC) system |= O_DSYNC;
  if (fdflags & fdflag.NONBLOCK) system |= O_NONBLOCK;
  if (fdflags & (fdflag.RSYNC | fdflag.SYNC)) system |= O_SYNC;
  return system;
}

/** name -> (program, ...arguments) => number */
const calls = { __proto__: null };
for (const [name, call] of Object.entries({ ...args, ...others, ...fds, ...paths })) {
  calls[name] = (program, ...given) => {
    try {
      call(program, ...given);
      return errno.SUCCESS;
    } catch (error) {
      return numberOf(error);
    }
  };
}

module.exports = { Program, calls, inheritable };
