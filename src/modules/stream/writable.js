'use strict';

// Writable.

module.exports = Writable;

const EventEmitter = require('events');
const { Stream } = require('#stream/legacy');
const {
  makeState, resetBuffer, kState, kObjectMode, kErrorEmitted, kAutoDestroy, kDestroyed, kCloseEmitted,
  kErrored, kConstructed, kSync, kFinalCalled, kNeedDrain, kEnding, kEnded, kFinished, kDecodeStrings,
  kWriting, kBufferProcessing, kPrefinished, kAllBuffers, kAllNoop, kDefaultUTF8Encoding, kOnFinished,
  kHasWritable, kWritable, kCorked, kWriteCb, kExpectWriteCb, kAfterWriteTickInfo, kBuffered, kErroredValue,
  kWriteCbValue, kAfterWriteTickInfoValue, kBufferedValue, kOnFinishedValue,
} = require('#stream/writable_state');
const destroyImpl = require('#stream/destroy');
const { addAbortSignal } = require('#stream/add_abort_signal');
const { nop, onConstructed } = require('#stream/utils');
const {
  AbortError,
  codes: {
    ERR_INVALID_ARG_TYPE, ERR_METHOD_NOT_IMPLEMENTED, ERR_MULTIPLE_CALLBACK, ERR_STREAM_ALREADY_FINISHED,
    ERR_STREAM_CANNOT_PIPE, ERR_STREAM_DESTROYED, ERR_STREAM_NULL_VALUES, ERR_STREAM_WRITE_AFTER_END,
    ERR_UNKNOWN_ENCODING,
  },
} = require('#internal/errors');

const { errorOrDestroy } = destroyImpl;
const { Buffer } = require('buffer');

Object.setPrototypeOf(Writable.prototype, Stream.prototype);
Object.setPrototypeOf(Writable, Stream);

const proto = Writable.prototype;
const WritableState = makeState(onwrite);

function Writable(options) {
  if (!(this instanceof Writable)) return new Writable(options);

  this._events ??= {
    close: undefined,
    error: undefined,
    prefinish: undefined,
    finish: undefined,
    drain: undefined,
  };
  this._writableState = new WritableState(options, this, false);

  if (options) {
    if (typeof options.write === 'function') this._write = options.write;
    if (typeof options.writev === 'function') this._writev = options.writev;
    if (typeof options.destroy === 'function') this._destroy = options.destroy;
    if (typeof options.final === 'function') this._final = options.final;
    if (typeof options.construct === 'function') this._construct = options.construct;
    if (options.signal) addAbortSignal(options.signal, this);
  }
  Stream.call(this, options);

  if (this._construct != null) destroyImpl.construct(this, () => onConstructed.writable(this));
}

/** Goes on with what was written before the stream was up. */
onConstructed.writable = function(stream) {
  const state = stream._writableState;
  if ((state[kState] & kWriting) === 0) clearBuffer(stream, state);
  if ((state[kState] & kEnding) !== 0) finishMaybe(stream, state);
};

// A Duplex is a Writable too, though it inherits from Readable.
Object.defineProperty(Writable, Symbol.hasInstance, {
  __proto__: null,
  value: function(object) {
    if (Function.prototype[Symbol.hasInstance].call(this, object)) return true;
    if (this !== Writable) return false;
    return object?._writableState instanceof WritableState;
  },
});

Writable.prototype.pipe = function() {
  errorOrDestroy(this, new ERR_STREAM_CANNOT_PIPE());
};

// --- writing ---

/** @returns {boolean | Error} what write() returns, or why the chunk is not taken */
function writeChunk(stream, chunk, encoding, cb) {
  if (cb == null || typeof cb !== 'function') cb = nop;
  const state = stream._writableState;

  if (chunk === null) throw new ERR_STREAM_NULL_VALUES();
  if ((state[kState] & kObjectMode) === 0) {
    if (!encoding) {
      encoding = (state[kState] & kDefaultUTF8Encoding) !== 0 ? 'utf8' : state.defaultEncoding;
    } else if (encoding !== 'buffer' && !Buffer.isEncoding(encoding)) {
      throw new ERR_UNKNOWN_ENCODING(encoding);
    }
    if (typeof chunk === 'string') {
      if ((state[kState] & kDecodeStrings) !== 0) {
        chunk = Buffer.from(chunk, encoding);
        encoding = 'buffer';
      }
    } else if (chunk instanceof Buffer) {
      encoding = 'buffer';
    } else if (ArrayBuffer.isView(chunk)) {
      chunk = Stream._uint8ArrayToBuffer(chunk);
      encoding = 'buffer';
    } else {
      throw new ERR_INVALID_ARG_TYPE('chunk', ['string', 'Buffer', 'TypedArray', 'DataView'], chunk);
    }
  }

  let err;
  if ((state[kState] & kEnding) !== 0) err = new ERR_STREAM_WRITE_AFTER_END();
  else if ((state[kState] & kDestroyed) !== 0) err = new ERR_STREAM_DESTROYED('write');
  if (err) {
    process.nextTick(cb, err);
    errorOrDestroy(stream, err, true);
    return err;
  }
  state.pendingcb++;
  return writeOrBuffer(stream, state, chunk, encoding, cb);
}

Writable.prototype.write = function(chunk, encoding, cb) {
  if (typeof encoding === 'function') {
    cb = encoding;
    encoding = null;
  }
  return writeChunk(this, chunk, encoding, cb) === true;
};

function writeOrBuffer(stream, state, chunk, encoding, cb) {
  const len = (state[kState] & kObjectMode) !== 0 ? 1 : chunk.length;
  state.length += len;

  if ((state[kState] & (kWriting | kErrored | kCorked | kConstructed)) !== kConstructed) {
    if ((state[kState] & kBuffered) === 0) {
      state[kState] |= kBuffered;
      state[kBufferedValue] = [];
    }
    state[kBufferedValue].push({ chunk, encoding, callback: cb });
    if (encoding !== 'buffer') state[kState] &= ~kAllBuffers;
    if (cb !== nop) state[kState] &= ~kAllNoop;
  } else {
    startWrite(state, len, cb);
    stream._write(chunk, encoding, state.onwrite);
    state[kState] &= ~kSync;
  }
  // A write that is done already leaves room, whatever its size.
  const ok = state.length < state.highWaterMark || state.length === 0;
  if (!ok) state[kState] |= kNeedDrain;
  return ok && (state[kState] & (kErrored | kDestroyed)) === 0;
}

function startWrite(state, len, cb) {
  state.writelen = len;
  if (cb !== nop) state.writecb = cb;
  state[kState] |= kWriting | kSync | kExpectWriteCb;
}

function doWrite(stream, state, writev, len, chunk, encoding, cb) {
  startWrite(state, len, cb);
  if ((state[kState] & kDestroyed) !== 0) state.onwrite(new ERR_STREAM_DESTROYED('write'));
  else if (writev) stream._writev(chunk, state.onwrite);
  else stream._write(chunk, encoding, state.onwrite);
  state[kState] &= ~kSync;
}

function onwriteError(stream, state, er, cb) {
  --state.pendingcb;
  cb(er);
  // What waited will not be written; its callbacks learn of it before 'error' is emitted.
  errorBuffer(state);
  errorOrDestroy(stream, er);
}

/** What _write calls when it is done. */
function onwrite(stream, er) {
  const state = stream._writableState;
  if ((state[kState] & kExpectWriteCb) === 0) {
    errorOrDestroy(stream, new ERR_MULTIPLE_CALLBACK());
    return;
  }
  const sync = (state[kState] & kSync) !== 0;
  const cb = (state[kState] & kWriteCb) !== 0 ? state[kWriteCbValue] : nop;
  state[kWriteCbValue] = null;
  state[kState] &= ~(kWriting | kExpectWriteCb | kWriteCb);
  state.length -= state.writelen;
  state.writelen = 0;

  if (er) {
    er.stack; // eslint-disable-line no-unused-expressions
    if ((state[kState] & kErrored) === 0) {
      state[kErroredValue] = er;
      state[kState] |= kErrored;
    }
    const r = stream._readableState;
    if (r && !r.errored) r.errored = er;
    if (sync) process.nextTick(onwriteError, stream, state, er, cb);
    else onwriteError(stream, state, er, cb);
    return;
  }

  if ((state[kState] & kBuffered) !== 0) clearBuffer(stream, state);
  if (!sync) {
    afterWrite(stream, state, 1, cb);
    return;
  }
  afterWriteLater(stream, state, cb);
}

/** Calls back on the next tick: one tick for all writes of a turn that have the same callback. */
function afterWriteLater(stream, state, cb) {
  const needDrain = (state[kState] & kNeedDrain) !== 0 && state.length === 0;
  const needTick = needDrain || (state[kState] & kDestroyed) !== 0 || cb !== nop;
  if (cb === nop && !needTick) {
    state.pendingcb--;
    if ((state[kState] & kEnding) !== 0) finishMaybe(stream, state, true);
    return;
  }
  if ((state[kState] & kAfterWriteTickInfo) !== 0 && state[kAfterWriteTickInfoValue].cb === cb) {
    state[kAfterWriteTickInfoValue].count++;
    return;
  }
  const info = { count: 1, cb, stream, state };
  state[kAfterWriteTickInfoValue] = info;
  state[kState] |= kAfterWriteTickInfo;
  process.nextTick(afterWriteTick, info);
}

function afterWriteTick(info) {
  const { stream, state, count, cb } = info;
  // A later write of the same turn may have left its own.
  if (state[kAfterWriteTickInfoValue] === info) {
    state[kState] &= ~kAfterWriteTickInfo;
    state[kAfterWriteTickInfoValue] = null;
  }
  afterWrite(stream, state, count, cb);
}

function afterWrite(stream, state, count, cb) {
  if ((state[kState] & (kEnding | kNeedDrain | kDestroyed)) === kNeedDrain && state.length === 0) {
    state[kState] &= ~kNeedDrain;
    stream.emit('drain');
  }
  while (count-- > 0) {
    state.pendingcb--;
    cb(null);
  }
  if ((state[kState] & kDestroyed) !== 0) errorBuffer(state);
  if ((state[kState] & kEnding) !== 0) finishMaybe(stream, state, true);
}

/** Tells all that wait that they wait in vain. */
function errorBuffer(state) {
  if ((state[kState] & kWriting) !== 0) return;
  if ((state[kState] & kBuffered) !== 0) {
    const buffered = state[kBufferedValue];
    for (let n = state.bufferedIndex; n < buffered.length; ++n) {
      const { chunk, callback } = buffered[n];
      state.length -= (state[kState] & kObjectMode) !== 0 ? 1 : chunk.length;
      callback(state.errored ?? new ERR_STREAM_DESTROYED('write'));
    }
  }
  callFinishCallbacks(state, state.errored ?? new ERR_STREAM_DESTROYED('end'));
  resetBuffer(state);
}

function callFinishCallbacks(state, err) {
  if ((state[kState] & kOnFinished) === 0) return;
  const callbacks = state[kOnFinishedValue];
  state[kOnFinishedValue] = null;
  state[kState] &= ~kOnFinished;
  for (const callback of callbacks) callback(err);
}

const kSpentPlaces = 256;

/** Writes what was buffered while another write was going on. */
function clearBuffer(stream, state) {
  if ((state[kState] & (kDestroyed | kBufferProcessing | kCorked | kBuffered | kConstructed)) !==
      (kBuffered | kConstructed)) return;
  const isObject = (state[kState] & kObjectMode) !== 0;
  const buffered = state[kBufferedValue];
  const count = buffered.length - state.bufferedIndex;
  if (count === 0) return;

  let i = state.bufferedIndex;
  state[kState] |= kBufferProcessing;
  if (count > 1 && stream._writev) {
    state.pendingcb -= count - 1;
    const callback = (state[kState] & kAllNoop) !== 0 ? nop : (err) => {
      for (let n = i; n < buffered.length; ++n) buffered[n].callback(err);
    };
    // Without callbacks the array can be given away as it is.
    const chunks = (state[kState] & kAllNoop) !== 0 && i === 0 ? buffered : buffered.slice(i);
    chunks.allBuffers = (state[kState] & kAllBuffers) !== 0;
    doWrite(stream, state, true, state.length, chunks, '', callback);
    resetBuffer(state);
  } else {
    do {
      const { chunk, encoding, callback } = buffered[i];
      buffered[i++] = null;
      doWrite(stream, state, false, isObject ? 1 : chunk.length, chunk, encoding, callback);
    } while (i < buffered.length && (state[kState] & kWriting) === 0);

    if (i === buffered.length) {
      resetBuffer(state);
    } else if (i > kSpentPlaces) {
      buffered.splice(0, i);
      state.bufferedIndex = 0;
    } else {
      state.bufferedIndex = i;
    }
  }
  state[kState] &= ~kBufferProcessing;
}

Writable.prototype._write = function(chunk, encoding, cb) {
  if (this._writev) this._writev([{ chunk, encoding }], cb);
  else throw new ERR_METHOD_NOT_IMPLEMENTED('_write()');
};

Writable.prototype._writev = null;

Writable.prototype.cork = function() {
  const state = this._writableState;
  state[kState] |= kCorked;
  state.corked++;
};

Writable.prototype.uncork = function() {
  const state = this._writableState;
  if (!state.corked) return;
  if (--state.corked === 0) state[kState] &= ~kCorked;
  if ((state[kState] & kWriting) === 0) clearBuffer(this, state);
};

Writable.prototype.setDefaultEncoding = function setDefaultEncoding(encoding) {
  if (typeof encoding === 'string') encoding = encoding.toLowerCase();
  if (!Buffer.isEncoding(encoding)) throw new ERR_UNKNOWN_ENCODING(encoding);
  this._writableState.defaultEncoding = encoding;
  return this;
};

// --- the end ---

Writable.prototype.end = function(chunk, encoding, cb) {
  const state = this._writableState;
  if (typeof chunk === 'function') {
    cb = chunk;
    chunk = null;
    encoding = null;
  } else if (typeof encoding === 'function') {
    cb = encoding;
    encoding = null;
  }

  let err;
  if (chunk !== null && chunk !== undefined) {
    const result = writeChunk(this, chunk, encoding);
    if (result instanceof Error) err = result;
  }
  // The last call: what is corked goes.
  if ((state[kState] & kCorked) !== 0) {
    state.corked = 1;
    this.uncork();
  }

  if (err) {
    // Told below.
  } else if ((state[kState] & (kEnding | kErrored)) === 0) {
    state[kState] |= kEnding;
    finishMaybe(this, state, true);
    state[kState] |= kEnded;
  } else if ((state[kState] & kFinished) !== 0) {
    err = new ERR_STREAM_ALREADY_FINISHED('end');
  } else if ((state[kState] & kDestroyed) !== 0) {
    err = new ERR_STREAM_DESTROYED('end');
  }

  if (typeof cb === 'function') {
    if (err) {
      process.nextTick(cb, err);
    } else if ((state[kState] & kErrored) !== 0) {
      process.nextTick(cb, state[kErroredValue]);
    } else if ((state[kState] & kFinished) !== 0) {
      process.nextTick(cb);
    } else {
      state[kState] |= kOnFinished;
      (state[kOnFinishedValue] ??= []).push(cb);
    }
  }
  return this;
};

function needFinish(state) {
  return (state[kState] & (kEnding | kDestroyed | kConstructed | kFinished | kWriting | kErrorEmitted |
    kCloseEmitted | kErrored | kBuffered)) === (kEnding | kConstructed) && state.length === 0;
}

function onFinal(stream, state, called, err) {
  if (called.value) {
    errorOrDestroy(stream, err ?? new ERR_MULTIPLE_CALLBACK());
    return;
  }
  called.value = true;
  state.pendingcb--;
  if (err) {
    callFinishCallbacks(state, err);
    errorOrDestroy(stream, err, (state[kState] & kSync) !== 0);
  } else if (needFinish(state)) {
    state[kState] |= kPrefinished;
    stream.emit('prefinish');
    // On a tick, so that what 'prefinish' listeners start comes first.
    state.pendingcb++;
    process.nextTick(finish, stream, state);
  }
}

function prefinish(stream, state) {
  if ((state[kState] & (kPrefinished | kFinalCalled)) !== 0) return;
  if (typeof stream._final !== 'function' || (state[kState] & kDestroyed) !== 0) {
    state[kState] |= kPrefinished;
    stream.emit('prefinish');
    return;
  }
  state[kState] |= kFinalCalled | kSync;
  state.pendingcb++;
  const called = { value: false };
  try {
    stream._final((err) => onFinal(stream, state, called, err));
  } catch (err) {
    onFinal(stream, state, called, err);
  }
  state[kState] &= ~kSync;
}

/** Finishes if nothing is left to wait for. `sync`: 'finish' must wait for a tick. */
function finishMaybe(stream, state, sync) {
  if (!needFinish(state)) return;
  prefinish(stream, state);
  if (state.pendingcb !== 0) return;
  if (sync) {
    state.pendingcb++;
    process.nextTick(finishIfStillDue, stream, state);
  } else if (needFinish(state)) {
    state.pendingcb++;
    finish(stream, state);
  }
}

function finishIfStillDue(stream, state) {
  if (needFinish(state)) finish(stream, state);
  else state.pendingcb--;
}

function finish(stream, state) {
  state.pendingcb--;
  state[kState] |= kFinished;
  callFinishCallbacks(state, null);
  stream.emit('finish');

  if ((state[kState] & kAutoDestroy) !== 0) {
    // A duplex waits for its other side.
    const r = stream._readableState;
    if (!r || (r.autoDestroy && (r.endEmitted || r.readable === false))) stream.destroy();
  }
}

Writable.prototype.destroy = function(err, cb) {
  const state = this._writableState;
  if ((state[kState] & (kBuffered | kOnFinished)) !== 0 && (state[kState] & kDestroyed) === 0) {
    process.nextTick(errorBuffer, state);
  }
  destroyImpl.destroy.call(this, err, cb);
  return this;
};

Writable.prototype._undestroy = destroyImpl.undestroy;
Writable.prototype._destroy = function(err, cb) {
  cb(err);
};

Writable.prototype[EventEmitter.captureRejectionSymbol] = function(err) {
  this.destroy(err);
};

// --- public properties ---

Object.defineProperties(proto, {
  closed: {
    __proto__: null,
    get() {
      return this._writableState ? this._writableState.closed : false;
    },
  },
  destroyed: {
    __proto__: null,
    get() {
      return this._writableState ? this._writableState.destroyed : false;
    },
    set(value) {
      if (this._writableState) this._writableState.destroyed = value;
    },
  },
  writable: {
    __proto__: null,
    get() {
      const w = this._writableState;
      // w.writable === false: this side of a duplex never was.
      return !!w && (w[kState] & (kHasWritable | kWritable)) !== kHasWritable &&
        (w[kState] & (kDestroyed | kErrored | kEnding | kEnded)) === 0;
    },
    set(value) {
      // Kept for those that assign it; a plain property in old streams.
      if (this._writableState) this._writableState.writable = !!value;
    },
  },
  writableFinished: {
    __proto__: null,
    get() {
      return this._writableState ? this._writableState.finished : false;
    },
  },
  writableObjectMode: {
    __proto__: null,
    get() {
      return this._writableState ? this._writableState.objectMode : false;
    },
  },
  writableBuffer: {
    __proto__: null,
    get() {
      return this._writableState?.getBuffer();
    },
  },
  writableEnded: {
    __proto__: null,
    get() {
      return this._writableState ? this._writableState.ending : false;
    },
  },
  writableNeedDrain: {
    __proto__: null,
    get() {
      const w = this._writableState;
      return w ? (w[kState] & (kDestroyed | kEnding | kNeedDrain)) === kNeedDrain : false;
    },
  },
  writableHighWaterMark: {
    __proto__: null,
    get() {
      return this._writableState?.highWaterMark;
    },
  },
  writableCorked: {
    __proto__: null,
    get() {
      return this._writableState ? this._writableState.corked : 0;
    },
  },
  writableLength: {
    __proto__: null,
    get() {
      return this._writableState?.length;
    },
  },
  errored: {
    __proto__: null,
    enumerable: false,
    get() {
      return this._writableState ? this._writableState.errored : null;
    },
  },
  writableAborted: {
    __proto__: null,
    enumerable: false,
    get() {
      const w = this._writableState;
      return (w[kState] & (kHasWritable | kWritable)) !== kHasWritable &&
        (w[kState] & (kDestroyed | kErrored)) !== 0 && (w[kState] & kFinished) === 0;
    },
  },
});

Writable.prototype[Symbol.asyncDispose] = function() {
  let error;
  if (!this.destroyed) {
    error = this.writableFinished ? null : new AbortError();
    this.destroy(error);
  }
  return new Promise((resolve, reject) => {
    require('#stream/end_of_stream').eos(this, (err) => {
      if (err && err.name !== 'AbortError') reject(err);
      else resolve(null);
    });
  });
};

Writable.WritableState = WritableState;
Writable.fromWeb = function(writableStream, options) {
  return require('#stream/web_adapters').newStreamWritableFromWritableStream(writableStream, options);
};
Writable.toWeb = function(streamWritable) {
  return require('#stream/web_adapters').newWritableStreamFromStreamWritable(streamWritable);
};
