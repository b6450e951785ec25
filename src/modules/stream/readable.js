'use strict';

// Readable. Its buffer is in readable_buffer.js, piping in pipe.js, iteration in iterate.js.

module.exports = Readable;

const EventEmitter = require('events');
const { Stream } = require('#stream/legacy');
const {
  ReadableState, kState, kObjectMode, kErrorEmitted, kAutoDestroy, kDestroyed, kCloseEmitted, kErrored,
  kConstructed, kSync, kEnded, kEndEmitted, kReading, kNeedReadable, kEmittedReadable, kReadableListening,
  kResumeScheduled, kMultiAwaitDrain, kReadingMore, kDataEmitted, kDecoder, kHasFlowing, kFlowing, kHasPaused,
  kPaused, kDataListening,
} = require('#stream/readable_state');
const { takeFromBuffer } = require('#stream/readable_buffer');
const destroyImpl = require('#stream/destroy');
const { addAbortSignal } = require('#stream/add_abort_signal');
const { onConstructed } = require('#stream/utils');
const {
  AbortError,
  codes: {
    ERR_INVALID_ARG_TYPE, ERR_METHOD_NOT_IMPLEMENTED, ERR_OUT_OF_RANGE, ERR_STREAM_PUSH_AFTER_EOF,
    ERR_STREAM_UNSHIFT_AFTER_END_EVENT,
  },
} = require('#internal/errors');

const { errorOrDestroy } = destroyImpl;
const { Buffer } = require('buffer');

Object.setPrototypeOf(Readable.prototype, Stream.prototype);
Object.setPrototypeOf(Readable, Stream);

const proto = Readable.prototype;

function Readable(options) {
  if (!(this instanceof Readable)) return new Readable(options);

  // The names that nearly every stream gets listeners for, in one shape for all streams.
  this._events ??= {
    close: undefined,
    error: undefined,
    data: undefined,
    end: undefined,
    readable: undefined,
  };
  this._readableState = new ReadableState(options, this, false);

  if (options) {
    if (typeof options.read === 'function') this._read = options.read;
    if (typeof options.destroy === 'function') this._destroy = options.destroy;
    if (typeof options.construct === 'function') this._construct = options.construct;
    if (options.signal) addAbortSignal(options.signal, this);
  }
  Stream.call(this, options);

  if (this._construct != null) destroyImpl.construct(this, () => onConstructed.readable(this));
}

/** Goes on with what was asked for before the stream was up. */
onConstructed.readable = function(stream) {
  const state = stream._readableState;
  if ((state[kState] & kNeedReadable) !== 0) maybeReadMore(stream, state);
};

Readable.prototype.destroy = destroyImpl.destroy;
Readable.prototype._undestroy = destroyImpl.undestroy;
Readable.prototype._destroy = function(err, cb) {
  cb(err);
};

Readable.prototype[EventEmitter.captureRejectionSymbol] = function(err) {
  this.destroy(err);
};

Readable.prototype[Symbol.asyncDispose] = function() {
  let error;
  if (!this.destroyed) {
    error = this.readableEnded ? null : new AbortError();
    this.destroy(error);
  }
  return new Promise((resolve, reject) => {
    require('#stream/end_of_stream').eos(this, (err) => (err && err !== error ? reject(err) : resolve(null)));
  });
};

// --- data coming in ---

/** Takes a chunk from the source. @returns {boolean} whether more is wanted */
Readable.prototype.push = function(chunk, encoding) {
  const state = this._readableState;
  return (state[kState] & kObjectMode) === 0 ?
    pushBytes(this, state, chunk, encoding) :
    pushObject(this, state, chunk, encoding);
};

/** Puts a chunk back in front. */
Readable.prototype.unshift = function(chunk, encoding) {
  const state = this._readableState;
  return (state[kState] & kObjectMode) === 0 ?
    unshiftBytes(this, state, chunk, encoding) :
    unshiftObject(this, state, chunk);
};

function wantsMore(state) {
  return (state[kState] & kEnded) === 0 && (state.length < state.highWaterMark || state.length === 0);
}

/** A chunk that is no string as a Buffer; undefined if it cannot be one. */
function asBuffer(chunk) {
  if (chunk instanceof Buffer) return chunk;
  if (ArrayBuffer.isView(chunk)) return Stream._uint8ArrayToBuffer(chunk);
  return undefined;
}

function refuse(stream, chunk) {
  errorOrDestroy(stream,
    new ERR_INVALID_ARG_TYPE('chunk', ['string', 'Buffer', 'TypedArray', 'DataView'], chunk));
  return false;
}

function pushBytes(stream, state, chunk, encoding) {
  if (chunk === null) {
    state[kState] &= ~kReading;
    onEnd(stream, state);
    return false;
  }
  if (typeof chunk === 'string') {
    encoding ||= state.defaultEncoding;
    if (state.encoding !== encoding) {
      chunk = Buffer.from(chunk, encoding);
      encoding = '';
    }
  } else {
    if (chunk === undefined) {
      // As an empty chunk: the source had nothing, and may be asked again.
      state[kState] &= ~kReading;
      maybeReadMore(stream, state);
      return wantsMore(state);
    }
    const original = chunk;
    chunk = asBuffer(chunk);
    if (chunk === undefined) return refuse(stream, original);
    encoding = '';
  }
  if (!chunk || chunk.length <= 0) {
    state[kState] &= ~kReading;
    maybeReadMore(stream, state);
    return wantsMore(state);
  }
  if ((state[kState] & kEnded) !== 0) {
    errorOrDestroy(stream, new ERR_STREAM_PUSH_AFTER_EOF());
    return false;
  }
  if ((state[kState] & (kDestroyed | kErrored)) !== 0) return false;

  state[kState] &= ~kReading;
  if ((state[kState] & kDecoder) !== 0 && !encoding) {
    chunk = state.decoder.write(chunk);
    if (chunk.length === 0) {
      maybeReadMore(stream, state);
      return wantsMore(state);
    }
  }
  addChunk(stream, state, chunk, false);
  return wantsMore(state);
}

function pushObject(stream, state, chunk, encoding) {
  if (chunk === null) {
    state[kState] &= ~kReading;
    onEnd(stream, state);
    return false;
  }
  if ((state[kState] & kEnded) !== 0) {
    errorOrDestroy(stream, new ERR_STREAM_PUSH_AFTER_EOF());
    return false;
  }
  if ((state[kState] & (kDestroyed | kErrored)) !== 0) return false;

  state[kState] &= ~kReading;
  if ((state[kState] & kDecoder) !== 0 && !encoding) chunk = state.decoder.write(chunk);
  addChunk(stream, state, chunk, false);
  return wantsMore(state);
}

function unshiftBytes(stream, state, chunk, encoding) {
  if (chunk === null) {
    state[kState] &= ~kReading;
    onEnd(stream, state);
    return false;
  }
  if (typeof chunk === 'string') {
    encoding ||= state.defaultEncoding;
    if (state.encoding !== encoding) {
      chunk = Buffer.from(chunk, encoding);
      if (state.encoding) chunk = chunk.toString(state.encoding);
    }
  } else if (chunk !== undefined) {
    const original = chunk;
    chunk = asBuffer(chunk);
    if (chunk === undefined) return refuse(stream, original);
  }
  if (!(chunk && chunk.length > 0)) return wantsMore(state);
  return unshiftAny(stream, state, chunk);
}

function unshiftObject(stream, state, chunk) {
  if (chunk === null) {
    state[kState] &= ~kReading;
    onEnd(stream, state);
    return false;
  }
  return unshiftAny(stream, state, chunk);
}

function unshiftAny(stream, state, chunk) {
  if ((state[kState] & kEndEmitted) !== 0) {
    errorOrDestroy(stream, new ERR_STREAM_UNSHIFT_AFTER_END_EVENT());
  } else if ((state[kState] & (kDestroyed | kErrored)) !== 0) {
    return false;
  } else {
    addChunk(stream, state, chunk, true);
  }
  return wantsMore(state);
}

/** Hands the chunk to 'data' listeners if it may pass straight through, else keeps it. */
function addChunk(stream, state, chunk, inFront) {
  if ((state[kState] & (kFlowing | kSync | kDataListening)) === (kFlowing | kDataListening) &&
      state.length === 0) {
    clearAwaitDrain(state);
    state[kState] |= kDataEmitted;
    stream.emit('data', chunk);
  } else {
    state.length += (state[kState] & kObjectMode) !== 0 ? 1 : chunk.length;
    if (!inFront) state.buffer.push(chunk);
    else if (state.bufferIndex > 0) state.buffer[--state.bufferIndex] = chunk;
    else state.buffer.unshift(chunk);
    if ((state[kState] & kNeedReadable) !== 0) emitReadable(stream);
  }
  maybeReadMore(stream, state);
}

function clearAwaitDrain(state) {
  if ((state[kState] & kMultiAwaitDrain) !== 0) state.awaitDrainWriters.clear();
  else state.awaitDrainWriters = null;
}

/** The source has said that no more comes. */
function onEnd(stream, state) {
  if ((state[kState] & kEnded) !== 0) return;
  const decoder = (state[kState] & kDecoder) !== 0 ? state.decoder : null;
  if (decoder) {
    const chunk = decoder.end();
    if (chunk?.length) {
      state.buffer.push(chunk);
      state.length += (state[kState] & kObjectMode) !== 0 ? 1 : chunk.length;
    }
  }
  state[kState] |= kEnded;
  if ((state[kState] & kSync) !== 0) {
    // Still inside _read: the reader is told when it has returned.
    emitReadable(stream);
  } else {
    state[kState] = (state[kState] & ~kNeedReadable) | kEmittedReadable;
    emitReadableNow(stream);
  }
}

// --- asking for data ---

Readable.prototype.isPaused = function() {
  const state = this._readableState;
  return (state[kState] & kPaused) !== 0 || (state[kState] & (kHasFlowing | kFlowing)) === kHasFlowing;
};

/** Decodes what is buffered and what comes. */
Readable.prototype.setEncoding = function(enc) {
  const { StringDecoder } = require('string_decoder');
  const decoder = new StringDecoder(enc);
  const state = this._readableState;
  state.decoder = decoder;
  // StringDecoder knows 'utf8' where the user said 'utf-8'.
  state.encoding = decoder.encoding;

  let content = '';
  for (const data of state.buffer.slice(state.bufferIndex)) content += decoder.write(data);
  state.buffer.length = 0;
  state.bufferIndex = 0;
  if (content !== '') state.buffer.push(content);
  state.length = content.length;
  return this;
};

const kMaxHighWaterMark = 0x40000000; // 1 GiB

/** The next power of two, so that reads of odd sizes do not raise the limit in small steps. */
function nextPowerOfTwo(n) {
  if (n > kMaxHighWaterMark) throw new ERR_OUT_OF_RANGE('size', '<= 1GiB', n);
  n--;
  n |= n >>> 1;
  n |= n >>> 2;
  n |= n >>> 4;
  n |= n >>> 8;
  n |= n >>> 16;
  return n + 1;
}

function amountToRead(n, state) {
  if (n <= 0 || (state.length === 0 && (state[kState] & kEnded) !== 0)) return 0;
  if ((state[kState] & kObjectMode) !== 0) return 1;
  if (Number.isNaN(n)) {
    // In flow: chunk by chunk, as they came. Else: all there is.
    if ((state[kState] & kFlowing) !== 0 && state.length > 0) return state.buffer[state.bufferIndex].length;
    return state.length;
  }
  if (n <= state.length) return n;
  return (state[kState] & kEnded) !== 0 ? state.length : 0;
}

/** Calls the source's _read, unless it is at work or can give no more. */
function callRead(stream, state) {
  state[kState] |= kReading | kSync;
  if (state.length === 0) state[kState] |= kNeedReadable;
  try {
    stream._read(state.highWaterMark);
  } catch (err) {
    errorOrDestroy(stream, err);
  }
  state[kState] &= ~kSync;
}

const kCannotRead = kEnded | kReading | kDestroyed | kErrored;

/** @param {number} [n] how much; all, or one chunk in flow, if undefined. @returns a chunk or null */
Readable.prototype.read = function(n) {
  if (n === undefined) n = NaN;
  else if (!Number.isInteger(n)) n = Number.parseInt(n, 10);
  const state = this._readableState;
  const asked = n;

  if (n > state.highWaterMark) state.highWaterMark = nextPowerOfTwo(n);
  if (n !== 0) state[kState] &= ~kEmittedReadable;

  if (n === 0 && (state[kState] & kNeedReadable) !== 0 && hasEnough(state)) {
    if (state.length === 0 && (state[kState] & kEnded) !== 0) endReadable(this);
    else emitReadable(this);
    return null;
  }

  n = amountToRead(n, state);
  if (n === 0 && (state[kState] & kEnded) !== 0) {
    if (state.length === 0) endReadable(this);
    return null;
  }

  let doRead = (state[kState] & kNeedReadable) !== 0;
  if (state.length === 0 || state.length - n < state.highWaterMark) doRead = true;
  if ((state[kState] & kCannotRead) !== 0 || (state[kState] & kConstructed) === 0) {
    doRead = false;
  } else if (doRead) {
    callRead(this, state);
    // A source that pushed at once may have made more available.
    if ((state[kState] & kReading) === 0) n = amountToRead(asked, state);
  }

  const chunk = n > 0 ? takeFromBuffer(n, state) : null;
  if (chunk === null) {
    if (state.length <= state.highWaterMark) state[kState] |= kNeedReadable;
    n = 0;
  } else {
    state.length -= n;
    clearAwaitDrain(state);
  }
  if (state.length === 0) {
    if ((state[kState] & kEnded) === 0) state[kState] |= kNeedReadable;
    // Took the last: the end can follow.
    if (asked !== n && (state[kState] & kEnded) !== 0) endReadable(this);
  }
  if (chunk !== null && (state[kState] & (kErrorEmitted | kCloseEmitted)) === 0) {
    state[kState] |= kDataEmitted;
    this.emit('data', chunk);
  }
  return chunk;
};

function hasEnough(state) {
  if ((state[kState] & kEnded) !== 0) return true;
  return state.highWaterMark !== 0 ? state.length >= state.highWaterMark : state.length > 0;
}

Readable.prototype._read = function(n) {
  throw new ERR_METHOD_NOT_IMPLEMENTED('_read()');
};

/** Tells of readable data, on the next tick and once. */
function emitReadable(stream) {
  const state = stream._readableState;
  state[kState] &= ~kNeedReadable;
  if ((state[kState] & kEmittedReadable) === 0) {
    state[kState] |= kEmittedReadable;
    process.nextTick(emitReadableNow, stream);
  }
}

function emitReadableNow(stream) {
  const state = stream._readableState;
  if ((state[kState] & (kDestroyed | kErrored)) === 0 &&
      (state.length > 0 || (state[kState] & kEnded) !== 0)) {
    stream.emit('readable');
    state[kState] &= ~kEmittedReadable;
  }
  if ((state[kState] & (kFlowing | kEnded)) === 0 && state.length <= state.highWaterMark) {
    state[kState] |= kNeedReadable;
  } else {
    state[kState] &= ~kNeedReadable;
  }
  flow(stream);
}

/** Fills the buffer ahead of the reader, on the next tick. */
function maybeReadMore(stream, state) {
  if ((state[kState] & (kReadingMore | kConstructed)) === kConstructed) {
    state[kState] |= kReadingMore;
    process.nextTick(readMore, stream, state);
  }
}

function readMore(stream, state) {
  while ((state[kState] & (kReading | kEnded)) === 0 &&
         (state.length < state.highWaterMark || ((state[kState] & kFlowing) !== 0 && state.length === 0))) {
    const { length } = state;
    stream.read(0);
    if (length === state.length) break; // nothing came: it will come by itself
  }
  state[kState] &= ~kReadingMore;
}

// --- flow ---

// Data flows when there are listeners for 'data'; one for 'readable' takes the reading into its own hands.
Readable.prototype.on = function(ev, fn) {
  const res = Stream.prototype.on.call(this, ev, fn);
  const state = this._readableState;
  if (ev === 'data') {
    state[kState] |= kDataListening;
    if (this.listenerCount('readable') > 0) state[kState] |= kReadableListening;
    else state[kState] &= ~kReadableListening;
    // Unless it was paused on purpose.
    if ((state[kState] & (kHasFlowing | kFlowing)) !== kHasFlowing) this.resume();
  } else if (ev === 'readable' && (state[kState] & (kEndEmitted | kReadableListening)) === 0) {
    state[kState] |= kReadableListening | kNeedReadable | kHasFlowing;
    state[kState] &= ~(kFlowing | kEmittedReadable);
    if (state.length > 0) emitReadable(this);
    else if ((state[kState] & kReading) === 0) process.nextTick(readZero, this);
  }
  return res;
};
Readable.prototype.addListener = Readable.prototype.on;

function readZero(stream) {
  stream.read(0);
}

Readable.prototype.removeListener = function(ev, fn) {
  const state = this._readableState;
  const res = Stream.prototype.removeListener.call(this, ev, fn);
  if (ev === 'readable') {
    // On the next tick, for a listener that is about to be replaced (once() in a loop).
    process.nextTick(updateReadableListening, this);
  } else if (ev === 'data' && this.listenerCount('data') === 0) {
    state[kState] &= ~kDataListening;
  }
  return res;
};
Readable.prototype.off = Readable.prototype.removeListener;

Readable.prototype.removeAllListeners = function(ev) {
  const res = Reflect.apply(Stream.prototype.removeAllListeners, this, arguments);
  if (ev === 'readable' || ev === undefined) process.nextTick(updateReadableListening, this);
  return res;
};

function updateReadableListening(stream) {
  const state = stream._readableState;
  if (stream.listenerCount('readable') > 0) state[kState] |= kReadableListening;
  else state[kState] &= ~kReadableListening;

  if ((state[kState] & (kHasPaused | kPaused | kResumeScheduled)) === (kHasPaused | kResumeScheduled)) {
    // A resume is under way, and nothing says otherwise.
    state[kState] |= kHasFlowing | kFlowing;
  } else if ((state[kState] & kDataListening) !== 0) {
    stream.resume();
  } else if ((state[kState] & kReadableListening) === 0) {
    state[kState] &= ~(kHasFlowing | kFlowing);
  }
}

Readable.prototype.resume = function() {
  const state = this._readableState;
  if ((state[kState] & kFlowing) === 0) {
    // With a listener for 'readable' data does not flow by itself, yet the source is started.
    state[kState] |= kHasFlowing;
    if ((state[kState] & kReadableListening) === 0) state[kState] |= kFlowing;
    else state[kState] &= ~kFlowing;
    if ((state[kState] & kResumeScheduled) === 0) {
      state[kState] |= kResumeScheduled;
      process.nextTick(resumeNow, this, state);
    }
  }
  state[kState] = (state[kState] | kHasPaused) & ~kPaused;
  return this;
};

function resumeNow(stream, state) {
  if ((state[kState] & kReading) === 0) stream.read(0);
  state[kState] &= ~kResumeScheduled;
  stream.emit('resume');
  flow(stream);
  if ((state[kState] & (kFlowing | kReading)) === kFlowing) stream.read(0);
}

Readable.prototype.pause = function() {
  const state = this._readableState;
  if ((state[kState] & (kHasFlowing | kFlowing)) !== kHasFlowing) {
    state[kState] = (state[kState] | kHasFlowing) & ~kFlowing;
    this.emit('pause');
  }
  state[kState] |= kHasPaused | kPaused;
  return this;
};

function flow(stream) {
  const state = stream._readableState;
  while ((state[kState] & kFlowing) !== 0 && stream.read() !== null);
}

// --- the end ---

function endReadable(stream) {
  const state = stream._readableState;
  if ((state[kState] & kEndEmitted) === 0) {
    state[kState] |= kEnded;
    process.nextTick(endReadableNT, state, stream);
  }
}

function endReadableNT(state, stream) {
  // Something may have been put back meanwhile.
  if ((state[kState] & (kErrored | kCloseEmitted | kEndEmitted)) !== 0 || state.length !== 0) return;
  state[kState] |= kEndEmitted;
  stream.emit('end');

  if (stream.writable && stream.allowHalfOpen === false) {
    process.nextTick(endWritableNT, stream);
  } else if ((state[kState] & kAutoDestroy) !== 0) {
    const w = stream._writableState;
    if (!w || (w.autoDestroy && (w.finished || w.writable === false))) stream.destroy();
  }
}

function endWritableNT(stream) {
  if (stream.writable && !stream.writableEnded && !stream.destroyed) stream.end();
}

/** Reads from an emitter of 'data' and 'end' that predates Readable. */
Readable.prototype.wrap = function(stream) {
  let paused = false;
  stream.on('data', (chunk) => {
    if (!this.push(chunk) && stream.pause) {
      paused = true;
      stream.pause();
    }
  });
  stream.on('end', () => this.push(null));
  stream.on('error', (err) => errorOrDestroy(this, err));
  stream.on('close', () => destroyImpl.destroyer(this));
  stream.on('destroy', () => destroyImpl.destroyer(this));
  this._read = () => {
    if (paused && stream.resume) {
      paused = false;
      stream.resume();
    }
  };
  // The rest of its methods stay at hand.
  for (const key of Object.keys(stream)) {
    if (this[key] === undefined && typeof stream[key] === 'function') this[key] = stream[key].bind(stream);
  }
  return this;
};

// --- public properties ---

Object.defineProperties(proto, {
  readable: {
    __proto__: null,
    get() {
      const r = this._readableState;
      // r.readable === false: this side of a duplex never was.
      return !!r && r.readable !== false &&
        (r[kState] & (kDestroyed | kErrorEmitted | kEndEmitted)) === 0;
    },
    set(value) {
      if (this._readableState) this._readableState.readable = !!value;
    },
  },
  readableDidRead: {
    __proto__: null,
    enumerable: false,
    get() {
      return this._readableState.dataEmitted;
    },
  },
  readableAborted: {
    __proto__: null,
    enumerable: false,
    get() {
      const r = this._readableState;
      return !!(r.readable !== false && (r.destroyed || r.errored) && !r.endEmitted);
    },
  },
  readableHighWaterMark: {
    __proto__: null,
    enumerable: false,
    get() {
      return this._readableState.highWaterMark;
    },
  },
  readableBuffer: {
    __proto__: null,
    enumerable: false,
    get() {
      return this._readableState?.buffer;
    },
  },
  readableFlowing: {
    __proto__: null,
    enumerable: false,
    get() {
      return this._readableState.flowing;
    },
    set(value) {
      if (this._readableState) this._readableState.flowing = value;
    },
  },
  readableLength: {
    __proto__: null,
    enumerable: false,
    get() {
      return this._readableState.length;
    },
  },
  readableObjectMode: {
    __proto__: null,
    enumerable: false,
    get() {
      return this._readableState ? this._readableState.objectMode : false;
    },
  },
  readableEncoding: {
    __proto__: null,
    enumerable: false,
    get() {
      return this._readableState ? this._readableState.encoding : null;
    },
  },
  errored: {
    __proto__: null,
    enumerable: false,
    get() {
      return this._readableState ? this._readableState.errored : null;
    },
  },
  closed: {
    __proto__: null,
    get() {
      return this._readableState ? this._readableState.closed : false;
    },
  },
  destroyed: {
    __proto__: null,
    enumerable: false,
    get() {
      return this._readableState ? this._readableState.destroyed : false;
    },
    set(value) {
      // Before construction there is nothing to destroy.
      if (this._readableState) this._readableState.destroyed = value;
    },
  },
  readableEnded: {
    __proto__: null,
    enumerable: false,
    get() {
      return this._readableState ? this._readableState.endEmitted : false;
    },
  },
});

Readable.ReadableState = ReadableState;
Readable._fromList = takeFromBuffer;
Readable.from = function(iterable, opts) {
  return require('#stream/from')(Readable, iterable, opts);
};
Readable.fromWeb = function(readableStream, options) {
  return require('#stream/web_adapters').newStreamReadableFromReadableStream(readableStream, options);
};
Readable.toWeb = function(streamReadable, options) {
  return require('#stream/web_adapters').newReadableStreamFromStreamReadable(streamReadable, options);
};
Readable.wrap = function(src, options) {
  return new Readable({
    objectMode: src.readableObjectMode ?? src.objectMode ?? true,
    ...options,
    destroy(err, callback) {
      destroyImpl.destroyer(src, err);
      callback(err);
    },
  }).wrap(src);
};

require('#stream/pipe').install(proto);
require('#stream/iterate').install(Readable);
