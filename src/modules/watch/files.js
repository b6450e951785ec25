'use strict';

// FilesWatcher: tells of changes of files and of whole folders. A file is watched by its folder: editors replace files.

const EventEmitter = require('events');
const fs = require('fs');
const path = require('path');

const kQuietMs = 200;

class FilesWatcher extends EventEmitter {
  /** Folder -> { watcher, files: names, or undefined for all that is in it }. */
  #folders = new Map();
  #timer;

  #changed(file) {
    // What comes together is one change.
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.emit('changed', file), kQuietMs);
  }

  #watch(folder, recursive) {
    const entry = { files: new Set(), all: recursive, watcher: undefined };
    try {
      entry.watcher = fs.watch(folder, { recursive }, (event, name) => {
        if (name === null || entry.all || entry.files.has(name)) this.#changed(name === null ? folder : path.join(folder, name));
      });
      entry.watcher.on('error', () => {});
    } catch {
      // A folder that is not there, or may not be read, does not change.
    }
    this.#folders.set(folder, entry);
    return entry;
  }

  addFile(file) {
    const absolute = path.resolve(file);
    const folder = path.dirname(absolute);
    const entry = this.#folders.get(folder) ?? this.#watch(folder, false);
    entry.files.add(path.basename(absolute));
  }

  /** A folder with all below it, or a file. */
  addPath(where) {
    const absolute = path.resolve(where);
    let isFolder = false;
    try {
      isFolder = fs.statSync(absolute).isDirectory();
    } catch {
      // It may come.
    }
    if (!isFolder) this.addFile(absolute);
    else if (!this.#folders.get(absolute)?.all) this.#watch(absolute, true);
  }

  clear() {
    clearTimeout(this.#timer);
    for (const { watcher } of this.#folders.values()) watcher?.close();
    this.#folders.clear();
  }
}

module.exports = { FilesWatcher };
