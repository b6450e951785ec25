'use strict';

// Utf8Stream: an append-only text file that gathers small writes, for loggers. Writes go out one piece at a time:
// `#current` is the piece in flight (kept until all of it is written, also over errors), `#pieces` what waits.

const { Buffer } = require('buffer');
const EventEmitter = require('events');
const {
  codes: { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_STATE, ERR_OPERATION_FAILED },
} = require('#internal/errors');
const {
  parseFileMode, validateBoolean, validateFunction, validateObject, validateOneOf, validateUint32,
} = require('#internal/validators');
const { isUint8Array } = require('#fs/validate');
const path = require('path');

const kMaxWrite = 16 * 1024;
/** How much may wait before write() asks for a pause. */
const kHighWaterMark = 16387;
const kBusyWait = 100;

function sleep(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** The file functions in use: ours, with those of the options over them. */
function fileFunctions(overrides) {
  const fs = require('fs');
  const result = {};
  for (const name of ['write', 'writeSync', 'fsync', 'fsyncSync', 'close', 'open', 'openSync', 'mkdir', 'mkdirSync']) {
    const own = overrides[name];
    if (own !== undefined) validateFunction(own, `options.fs.${name}`);
    result[name] = own ?? fs[name];
  }
  return result;
}

class Utf8Stream extends EventEmitter {
  #append;
  #contentMode;
  #fd = -1;
  #file = null;
  #fs;
  #fsync;
  #maxLength;
  #maxWrite;
  #minLength;
  #mkdir;
  #mode;
  #periodicFlush;
  #retryEAGAIN;
  #sync;
  #timer;

  /** @type {(string | Buffer[])[]} */
  #pieces = [];
  /** Bytes of each piece. */
  #sizes = [];
  /** @type {Buffer | null} */
  #current = null;
  /** Bytes that wait, the current piece included. */
  #length = 0;
  #writing = false;
  #opening = false;
  #reopening = false;
  #ending = false;
  #destroyed = false;
  #flushPending = false;
  #drainScheduled = false;
  #closeWhenWritten = false;

  constructor(options = {}) {
    validateObject(options, 'options');
    super();
    const {
      fd, dest, minLength = 0, maxLength = 0, maxWrite = kMaxWrite, periodicFlush = 0, sync = true, append = true,
      mkdir = false, retryEAGAIN, fsync = false, contentMode = 'utf8', mode, fs = {},
    } = options;
    validateUint32(minLength, 'options.minLength');
    validateUint32(maxLength, 'options.maxLength');
    validateUint32(maxWrite, 'options.maxWrite');
    validateUint32(periodicFlush, 'options.periodicFlush');
    const switches = { sync, append, mkdir, fsync };
    for (const name of Object.keys(switches)) validateBoolean(switches[name], `options.${name}`);
    validateOneOf(contentMode, 'options.contentMode', ['utf8', 'buffer']);
    if (retryEAGAIN !== undefined) validateFunction(retryEAGAIN, 'options.retryEAGAIN');
    validateObject(fs, 'options.fs');
    if (minLength >= maxWrite) {
      throw new ERR_INVALID_ARG_VALUE('options.minLength', minLength, `must be smaller than maxWrite (${maxWrite})`);
    }
    this.#fs = fileFunctions(fs);
    this.#minLength = minLength;
    this.#maxLength = maxLength;
    this.#maxWrite = maxWrite;
    this.#periodicFlush = periodicFlush;
    this.#sync = sync;
    this.#append = append;
    this.#mkdir = mkdir;
    this.#fsync = fsync;
    this.#contentMode = contentMode;
    this.#mode = mode === undefined ? undefined : parseFileMode(mode, 'options.mode');
    this.#retryEAGAIN = retryEAGAIN ?? (() => true);
    this.on('newListener', (name) => {
      if (name === 'drain') this.#drainScheduled = false;
    });
    if (typeof fd === 'number') {
      this.#fd = fd;
      process.nextTick(() => this.emit('ready'));
    } else if (typeof (dest ?? fd) === 'string') {
      this.#open(dest ?? fd);
    } else {
      throw new ERR_INVALID_ARG_TYPE('options', ['fd', 'dest'], options);
    }
    if (periodicFlush > 0) {
      this.#timer = require('timers').setInterval(() => {
        if (!this.#destroyed) this.flush();
      }, periodicFlush);
      this.#timer.unref();
    }
  }

  get append() { return this.#append; }
  get contentMode() { return this.#contentMode; }
  get fd() { return this.#fd; }
  get file() { return this.#file; }
  get fsync() { return this.#fsync; }
  get maxLength() { return this.#maxLength; }
  get minLength() { return this.#minLength; }
  get mkdir() { return this.#mkdir; }
  get mode() { return this.#mode; }
  get periodicFlush() { return this.#periodicFlush; }
  get sync() { return this.#sync; }
  get writing() { return this.#writing; }

  #checkAlive() {
    if (this.#destroyed) throw new ERR_INVALID_STATE('Utf8Stream is destroyed');
  }

  // --- opening ---
  #open(file) {
    this.#opening = true;
    this.#writing = true;
    this.#drainScheduled = false;
    const flags = this.#append ? 'a' : 'w';
    const { open, openSync, mkdir, mkdirSync } = this.#fs;
    if (this.#sync) {
      try {
        if (this.#mkdir) mkdirSync(path.dirname(file), { recursive: true });
        this.#opened(null, openSync(file, flags, this.#mode), file);
      } catch (error) {
        this.#opened(error);
        throw error;
      }
      return;
    }
    const done = (error, fd) => this.#opened(error, fd, file);
    if (!this.#mkdir) return open(file, flags, this.#mode, done);
    mkdir(path.dirname(file), { recursive: true }, (error) => {
      if (error) this.#opened(error);
      else open(file, flags, this.#mode, done);
    });
  }

  #opened(error, fd, file) {
    const reopening = this.#reopening;
    this.#reopening = this.#opening = this.#writing = false;
    if (error) {
      const report = () => this.listenerCount('error') > 0 && this.emit('error', error);
      if (this.#sync) process.nextTick(report);
      else this.emit('error', error);
      return;
    }
    this.#fd = fd;
    this.#file = file;
    if (this.#sync) process.nextTick(() => this.emit('ready'));
    else this.emit('ready');
    if (this.#destroyed) return;
    if ((!this.#writing && this.#length > this.#minLength) || this.#flushPending) this.#writeNext();
    else if (reopening) process.nextTick(() => this.emit('drain'));
  }

  reopen(file) {
    this.#checkAlive();
    if (this.#opening) {
      this.once('ready', () => this.reopen(file));
      return;
    }
    if (this.#ending) return;
    if (!this.#file) throw new ERR_OPERATION_FAILED('Unable to reopen a file descriptor, you must pass a file');
    if (file) this.#file = file;
    this.#reopening = true;
    if (this.#writing) return;
    const fd = this.#fd;
    this.once('ready', () => {
      if (fd === this.#fd) return;
      this.#fs.close(fd, (error) => error && this.emit('error', error));
    });
    this.#open(this.#file);
  }

  // --- writing ---
  write(data) {
    this.#checkAlive();
    const bytes = this.#contentMode === 'buffer';
    if (bytes ? !isUint8Array(data) : typeof data !== 'string') {
      throw new ERR_INVALID_ARG_TYPE('data', bytes ? ['Buffer', 'Uint8Array'] : 'string', data);
    }
    const size = bytes ? data.length : Buffer.byteLength(data);
    if (this.#maxLength && this.#length + size > this.#maxLength) {
      this.emit('drop', data);
      return this.#length < kHighWaterMark;
    }
    const last = this.#pieces.length - 1;
    const fits = last >= 0 && this.#sizes[last] + size <= this.#maxWrite;
    if (fits && bytes === Array.isArray(this.#pieces[last])) {
      if (bytes) this.#pieces[last].push(data);
      else this.#pieces[last] += data;
      this.#sizes[last] += size;
    } else {
      this.#pieces.push(bytes ? [data] : data);
      this.#sizes.push(size);
    }
    this.#length += size;
    if (!this.#writing && this.#length >= this.#minLength && this.#fd >= 0) this.#writeNext();
    return this.#length < kHighWaterMark;
  }

  /** Makes the next piece the current one, if none is. */
  #takePiece() {
    if (this.#current !== null) return;
    this.#sizes.shift();
    const piece = this.#pieces.shift() ?? '';
    this.#current = typeof piece === 'string' ? Buffer.from(piece) : Buffer.concat(piece);
  }

  #writeNext() {
    this.#writing = true;
    this.#takePiece();
    if (!this.#sync) {
      this.#fs.write(this.#fd, this.#current, (error, written) => this.#written(error, written));
      return;
    }
    let written;
    try {
      written = this.#fs.writeSync(this.#fd, this.#current);
    } catch (error) {
      return this.#written(error);
    }
    this.#written(null, written);
  }

  #mayRetry(error) {
    return (error.code === 'EAGAIN' || error.code === 'EBUSY') &&
      this.#retryEAGAIN(error, this.#current.length, this.#length - this.#current.length);
  }

  /** Takes what was written off the current piece. @returns {boolean} whether the piece is done */
  #advance(written) {
    const size = this.#current.length;
    const done = Math.min(typeof written === 'number' ? written : size, size);
    this.#length = Math.max(this.#length - done, 0);
    this.#current = done === size ? null : this.#current.subarray(done);
    return this.#current === null;
  }

  #written(error, written) {
    if (this.#closeWhenWritten) {
      if (error) this.emit('error', error);
      else this.emit('drain');
      return this.#closeFile();
    }
    if (error) {
      if (this.#mayRetry(error)) {
        if (!this.#sync) return void require('timers').setTimeout(() => this.#writeNext(), kBusyWait);
        sleep(kBusyWait);
        return this.#writeNext();
      }
      this.#writing = false;
      this.emit('error', error);
      return;
    }
    this.emit('write', written);
    if (!this.#advance(written)) return this.#writeNext();
    if (this.#fsync) this.#fs.fsyncSync(this.#fd);
    if (this.#reopening) {
      this.#writing = false;
      this.#reopening = false;
      this.reopen();
    } else if (this.#length > this.#minLength || (this.#ending && this.#length > 0)) {
      this.#writeNext();
    } else {
      this.#writing = false;
      if (this.#ending) this.#close();
      else this.#drain();
    }
  }

  #drain() {
    if (!this.#sync) {
      this.emit('drain');
      return;
    }
    if (this.#drainScheduled) return;
    this.#drainScheduled = true;
    process.nextTick(() => {
      if (!this.#drainScheduled && this.listenerCount('drain') === 0) return;
      this.#drainScheduled = false;
      this.emit('drain');
    });
  }

  // --- flushing ---
  flush(callback) {
    if (callback !== undefined && callback !== null) validateFunction(callback, 'callback');
    if (this.#destroyed) {
      const error = new ERR_INVALID_STATE('Utf8Stream is destroyed');
      if (callback) return void callback(error);
      throw error;
    }
    if (this.#minLength <= 0) return void callback?.();
    if (callback) this.#callOnDrain(callback);
    if (this.#writing) return;
    this.#writeNext();
  }

  #callOnDrain(callback) {
    this.#flushPending = true;
    const finish = (error) => {
      this.#flushPending = false;
      callback(error);
    };
    const onDrain = () => {
      this.off('error', onError);
      if (this.#destroyed || this.#fsync) finish();
      else this.#fs.fsync(this.#fd, finish);
    };
    const onError = (error) => {
      this.off('drain', onDrain);
      finish(error);
    };
    this.once('drain', onDrain);
    this.once('error', onError);
  }

  /** Writes some of the next piece. When that fails, the rest of it waits again, and may grow. */
  #writePieceSync() {
    const piece = this.#current === null ? this.#pieces[0] : null;
    this.#takePiece();
    const size = this.#current.length;
    try {
      this.#advance(this.#fs.writeSync(this.#fd, this.#current));
    } catch (error) {
      const again = this.#mayRetry(error);
      if (again) return sleep(kBusyWait);
      this.#pieces.unshift(piece ?? [this.#current]);
      this.#sizes.unshift(size);
      this.#current = null;
      throw error;
    }
  }

  flushSync() {
    this.#checkAlive();
    if (this.#fd < 0) throw new ERR_INVALID_STATE('Invalid file descriptor');
    // A piece in flight stays in flight.
    const inFlight = this.#writing && !this.#sync ? this.#current : null;
    if (inFlight !== null) this.#current = null;
    try {
      while (this.#current !== null || this.#pieces.length > 0) this.#writePieceSync();
    } finally {
      if (inFlight !== null) this.#current = inFlight;
    }
    try {
      this.#fs.fsyncSync(this.#fd);
    } catch {
      // Not every descriptor can be synchronized.
    }
  }

  // --- the end ---
  end() {
    this.#checkAlive();
    if (this.#opening) {
      this.once('ready', () => this.end());
      return;
    }
    if (this.#ending) return;
    this.#ending = true;
    if (this.#writing) return;
    if (this.#length > 0 && this.#fd >= 0) this.#writeNext();
    else this.#close();
  }

  destroy() {
    if (this.#destroyed) return;
    this.#close();
  }

  #close() {
    if (this.#fd === -1) {
      this.once('ready', () => this.#close());
      return;
    }
    if (this.#timer !== undefined) require('timers').clearInterval(this.#timer);
    this.#destroyed = true;
    this.#pieces = [];
    // A piece in flight must reach the file before it is closed.
    if (this.#writing && !this.#sync && !this.#opening) this.#closeWhenWritten = true;
    else this.#closeFile();
  }

  #closeFile() {
    const done = (error) => {
      if (error) this.emit('error', error);
      if (this.#ending && !this.#writing) this.emit('finish');
      this.emit('close');
    };
    const closeFile = () => {
      if (this.#fd === 1 || this.#fd === 2) setImmediate(done);
      else this.#fs.close(this.#fd, done);
    };
    if (this.#fsync) closeFile();
    else this.#fs.fsync(this.#fd, closeFile);
  }

  [Symbol.dispose]() {
    this.destroy();
  }
}

module.exports = { Utf8Stream };
