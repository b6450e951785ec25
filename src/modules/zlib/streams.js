'use strict';
// The stream classes of node:zlib. Each chunk is compressed or decompressed on the zlib lane, one output block at
// a time, and no further block is made while the reader is behind.

const assert = require('#internal/assert');
const { Buffer } = require('buffer');
const { Transform, finished } = require('stream');
const {
  codes: { ERR_BUFFER_TOO_LARGE, ERR_TRAILING_JUNK_AFTER_STREAM_END },
} = require('#internal/errors');
const { deprecateInstantiation } = require('#internal/util');
const { constants } = require('#zlib/constants');
const { inRange, resolveOptions } = require('#zlib/options');

const native = binding('zlib');
const { Z_SYNC_FLUSH } = constants;

const kFlushFlag = Symbol('kFlushFlag');
const kError = Symbol('kError');
const kWaiting = Symbol('kWaiting');
const kFamily = Symbol('kFamily');

/** Errors of the native side carry what zlib, brotli or zstd said. */
function makeError({ message, errno, code }) {
  const error = new Error(message);
  error.errno = errno;
  error.code = code;
  return error;
}

/** A new native codec; what it refuses is an initialisation error. */
function makeCodec(mode, resolved) {
  return new native.Codec(mode, resolved.params, resolved.dictionary);
}

function ZlibBase(options, mode, resolved) {
  if (options && (options.encoding || options.objectMode || options.writableObjectMode)) {
    options = { ...options, encoding: null, objectMode: false, writableObjectMode: false };
  }
  Transform.call(this, { autoDestroy: true, ...options });
  const { common } = resolved;
  this._writeState = new Uint32Array(2);
  this.bytesWritten = 0;
  this._handle = makeCodec(mode, resolved);
  this._outBuffer = Buffer.allocUnsafe(common.chunkSize);
  this._outOffset = 0;
  this._chunkSize = common.chunkSize;
  this._defaultFlushFlag = common.flush;
  this._finishFlushFlag = common.finishFlush;
  this._defaultFullFlushFlag = common.fullFlush;
  this._info = common.info;
  this._maxOutputLength = common.maxOutputLength;
  this._rejectGarbageAfterEnd = common.rejectGarbageAfterEnd;
  this[kError] = null;
  this[kWaiting] = null;
}
Object.setPrototypeOf(ZlibBase.prototype, Transform.prototype);
Object.setPrototypeOf(ZlibBase, Transform);

Object.defineProperty(ZlibBase.prototype, '_closed', {
  __proto__: null,
  configurable: true,
  enumerable: true,
  get() {
    return !this._handle;
  },
});

ZlibBase.prototype.reset = function reset() {
  assert(this._handle, 'zlib binding closed');
  return this._handle.reset();
};

ZlibBase.prototype._flush = function _flush(callback) {
  this._transform(Buffer.alloc(0), '', callback);
};

/** Order of the flush values by how much they flush: none, block, partial, sync, full, finish. */
const kFlushStrength = [0, 2, 3, 4, 5, 1];

/** The stronger of two flush values. */
function strongerFlush(a, b, family) {
  if (family !== 'zlib') return a > b ? a : b;
  return kFlushStrength[a] > kFlushStrength[b] ? a : b;
}

/** A chunk that only carries a flush value through the stream, in order with the data. */
function flushChunk(kind) {
  const chunk = Buffer.alloc(0);
  chunk[kFlushFlag] = kind;
  return chunk;
}

ZlibBase.prototype.flush = function flush(kind, callback) {
  if (typeof kind === 'function' || (kind === undefined && !callback)) {
    callback = kind;
    kind = this._defaultFullFlushFlag;
  }
  if (this.writableFinished) {
    if (callback) process.nextTick(callback);
  } else if (this.writableEnded) {
    if (callback) this.once('end', callback);
  } else {
    this.write(flushChunk(kind), '', callback);
  }
};

ZlibBase.prototype.close = function close(callback) {
  if (callback) finished(this, callback);
  this.destroy();
};

ZlibBase.prototype._destroy = function _destroy(error, callback) {
  closeCodec(this);
  callback(error);
};

function closeCodec(stream) {
  stream._handle?.close();
  stream._handle = null;
}

ZlibBase.prototype._transform = function _transform(chunk, encoding, callback) {
  let flushFlag = this._defaultFlushFlag;
  if (typeof chunk[kFlushFlag] === 'number') {
    flushFlag = chunk[kFlushFlag];
  }
  if (this.writableEnded && this.writableLength === chunk.byteLength) {
    // The last chunk: finishing here makes no empty block at the end.
    flushFlag = strongerFlush(flushFlag, this._finishFlushFlag, this[kFamily]);
  }
  processChunk(this, chunk, flushFlag, callback);
};

ZlibBase.prototype._processChunk = function _processChunk(chunk, flushFlag, callback) {
  if (typeof callback === 'function') processChunk(this, chunk, flushFlag, callback);
  else return processChunkSync(this, chunk, flushFlag);
};

/** Takes what one native step wrote out of the output block. */
function takeOutput(stream, written) {
  const { _outBuffer: block, _outOffset: from } = stream;
  stream._outOffset += written;
  return block.slice(from, from + written);
}

function renewBlock(stream) {
  stream._outOffset = 0;
  stream._outBuffer = Buffer.allocUnsafe(stream._chunkSize);
}

function processChunkSync(stream, chunk, flushFlag) {
  assert(stream._handle, 'zlib binding closed');
  const state = stream._writeState;
  const pieces = [];
  let total = 0;
  let offset = 0;
  let remaining = chunk.byteLength;
  for (;;) {
    const room = stream._chunkSize - stream._outOffset;
    const failure = stream._handle.writeSync(flushFlag, chunk, offset, remaining, stream._outBuffer,
      stream._outOffset, room, state);
    if (failure !== undefined) {
      stream[kError] = makeError(failure);
      stream.destroy();
      throw stream[kError];
    }
    const [roomLeft, left] = state;
    offset += remaining - left;
    stream.bytesWritten += remaining - left;
    remaining = left;
    const written = room - roomLeft;
    if (written > 0) {
      const piece = takeOutput(stream, written);
      pieces.push(piece);
      total += piece.byteLength;
      if (total > stream._maxOutputLength) {
        closeCodec(stream);
        throw new ERR_BUFFER_TOO_LARGE(stream._maxOutputLength);
      }
    }
    if (roomLeft === 0 || stream._outOffset >= stream._chunkSize) renewBlock(stream);
    if (roomLeft !== 0) break;
  }
  closeCodec(stream);
  return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces, total);
}

function processChunk(stream, chunk, flushFlag, callback) {
  if (!stream._handle) return process.nextTick(callback);
  const job = { stream, chunk, flushFlag, callback, offset: 0, remaining: chunk.byteLength, room: 0 };
  step(job);
}

/** One native step of a chunk. */
function step(job) {
  const { stream } = job;
  job.room = stream._chunkSize - stream._outOffset;
  stream._handle.write(job.flushFlag, job.chunk, job.offset, job.remaining, stream._outBuffer, stream._outOffset,
    job.room, stream._writeState, (failure) => afterStep(job, failure));
}

function afterStep(job, failure) {
  const { stream, callback } = job;
  if (stream.destroyed) return callback();
  if (failure !== undefined) {
    // The stream is destroyed rather than told through the callback: what is buffered has no meaning any more.
    stream[kError] = makeError(failure);
    stream.destroy(stream[kError]);
    return;
  }
  const [roomLeft, left] = stream._writeState;
  const written = job.room - roomLeft;
  job.offset += job.remaining - left;
  stream.bytesWritten += job.remaining - left;
  job.remaining = left;

  let readerIsBehind = false;
  if (written > 0) readerIsBehind = !stream.push(takeOutput(stream, written));
  if (stream.destroyed) return callback();
  if (roomLeft === 0 || stream._outOffset >= stream._chunkSize) renewBlock(stream);

  if (roomLeft === 0) {
    // There is more to come of this chunk.
    if (readerIsBehind) stream[kWaiting] = job;
    else step(job);
    return;
  }
  if (left > 0) {
    // Room for output, and input that the library does not want: the compressed data ended before the input did.
    if (stream._rejectGarbageAfterEnd) {
      stream.destroy(new ERR_TRAILING_JUNK_AFTER_STREAM_END());
      return;
    }
    stream.push(null);
  }
  callback();
}

ZlibBase.prototype._read = function _read(size) {
  const job = this[kWaiting];
  if (job !== null && job !== undefined) {
    this[kWaiting] = null;
    if (this._handle) step(job);
    return;
  }
  Reflect.apply(Transform.prototype._read, this, [size]);
};

// --- zlib ---

function Zlib(options, mode) {
  const resolved = resolveOptions(options, mode);
  ZlibBase.call(this, options, mode, resolved);
  this._level = resolved.own.level;
  this._strategy = resolved.own.strategy;
  this._mode = mode;
}
Object.setPrototypeOf(Zlib.prototype, ZlibBase.prototype);
Object.setPrototypeOf(Zlib, ZlibBase);
Object.defineProperty(ZlibBase.prototype, kFamily, { __proto__: null, value: 'zlib', writable: true });

Zlib.prototype.params = function params(level, strategy, callback) {
  level = inRange(level, 'level', constants.Z_MIN_LEVEL, constants.Z_MAX_LEVEL, constants.Z_DEFAULT_LEVEL);
  strategy = inRange(strategy, 'strategy', constants.Z_DEFAULT_STRATEGY, constants.Z_FIXED,
    constants.Z_DEFAULT_STRATEGY);
  if (this._level === level && this._strategy === strategy) {
    process.nextTick(callback);
    return;
  }
  this.flush(Z_SYNC_FLUSH, () => {
    assert(this._handle, 'zlib binding closed');
    const failure = this._handle.params(level, strategy);
    if (failure !== undefined) {
      this.destroy(makeError(failure));
      return;
    }
    if (!this.destroyed) {
      this._level = level;
      this._strategy = strategy;
      callback?.();
    }
  });
};

// --- brotli ---

function Brotli(options, mode) {
  assert(mode === constants.BROTLI_DECODE || mode === constants.BROTLI_ENCODE);
  ZlibBase.call(this, options, mode, resolveOptions(options, mode));
}
Object.setPrototypeOf(Brotli.prototype, ZlibBase.prototype);
Object.setPrototypeOf(Brotli, ZlibBase);
Object.defineProperty(Brotli.prototype, kFamily, { __proto__: null, value: 'brotli', writable: true });

// --- zstd ---

class Zstd extends ZlibBase {
  constructor(options, mode, resolved = resolveOptions(options, mode), _initial) {
    super(options, mode, resolved);
  }
}
Object.defineProperty(Zstd.prototype, kFamily, { __proto__: null, value: 'zstd', writable: true });

class ZstdCompress extends Zstd {
  constructor(options) {
    super(options, constants.ZSTD_COMPRESS);
  }
}

class ZstdDecompress extends Zstd {
  constructor(options) {
    super(options, constants.ZSTD_DECOMPRESS);
  }
}

/** A class of functions in the old style: `Gzip(options)` without `new` still works, with a warning. */
function define(name, Base, mode) {
  const holder = {
    [name]: function(options) {
      if (!(this instanceof holder[name])) return deprecateInstantiation(holder[name], 'DEP0184', options);
      Reflect.apply(Base, this, [options, mode]);
    },
  };
  const Class = holder[name];
  Object.setPrototypeOf(Class.prototype, Base.prototype);
  Object.setPrototypeOf(Class, Base);
  return Class;
}

const Deflate = define('Deflate', Zlib, constants.DEFLATE);
const Inflate = define('Inflate', Zlib, constants.INFLATE);
const Gzip = define('Gzip', Zlib, constants.GZIP);
const Gunzip = define('Gunzip', Zlib, constants.GUNZIP);
const DeflateRaw = define('DeflateRaw', Zlib, constants.DEFLATERAW);
const InflateRaw = define('InflateRaw', Zlib, constants.INFLATERAW);
const Unzip = define('Unzip', Zlib, constants.UNZIP);
const BrotliCompress = define('BrotliCompress', Brotli, constants.BROTLI_ENCODE);
const BrotliDecompress = define('BrotliDecompress', Brotli, constants.BROTLI_DECODE);

module.exports = {
  BrotliCompress,
  BrotliDecompress,
  Deflate,
  DeflateRaw,
  Gunzip,
  Gzip,
  Inflate,
  InflateRaw,
  Unzip,
  ZlibBase,
  ZstdCompress,
  ZstdDecompress,
  makeError,
};
