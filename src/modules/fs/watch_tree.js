'use strict';

// `fs.watch` with `recursive`: one kernel watch for each directory of the tree, kept up as directories come and go.

const { Buffer } = require('buffer');
const EventEmitter = require('events');
const { joinPath } = require('#fs/dirent');
const { UV_DIRENT_DIR } = require('#fs/constants');
const { FSWatcher, kStart } = require('#fs/watchers');
const { getValidatedPath } = require('#fs/validate');
const native = binding('fs');

/** One watched directory. */
class Node {
  /** @param {string} path @param {string} relative to the root of the tree; '' for the root itself */
  constructor(path, relative) {
    this.path = path;
    this.relative = relative;
    /** @type {FSWatcher} */
    this.watcher = null;
    /** Names of what is known to be inside. */
    this.known = new Set();
    /** @type {Map<string, Node>} */
    this.children = new Map();
  }
}

const lastPart = (path) => path.slice(path.lastIndexOf('/', path.length - 2) + 1).replace(/\/$/, '');

class RecursiveWatcher extends EventEmitter {
  #options;
  #root = null;
  #closed = false;
  #refed;

  constructor(options) {
    super();
    this.#options = options;
    this.#refed = options.persistent !== false;
  }

  [kStart](filename) {
    filename = getValidatedPath(filename, 'filename').toString();
    if (filename.length > 1 && filename.endsWith('/')) filename = filename.slice(0, -1);
    this.#root = new Node(filename, '');
    this.#watch(this.#root, false);
  }

  /** Watches a directory and all below; `announce` reports what is found as new. */
  #watch(node, announce) {
    const watcher = new FSWatcher();
    try {
      watcher[kStart](node.path, this.#refed, false, 'utf8');
    } catch (error) {
      // A directory that is gone again is nothing to complain about, unless it is the one that was asked for.
      if (node === this.#root) throw error;
      return false;
    }
    node.watcher = watcher;
    watcher.on('change', (eventType, name) => this.#onEvent(node, eventType, name));
    watcher.on('error', (error) => this.emit('error', error));
    this.#scan(node, announce);
    return true;
  }

  #scan(node, announce) {
    let listing;
    try {
      listing = native.readdir(node.path, false, true);
    } catch {
      return;
    }
    const [names, types] = listing;
    for (let i = 0; i < names.length && !this.#closed; i++) {
      this.#found(node, names[i], types[i] === UV_DIRENT_DIR, announce);
    }
  }

  /** Something is in a directory that was not known to be. */
  #found(node, name, isDirectory, announce) {
    if (node.known.has(name)) return;
    node.known.add(name);
    const relative = node.relative === '' ? name : `${node.relative}/${name}`;
    if (announce) this.#report('rename', relative);
    if (!isDirectory) return;
    this.#adopt(node, name, relative, announce);
  }

  /** Watches a directory inside `node`. */
  #adopt(node, name, relative, announce) {
    if (this.#closed) return;
    const child = new Node(joinPath(node.path, name), relative);
    // It is known before it is scanned: a listener that is told of something in it may close everything.
    node.children.set(name, child);
    if (!this.#watch(child, announce)) node.children.delete(name);
  }

  #report(eventType, relative) {
    if (this.#closed) return;
    const name = this.#options.encoding === 'buffer' ? Buffer.from(relative) : this.#encoded(relative);
    this.emit('change', eventType, name);
  }

  #encoded(relative) {
    const { encoding } = this.#options;
    return !encoding || encoding === 'utf8' ? relative : Buffer.from(relative).toString(encoding);
  }

  #onEvent(node, eventType, name) {
    if (this.#closed || name === null) return;
    const full = joinPath(node.path, name);
    // 0: a file, 1: a directory. Links are not followed.
    const kind = entryKind(full);
    if (kind === -1 && !node.known.has(name) && name === lastPart(node.path) && entryKind(node.path) === -1) {
      // The directory itself is gone; its parent has told so.
      if (node === this.#root) this.#report(eventType, name);
      return;
    }
    const relative = node.relative === '' ? name : `${node.relative}/${name}`;
    if (kind === -1) this.#forget(node, name);
    if (kind === 1 && eventType === 'rename' && !node.children.has(name)) node.known.delete(name);
    this.#report(eventType, relative);
    if (this.#closed || kind === -1) return;
    if (kind === 1 && !node.children.has(name)) {
      node.known.add(name);
      this.#adopt(node, name, relative, true);
    } else {
      node.known.add(name);
    }
  }

  #forget(node, name) {
    node.known.delete(name);
    const child = node.children.get(name);
    if (child === undefined) return;
    node.children.delete(name);
    this.#release(child);
  }

  #release(node) {
    node.watcher?.close();
    for (const child of node.children.values()) this.#release(child);
    node.children.clear();
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#release(this.#root);
    process.nextTick(() => this.emit('close'));
  }

  #each(node, action) {
    action(node.watcher);
    for (const child of node.children.values()) this.#each(child, action);
  }

  ref() {
    this.#refed = true;
    this.#each(this.#root, (watcher) => watcher.ref());
    return this;
  }

  unref() {
    this.#refed = false;
    this.#each(this.#root, (watcher) => watcher.unref());
    return this;
  }
}

function entryKind(path) {
  const values = native.statSync(path, false, false, false);
  if (values === undefined) return -1;
  return (values[1] & 0o170000) === 0o040000 ? 1 : 0;
}

module.exports = { RecursiveWatcher };
