'use strict';

// Dir: a directory read entry by entry.

const {
  codes: { ERR_DIR_CLOSED, ERR_DIR_CONCURRENT_OPERATION, ERR_INVALID_THIS, ERR_MISSING_ARGS },
} = require('#internal/errors');
const { validateFunction, validateUint32 } = require('#internal/validators');
const { encodeName, joinPath, makeDirent, needsBytes } = require('#fs/dirent');
const { getOptions, getValidatedPath } = require('#fs/validate');
const native = binding('fs');
const { kPromise } = native;

class Dir {
  #handle;
  #path;
  #options;
  #bytes;
  #entries = [];
  #closed = false;
  /** Calls that wait for the one in flight; null when none is. */
  #waiting = null;
  /** Directories that a recursive reading has yet to enter. */
  #pending = [];
  #readPromisified;
  #closePromisified;

  constructor(handle, path, options) {
    if (handle === undefined || handle === null) throw new ERR_MISSING_ARGS('handle');
    this.#handle = handle;
    this.#path = path;
    this.#options = { bufferSize: 32, ...getOptions(options, { encoding: 'utf8' }) };
    validateUint32(this.#options.bufferSize, 'options.bufferSize', true);
    this.#bytes = needsBytes(this.#options.encoding);
    this.#readPromisified = () => new Promise((resolve, reject) => {
      this.#read(true, (error, entry) => (error ? reject(error) : resolve(entry)));
    });
    this.#closePromisified = () => new Promise((resolve, reject) => {
      this.close((error) => (error ? reject(error) : resolve()));
    });
  }

  get path() {
    if (!(#path in this)) throw new ERR_INVALID_THIS('Dir');
    return this.#path;
  }

  #read(maybeSync, callback) {
    if (callback === undefined) return this.#readPromisified();
    if (this.#closed) throw new ERR_DIR_CLOSED();
    validateFunction(callback, 'callback');
    if (this.#waiting !== null) {
      this.#waiting.push(() => this.#read(maybeSync, callback));
      return;
    }
    if (this.#entries.length > 0 || this.#pending.length > 0) {
      let entry;
      try {
        entry = this.#nextBuffered();
      } catch (error) {
        return void process.nextTick(callback, error);
      }
      if (entry !== undefined) {
        if (maybeSync) process.nextTick(callback, null, entry);
        else callback(null, entry);
        return;
      }
    }
    this.#waiting = [];
    this.#handle.read(this.#options.bufferSize, this.#bytes, (error, listing) => {
      this.#runWaiting();
      if (error) return callback(error);
      let entry = null;
      try {
        this.#add(this.#path, listing);
        entry = this.#nextBuffered() ?? null;
      } catch (failure) {
        return callback(failure);
      }
      callback(null, entry);
    });
  }

  #runWaiting() {
    const waiting = this.#waiting;
    this.#waiting = null;
    for (const call of waiting) call();
  }

  /** Takes a batch of entries. */
  #add(path, [names, types]) {
    for (let i = 0; i < names.length; i++) {
      this.#entries.push(makeDirent(path, encodeName(names[i], this.#options.encoding), types[i]));
    }
  }

  /** The next entry at hand, entering a directory that is due if there is none; undefined when all are read. */
  #nextBuffered() {
    while (this.#entries.length === 0) {
      if (this.#pending.length === 0) return undefined;
      this.#enter(this.#pending.shift());
    }
    const entry = this.#entries.shift();
    if (this.#options.recursive && entry.isDirectory()) this.#pending.push(joinPath(entry.parentPath, entry.name));
    return entry;
  }

  #enter(path) {
    const handle = native.opendir(path);
    for (;;) {
      const listing = handle.read(this.#options.bufferSize, this.#bytes);
      if (listing[0].length === 0) break;
      this.#add(path, listing);
    }
    handle.close();
  }

  read(callback) {
    return this.#read(true, callback);
  }

  processReadResult(path, result) {
    for (let i = 0; i < result.length; i += 2) this.#entries.push(makeDirent(path, result[i], result[i + 1]));
  }

  readSyncRecursive(dirent) {
    this.#enter(joinPath(dirent.parentPath, dirent.name));
  }

  readSync() {
    if (this.#closed) throw new ERR_DIR_CLOSED();
    if (this.#waiting !== null) throw new ERR_DIR_CONCURRENT_OPERATION();
    if (this.#entries.length > 0 || this.#pending.length > 0) {
      const entry = this.#nextBuffered();
      if (entry !== undefined) return entry;
    }
    this.#add(this.#path, this.#handle.read(this.#options.bufferSize, this.#bytes));
    return this.#nextBuffered() ?? null;
  }

  close(callback) {
    if (callback === undefined) {
      if (this.#closed) return Promise.reject(new ERR_DIR_CLOSED());
      return this.#closePromisified();
    }
    validateFunction(callback, 'callback');
    if (this.#closed) {
      process.nextTick(callback, new ERR_DIR_CLOSED());
      return;
    }
    if (this.#waiting !== null) {
      this.#waiting.push(() => this.close(callback));
      return;
    }
    this.#closed = true;
    this.#handle.close(callback);
  }

  closeSync() {
    if (this.#closed) throw new ERR_DIR_CLOSED();
    if (this.#waiting !== null) throw new ERR_DIR_CONCURRENT_OPERATION();
    this.#closed = true;
    this.#handle.close();
  }

  async* entries() {
    try {
      for (;;) {
        const entry = await this.#readPromisified();
        if (entry === null) break;
        yield entry;
      }
    } finally {
      await this.#closePromisified();
    }
  }

  [Symbol.dispose]() {
    if (this.#closed) return;
    this.closeSync();
  }

  async [Symbol.asyncDispose]() {
    if (this.#closed) return;
    await this.#closePromisified();
  }
}

Object.defineProperty(Dir.prototype, Symbol.asyncIterator, {
  __proto__: null,
  value: Dir.prototype.entries,
  enumerable: false,
  writable: true,
  configurable: true,
});

function checkedOptions(options) {
  options = getOptions(options, { encoding: 'utf8' });
  if (options.bufferSize !== undefined) validateUint32(options.bufferSize, 'options.bufferSize', true);
  return options;
}

function opendir(path, options, callback) {
  callback = typeof options === 'function' ? options : callback;
  validateFunction(callback, 'callback');
  path = getValidatedPath(path);
  options = checkedOptions(options);
  native.opendir(path, (error, handle) => {
    if (error) callback(error);
    else callback(null, new Dir(handle, path, options));
  });
}

function opendirSync(path, options) {
  path = getValidatedPath(path);
  options = checkedOptions(options);
  return new Dir(native.opendir(path), path, options);
}

async function opendirPromise(path, options) {
  path = getValidatedPath(path);
  options = checkedOptions(options);
  return new Dir(await native.opendir(path, kPromise), path, options);
}

module.exports = { Dir, opendir, opendirPromise, opendirSync };
