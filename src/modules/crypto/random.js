'use strict';
// randomBytes, randomFill, randomInt, randomUUID and the web's getRandomValues.

const { Buffer } = require('buffer');
const {
  codes: { ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE },
} = require('#internal/errors');
const { validateBoolean, validateFunction, validateNumber, validateObject } = require('#internal/validators');
const { asBytes, isAnyArrayBuffer } = require('#crypto/util');

const native = binding('crypto');
const FastBuffer = Buffer.from([]).constructor[Symbol.species] ?? Buffer;

const kMaxInt32 = 2 ** 31 - 1;
const kMaxRandomInt = 2 ** 48 - 1;

// A block of random bytes, filled by OpenSSL when first needed (never in a start-up snapshot) and when used up.
// Bytes given out are wiped, so that nothing in memory tells what was handed out before.
const kPoolSize = 4096;
const kSmall = 64;
let pool;
let poolOffset = kPoolSize;

/** Makes `size` (<= kSmall) bytes available from the offset that it returns. */
function reserve(size) {
  if (poolOffset + size > kPoolSize) {
    pool ??= new Uint8Array(kPoolSize);
    native.randomFill(pool, 0, kPoolSize, undefined);
    poolOffset = 0;
  }
  const offset = poolOffset;
  poolOffset += size;
  return offset;
}

function smallRandomBytes(size) {
  const from = reserve(size);
  const block = pool;
  const buffer = new FastBuffer(size);
  for (let i = 0; i < size; i++) {
    buffer[i] = block[from + i];
    block[from + i] = 0;
  }
  return buffer;
}

function assertOffset(offset, elementSize, length) {
  validateNumber(offset, 'offset');
  offset *= elementSize;
  const max = Math.min(length, kMaxInt32);
  if (Number.isNaN(offset) || offset > max || offset < 0) {
    throw new ERR_OUT_OF_RANGE('offset', `>= 0 && <= ${max}`, offset);
  }
  return offset >>> 0;
}

function assertSize(size, elementSize, offset, length) {
  validateNumber(size, 'size');
  size *= elementSize;
  if (Number.isNaN(size) || size > kMaxInt32 || size < 0) {
    throw new ERR_OUT_OF_RANGE('size', `>= 0 && <= ${kMaxInt32}`, size);
  }
  if (size + offset > length) throw new ERR_OUT_OF_RANGE('size + offset', `<= ${length}`, size + offset);
  return size >>> 0;
}

function randomBytes(size, callback) {
  size = assertSize(size, 1, 0, Infinity);
  if (callback !== undefined) validateFunction(callback, 'callback');
  if (callback === undefined) {
    if (size <= kSmall && size > 0) return smallRandomBytes(size);
    const buffer = new FastBuffer(size);
    native.randomFill(buffer, 0, size, undefined);
    return buffer;
  }
  const buffer = new FastBuffer(size);
  native.randomFill(buffer, 0, size, (error) => {
    if (error) callback(error);
    else callback(null, buffer);
  });
}

function validateTarget(buf) {
  if (!isAnyArrayBuffer(buf) && !ArrayBuffer.isView(buf)) {
    throw new ERR_INVALID_ARG_TYPE('buf', ['ArrayBuffer', 'ArrayBufferView'], buf);
  }
}

function randomFillSync(buf, offset = 0, size) {
  validateTarget(buf);
  const elementSize = buf.BYTES_PER_ELEMENT || 1;
  offset = assertOffset(offset, elementSize, buf.byteLength);
  if (size === undefined) size = buf.byteLength - offset;
  else size = assertSize(size, elementSize, offset, buf.byteLength);
  if (size === 0) return buf;
  native.randomFill(asBytes(buf), offset, size, undefined);
  return buf;
}

function randomFill(buf, offset, size, callback) {
  validateTarget(buf);
  const elementSize = buf.BYTES_PER_ELEMENT || 1;
  if (typeof offset === 'function') {
    callback = offset;
    offset = 0;
    size = buf.length;
    if (size === undefined) size = buf.byteLength;
    else size *= elementSize;
    size = buf.byteLength;
  } else if (typeof size === 'function') {
    callback = size;
    offset = assertOffset(offset, elementSize, buf.byteLength);
    size = buf.byteLength - offset;
  } else {
    validateFunction(callback, 'callback');
    offset = assertOffset(offset, elementSize, buf.byteLength);
    size = size === undefined ? buf.byteLength - offset :
      assertSize(size, elementSize, offset, buf.byteLength);
  }
  validateFunction(callback, 'callback');
  if (size === 0) {
    callback(null, buf);
    return;
  }
  native.randomFill(asBytes(buf), offset, size, (error) => {
    if (error) callback(error);
    else callback(null, buf);
  });
}

/** A number of 48 bits. */
function random48() {
  const from = reserve(6);
  let value = 0;
  for (let i = 0; i < 6; i++) {
    value = value * 256 + pool[from + i];
    pool[from + i] = 0;
  }
  return value;
}

function randomInt(min, max, callback) {
  // randomInt(max), randomInt(max, callback): a lower limit of 0.
  const minNotSpecified = max === undefined || typeof max === 'function';
  if (minNotSpecified) {
    callback = max;
    max = min;
    min = 0;
  }
  const isSync = callback === undefined;
  if (!isSync) validateFunction(callback, 'callback');
  if (!Number.isSafeInteger(min)) throw new ERR_INVALID_ARG_TYPE('min', 'a safe integer', min);
  if (!Number.isSafeInteger(max)) throw new ERR_INVALID_ARG_TYPE('max', 'a safe integer', max);
  if (max <= min) {
    throw new ERR_OUT_OF_RANGE('max', `greater than the value of "min" (${min})`, max);
  }
  const range = max - min;
  if (!(range <= kMaxRandomInt) && minNotSpecified) {
    throw new ERR_OUT_OF_RANGE('max', `<= ${kMaxRandomInt}`, max);
  }
  if (!(range <= kMaxRandomInt)) throw new ERR_OUT_OF_RANGE('max - min', `<= ${kMaxRandomInt}`, range);

  // Values at or above the largest multiple of `range` are drawn again: the others are all equally likely.
  const limit = kMaxRandomInt - (kMaxRandomInt % range);
  let value;
  do {
    value = random48();
  } while (value >= limit);
  const result = (value % range) + min;
  if (isSync) return result;
  process.nextTick(callback, undefined, result);
}

const kHex = [];
for (let i = 0; i < 256; i++) kHex.push((i < 16 ? '0' : '') + i.toString(16));

/** RFC 9562, section 5.4. */
function formatUuid(bytes, at) {
  return kHex[bytes[at]] + kHex[bytes[at + 1]] + kHex[bytes[at + 2]] + kHex[bytes[at + 3]] + '-' +
    kHex[bytes[at + 4]] + kHex[bytes[at + 5]] + '-' +
    kHex[(bytes[at + 6] & 0x0f) | 0x40] + kHex[bytes[at + 7]] + '-' +
    kHex[(bytes[at + 8] & 0x3f) | 0x80] + kHex[bytes[at + 9]] + '-' +
    kHex[bytes[at + 10]] + kHex[bytes[at + 11]] + kHex[bytes[at + 12]] +
    kHex[bytes[at + 13]] + kHex[bytes[at + 14]] + kHex[bytes[at + 15]];
}

function randomUUID(options) {
  if (options !== undefined) {
    validateObject(options, 'options');
    const { disableEntropyCache = false } = options;
    validateBoolean(disableEntropyCache, 'options.disableEntropyCache');
    if (disableEntropyCache) {
      const bytes = new Uint8Array(16);
      native.randomFill(bytes, 0, 16, undefined);
      return formatUuid(bytes, 0);
    }
  }
  const from = reserve(16);
  const uuid = formatUuid(pool, from);
  pool.fill(0, from, from + 16);
  return uuid;
}

const kIntegerArrays = new Set(['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array',
  'Int32Array', 'Uint32Array', 'BigInt64Array', 'BigUint64Array']);
const typedArrayTag = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;

/** https://w3c.github.io/webcrypto/#Crypto-method-getRandomValues */
function getRandomValues(data) {
  if (!kIntegerArrays.has(Reflect.apply(typedArrayTag, data, []))) {
    throw new DOMException('The data argument must be an integer-type TypedArray', 'TypeMismatchError');
  }
  if (data.byteLength > 65536) {
    throw new DOMException('The requested length exceeds 65,536 bytes', 'QuotaExceededError');
  }
  randomFillSync(data, 0);
  return data;
}

module.exports = {
  getRandomValues,
  randomBytes,
  randomFill,
  randomFillSync,
  randomInt,
  randomUUID,
};
