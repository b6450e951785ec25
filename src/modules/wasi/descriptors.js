'use strict';
// The descriptors of a WASI program, and the paths that it may reach by them.

const fs = require('fs');
const path = require('path');
const { errno, filetype, inheritable, rightsOf } = require('#wasi/constants');

const kMaxLinks = 40;

/** A failure that the program is told of by its number. */
class WasiError extends Error {
  constructor(number) {
    super(`WASI error ${number}`);
    this.number = number;
  }
}

function fail(name) {
  throw new WasiError(errno[name]);
}

function typeOf(stats) {
  if (stats.isFile()) return filetype.REGULAR;
  if (stats.isDirectory()) return filetype.DIRECTORY;
  if (stats.isSymbolicLink()) return filetype.LINK;
  if (stats.isCharacterDevice()) return filetype.CHARACTER;
  if (stats.isBlockDevice()) return filetype.BLOCK;
  return stats.isSocket() || stats.isFIFO() ? filetype.STREAM : filetype.UNKNOWN;
}

class Descriptor {
  /** @param {number} fd of this process */
  constructor(fd, { root, flags = 0, rights, inheriting = 0n, name } = {}) {
    this.fd = fd;
    this.type = typeOf(fs.fstatSync(fd));
    this.root = root; // of a directory: its path here
    this.name = name; // of a preopened directory: its path in the program
    this.flags = flags;
    this.rights = rights ?? rightsOf(this.type);
    this.inheriting = inheriting;
    this.offset = undefined; // where the next read or write is; undefined: where the system has it
    this.entries = undefined; // what fd_readdir began to tell
  }
}

class Descriptors {
  #table = new Map();

  /** @param {number[]} stdio @param {[string, string][]} preopens name in the program, path here */
  constructor(stdio, preopens) {
    stdio.forEach((fd, i) => {
      try {
        this.#table.set(i, new Descriptor(fd));
      } catch {
        // A program may be started with a standard stream closed.
      }
    });
    preopens.forEach(([name, place], i) => {
      const root = fs.realpathSync(place);
      const fd = fs.openSync(root, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
      this.#table.set(3 + i, new Descriptor(fd, { root, name, inheriting: inheritable }));
    });
  }

  /** The descriptor; it must have all of `needed`. */
  get(number, needed = 0n) {
    const found = this.#table.get(number);
    if (found === undefined) fail('BADF');
    if ((found.rights & needed) !== needed) fail('NOTCAPABLE');
    return found;
  }

  add(descriptor) {
    let number = 0;
    while (this.#table.has(number)) number++;
    this.#table.set(number, descriptor);
    return number;
  }

  close(number) {
    const found = this.get(number);
    this.#table.delete(number);
    if (found.fd > 2) fs.closeSync(found.fd);
  }

  renumber(from, to) {
    const found = this.get(from);
    this.get(to);
    if (from === to) return;
    this.close(to);
    this.#table.set(to, found);
    this.#table.delete(from);
  }
}

/**
 * The path here of a path under a directory. Every component is looked at: none leads out of the directory.
 * @param {Descriptor} directory
 * @param {string} given relative
 * @param {boolean} follow a symbolic link in the last place
 */
function resolve(directory, given, follow) {
  if (directory.type !== filetype.DIRECTORY) fail('NOTDIR');
  if (given === '') fail('NOENT');
  if (given.includes('\0')) fail('ILSEQ');
  let todo = split(given);
  const done = [];
  let links = 0;
  while (todo.length > 0) {
    const part = todo.shift();
    if (part === '.') continue;
    if (part === '..') {
      if (done.pop() === undefined) fail('NOTCAPABLE');
      continue;
    }
    done.push(part);
    if (todo.length === 0 && !follow) break;
    const target = linkTarget(path.join(directory.root, ...done));
    if (target === undefined) continue;
    if (++links > kMaxLinks) fail('LOOP');
    done.pop();
    todo = [...split(target), ...todo];
  }
  const place = path.join(directory.root, ...done);
  return given.endsWith('/') && done.length > 0 ? `${place}/` : place;
}

function split(text) {
  if (text.startsWith('/')) fail('NOTCAPABLE');
  return text.split('/').filter((part) => part !== '');
}

function linkTarget(place) {
  try {
    return fs.readlinkSync(place);
  } catch {
    return undefined;
  }
}

module.exports = { Descriptor, Descriptors, WasiError, fail, resolve, typeOf };
