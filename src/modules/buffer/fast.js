'use strict';

// The class behind every Buffer, and the pool that small ones are cut from.

const { getOptionValue, remembered } = require('#runtime/options');

const native = binding('buffer');

/**
 * Buffers are instances of this class, whose prototype is Buffer.prototype: `Buffer` itself is a function, so that it
 * can still be called without `new`.
 */
class FastBuffer extends Uint8Array {
  // The explicit constructor spares V8 the iteration of rest parameters.
  constructor(bufferOrLength, byteOffset, length) {
    super(bufferOrLength, byteOffset, length);
  }
}

/** `Buffer.poolSize` is a writable property of the public function; buffer.js hands the function over. */
let owner = { poolSize: 8192 };

// The pool is made when first needed: a start-up snapshot must not carry memory of its own.
let pool;          // its ArrayBuffer
let poolBytes;     // a FastBuffer over all of it
let poolSize = 0;
let poolOffset = 0;

function setPoolOwner(constructor) {
  owner = constructor;
}

function createPool() {
  poolSize = owner.poolSize;
  poolBytes = createUnsafe(poolSize);
  pool = poolBytes.buffer;
  poolOffset = 0;
  native.markUntransferable(pool);
}

/** What the start's rehearsal left in the pool goes into no snapshot. */
function forgetPool() {
  pool = poolBytes = undefined;
  poolSize = poolOffset = 0;
}

const isZeroFilled = remembered(() => getOptionValue('--zero-fill-buffers') === true);

/** A buffer of its own whose memory is not cleared. */
function createUnsafe(size) {
  if (size <= 64 || isZeroFilled()) return new FastBuffer(size);
  return new FastBuffer(native.createUnsafeArrayBuffer(size));
}

/** Whether something of this size comes from the pool. */
function isPooled(size) {
  return size < (owner.poolSize >>> 1);
}

/** Makes room for `size` bytes in the pool. */
function reserve(size) {
  if (size > poolSize - poolOffset) createPool();
}

/** Cuts the next `size` bytes off the pool. Later cuts start at a multiple of 8. */
function cut(size) {
  const buffer = new FastBuffer(pool, poolOffset, size);
  poolOffset = (poolOffset + size + 7) & ~7;
  return buffer;
}

/** An uncleared buffer, from the pool if it is small. */
function allocate(size) {
  if (size <= 0) return new FastBuffer();
  if (size < (owner.poolSize >>> 1)) {
    if (size > poolSize - poolOffset) createPool();
    return cut(size);
  }
  return createUnsafe(size);
}

/**
 * A buffer of a string.
 * @param {string} string
 * @param {number} bound the most bytes that it can take
 * @param {(target: Uint8Array, string: string, offset: number, length: number) => number} write
 */
function fromString(string, bound, write) {
  if (isPooled(bound)) {
    reserve(bound);
    return cut(write(poolBytes, string, poolOffset, bound));
  }
  const buffer = createUnsafe(bound);
  const written = write(buffer, string, 0, bound);
  return written === bound ? buffer : new FastBuffer(buffer.buffer, 0, written);
}

const { byteLengthUtf8, utf8Write } = native;

/** A buffer of a string in UTF-8: written into the pool without measuring it first if it surely fits. */
function fromUtf8(string) {
  const bound = string.length * 3;
  if (bound === 0) return new FastBuffer();
  if (bound < (owner.poolSize >>> 1)) {
    if (bound > poolSize - poolOffset) createPool();
    return cut(utf8Write(poolBytes, string, poolOffset, bound));
  }
  return fromString(string, byteLengthUtf8(string), utf8Write);
}

module.exports = { FastBuffer, allocate, createUnsafe, fromString, fromUtf8, setPoolOwner, forgetPool };
