'use strict';

// Directory listings: Dirents, and whole trees breadth first. Links to directories are followed, as in Node.js.

const { encodeNames, joinPath, makeDirent, needsBytes } = require('#fs/dirent');
const { UV_DIRENT_DIR, UV_DIRENT_LINK, UV_DIRENT_UNKNOWN } = require('#fs/constants');
const native = binding('fs');
const { kPromise } = native;

/** @param {[names: (string | Buffer)[], types: number[]]} listing */
function makeDirents(path, [names, types], encoding) {
  names = encodeNames(names, encoding);
  const result = new Array(names.length);
  for (let i = 0; i < names.length; i++) result[i] = makeDirent(path, names[i], types[i]);
  return result;
}

/** Whether an entry has to be listed too. */
function isDirectory(path, type) {
  if (type === UV_DIRENT_DIR) return true;
  return (type === UV_DIRENT_LINK || type === UV_DIRENT_UNKNOWN) && native.internalModuleStat(path) === 1;
}

/** Collects one directory after the other; `next` is the one to list. */
class Tree {
  constructor(path, options) {
    this.base = path;
    this.withFileTypes = Boolean(options.withFileTypes);
    this.encoding = options.encoding;
    this.bytes = needsBytes(this.encoding);
    this.queue = [{ full: path, relative: '' }];
    this.at = 0;
    this.result = [];
  }

  get next() {
    return this.queue[this.at];
  }

  /** Takes the listing of `next`. */
  add([names, types]) {
    const { full, relative } = this.next;
    this.at++;
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      const path = joinPath(full, name);
      const short = relative === '' ? name : joinPath(relative, name);
      if (this.withFileTypes) this.result.push(makeDirent(full, encodeNames([name], this.encoding)[0], types[i]));
      else this.result.push(short);
      if (isDirectory(path, types[i])) this.queue.push({ full: path, relative: short });
    }
  }

  finish() {
    return this.withFileTypes ? this.result : encodeNames(this.result, this.encoding);
  }
}

function readdirTreeSync(path, options) {
  const tree = new Tree(path, options);
  while (tree.next !== undefined) tree.add(native.readdir(tree.next.full, tree.bytes, true));
  return tree.finish();
}

function readdirTree(path, options, callback) {
  const tree = new Tree(path, options);
  const step = () => {
    native.readdir(tree.next.full, tree.bytes, true, (error, listing) => {
      if (error) return callback(error);
      try {
        tree.add(listing);
      } catch (failure) {
        return callback(failure);
      }
      if (tree.next === undefined) callback(null, tree.finish());
      else step();
    });
  };
  step();
}

async function readdirTreePromise(path, options) {
  const tree = new Tree(path, options);
  while (tree.next !== undefined) tree.add(await native.readdir(tree.next.full, tree.bytes, true, kPromise));
  return tree.finish();
}

module.exports = { makeDirents, readdirTree, readdirTreePromise, readdirTreeSync };
