'use strict';

// node:buffer. The prototype's parts are in numbers.js (readers and writers) and search.js; this file has the
// constructor, its static functions, and what remains.

const native = binding('buffer');
const {
  codes: {
    ERR_BUFFER_OUT_OF_BOUNDS, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_BUFFER_SIZE, ERR_INVALID_STATE,
    ERR_OUT_OF_RANGE, ERR_UNKNOWN_ENCODING,
  },
} = require('#internal/errors');
const { validateArray, validateInteger, validateNumber } = require('#internal/validators');
const { FastBuffer, allocate, createUnsafe, fromUtf8, setPoolOwner } = require('#buffer/fast');
const { encodings, getEncoding } = require('#buffer/encodings');
const { methods: numberMethods } = require('#buffer/numbers');
const { methods: searchMethods } = require('#buffer/search');

const { kMaxLength, kStringMaxLength, utf8Slice, utf8Write, compare: nativeCompare } = native;
const { constants: { ALL_PROPERTIES, ONLY_ENUMERABLE }, getOwnNonIndexProperties } = binding('util');
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');
const TypedArray = Object.getPrototypeOf(Uint8Array);
const typedArrayTag = Object.getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get;
const byteLengthOfView = Object.getOwnPropertyDescriptor(TypedArray.prototype, 'byteLength').get;

let inspectMaxBytes = 50;

function isUint8Array(value) {
  return value instanceof FastBuffer ||
    (typeof value === 'object' && value !== null && typedArrayTag.call(value) === 'Uint8Array');
}

const isAnyArrayBuffer = native.isAnyArrayBuffer;

function validateSize(size) {
  validateNumber(size, 'size', 0, kMaxLength);
}

// --- the constructor ---

/**
 * @param {string | number | object} arg
 * @param {string | number} [encodingOrOffset]
 * @param {number} [length]
 */
function Buffer(arg, encodingOrOffset, length) {
  require('#buffer/deprecation').warnOfConstructor();
  if (typeof arg === 'number') {
    if (typeof encodingOrOffset === 'string') throw new ERR_INVALID_ARG_TYPE('string', 'string', arg);
    return Buffer.alloc(arg);
  }
  return Buffer.from(arg, encodingOrOffset, length);
}

Object.setPrototypeOf(Buffer, Uint8Array);
Buffer.prototype = FastBuffer.prototype;
Object.defineProperty(Buffer.prototype, 'constructor', {
  __proto__: null, value: Buffer, writable: true, configurable: true, enumerable: false,
});

Buffer.poolSize = 8 * 1024;
setPoolOwner(Buffer);

Buffer.from = function from(value, encodingOrOffset, length) {
  if (typeof value === 'string') return fromString(value, encodingOrOffset);
  if (typeof value === 'object' && value !== null) {
    const result = fromObject(value, encodingOrOffset, length);
    if (result !== undefined) return result;
  }
  throw new ERR_INVALID_ARG_TYPE(
    'first argument', ['string', 'Buffer', 'ArrayBuffer', 'Array', 'Array-like Object'], value);
};

function fromString(string, encoding) {
  if (typeof encoding !== 'string' || encoding.length === 0 || encoding === 'utf8') return fromUtf8(string);
  const found = getEncoding(encoding);
  if (found === undefined) throw new ERR_UNKNOWN_ENCODING(encoding);
  return string.length === 0 ? new FastBuffer() : found.from(string);
}

function fromObject(value, encodingOrOffset, length) {
  if (isAnyArrayBuffer(value)) return fromArrayBuffer(value, encodingOrOffset, length);
  const primitive = value.valueOf?.();
  if (primitive !== undefined && primitive !== null && primitive !== value &&
      (typeof primitive === 'string' || typeof primitive === 'object')) {
    return Buffer.from(primitive, encodingOrOffset, length);
  }
  if (value.length !== undefined || isAnyArrayBuffer(value.buffer)) {
    return typeof value.length === 'number' ? fromArrayLike(value) : new FastBuffer();
  }
  if (value.type === 'Buffer' && Array.isArray(value.data)) return fromArrayLike(value.data);
  const toPrimitive = value[Symbol.toPrimitive];
  if (typeof toPrimitive === 'function') {
    const string = toPrimitive.call(value, 'string');
    if (typeof string === 'string') return fromString(string, encodingOrOffset);
  }
  return undefined;
}

function fromArrayBuffer(memory, byteOffset, length) {
  byteOffset = byteOffset === undefined ? 0 : +byteOffset;
  if (Number.isNaN(byteOffset)) byteOffset = 0;
  const room = memory.byteLength - byteOffset;
  if (room < 0) throw new ERR_BUFFER_OUT_OF_BOUNDS('offset');
  if (length === undefined) return new FastBuffer(memory, byteOffset, memory.resizable ? undefined : room);
  length = +length;
  if (!(length > 0)) return new FastBuffer(memory, byteOffset, 0);
  if (length > room) throw new ERR_BUFFER_OUT_OF_BOUNDS('length');
  return new FastBuffer(memory, byteOffset, length);
}

function fromArrayLike(source) {
  const { length } = source;
  if (!(length > 0)) return new FastBuffer();
  const buffer = allocate(Math.trunc(length));
  buffer.set(source);
  return buffer;
}

Buffer.copyBytesFrom = function copyBytesFrom(view, offset, length) {
  const tag = typeof view === 'object' && view !== null ? typedArrayTag.call(view) : undefined;
  if (tag === undefined) throw new ERR_INVALID_ARG_TYPE('view', ['TypedArray'], view);
  const size = view.length;
  if (size === 0) return new FastBuffer();
  if (offset === undefined) offset = 0;
  else validateInteger(offset, 'offset', 0);
  if (offset >= size) return new FastBuffer();
  let end = size;
  if (length !== undefined) {
    validateInteger(length, 'length', 0);
    end = Math.min(offset + length, size);
  }
  const part = TypedArray.prototype.slice.call(view, offset, end);
  return fromArrayLike(new Uint8Array(part.buffer, part.byteOffset, byteLengthOfView.call(part)));
};

// A method, since that is no constructor, as %TypedArray%.of is none.
Buffer.of = {
  of(...items) {
    const buffer = allocate(items.length);
    for (let i = 0; i < items.length; i++) buffer[i] = items[i];
    return buffer;
  },
}.of;

Buffer.alloc = function alloc(size, fill, encoding) {
  validateSize(size);
  if (fill !== undefined && fill !== 0 && size > 0) {
    return fillBuffer(createUnsafe(size), fill, 0, size, encoding);
  }
  return new FastBuffer(size);
};

Buffer.allocUnsafe = function allocUnsafe(size) {
  validateSize(size);
  return allocate(size);
};

Buffer.allocUnsafeSlow = function allocUnsafeSlow(size) {
  validateSize(size);
  return createUnsafe(size);
};

Buffer.isBuffer = function isBuffer(b) {
  return b instanceof Buffer;
};

Buffer.compare = function compare(buf1, buf2) {
  if (!isUint8Array(buf1)) throw new ERR_INVALID_ARG_TYPE('buf1', ['Buffer', 'Uint8Array'], buf1);
  if (!isUint8Array(buf2)) throw new ERR_INVALID_ARG_TYPE('buf2', ['Buffer', 'Uint8Array'], buf2);
  return buf1 === buf2 ? 0 : nativeCompare(buf1, buf2);
};

Buffer.isEncoding = function isEncoding(encoding) {
  return typeof encoding === 'string' && encoding.length !== 0 && getEncoding(encoding) !== undefined;
};

Buffer.concat = function concat(list, length) {
  validateArray(list, 'list');
  if (list.length === 0) return new FastBuffer();
  if (length === undefined) {
    length = 0;
    for (let i = 0; i < list.length; i++) {
      if (list[i].length) length += list[i].length;
    }
  } else {
    validateInteger(length, 'length', 0);
  }
  const buffer = Buffer.allocUnsafe(length);
  let at = 0;
  for (let i = 0; i < list.length; i++) {
    const part = list[i];
    if (!isUint8Array(part)) throw new ERR_INVALID_ARG_TYPE(`list[${i}]`, ['Buffer', 'Uint8Array'], part);
    const size = part.length;
    if (at + size > length) {
      TypedArray.prototype.set.call(buffer, part.subarray(0, length - at), at);
      at = length;
      break;
    }
    TypedArray.prototype.set.call(buffer, part, at);
    at += size;
  }
  // `list` may hold less than the caller said: what was not written must not show old memory.
  if (at < length) TypedArray.prototype.fill.call(buffer, 0, at, length);
  return buffer;
};

Buffer.byteLength = function byteLength(string, encoding) {
  if (typeof string !== 'string') {
    if (ArrayBuffer.isView(string) || isAnyArrayBuffer(string)) return string.byteLength;
    throw new ERR_INVALID_ARG_TYPE('string', ['string', 'Buffer', 'ArrayBuffer'], string);
  }
  if (string.length === 0) return 0;
  if (!encoding) return native.byteLengthUtf8(string);
  return (getEncoding(encoding) ?? encodings.utf8).byteLength(string);
};

Object.defineProperty(Buffer, Symbol.species, {
  __proto__: null, configurable: true, enumerable: false, get() { return FastBuffer; },
});
Object.defineProperty(Buffer, Symbol('kIsEncodingSymbol'), {
  __proto__: null, configurable: true, enumerable: false, writable: true, value: Buffer.isEncoding,
});

// --- the prototype ---

Object.assign(Buffer.prototype, numberMethods);

for (const [name, slice] of [
  ['asciiSlice', native.asciiSlice], ['base64Slice', native.base64Slice], ['base64urlSlice', native.base64urlSlice],
  ['latin1Slice', native.latin1Slice], ['hexSlice', native.hexSlice], ['ucs2Slice', native.ucs2Slice],
  ['utf8Slice', native.utf8Slice],
]) {
  Buffer.prototype[name] = {
    [name](start = undefined, end = undefined) { return slice(this, start, end); },
  }[name];
}
/** These three refuse a length that does not fit; the others write as far as they can. */
function checkedWrite(write, buffer, string, offset, length) {
  const room = buffer.byteLength;
  if (offset < 0 || offset > room) throw new ERR_BUFFER_OUT_OF_BOUNDS('offset');
  if (length < 0 || length > room - offset) throw new ERR_BUFFER_OUT_OF_BOUNDS('length');
  return write(buffer, string, offset, length);
}

Buffer.prototype.asciiWrite = function asciiWrite(string, offset = 0, length = this.byteLength - offset) {
  return checkedWrite(native.asciiWrite, this, string, offset, length);
};
for (const [name, write] of [
  ['base64Write', native.base64Write], ['base64urlWrite', native.base64Write],
]) {
  Buffer.prototype[name] = {
    [name](string = undefined, offset = undefined, length = undefined) { return write(this, string, offset, length); },
  }[name];
}
Buffer.prototype.latin1Write = function latin1Write(string, offset = 0, length = this.byteLength - offset) {
  return checkedWrite(native.latin1Write, this, string, offset, length);
};
for (const [name, write] of [['hexWrite', native.hexWrite], ['ucs2Write', native.ucs2Write]]) {
  Buffer.prototype[name] = {
    [name](string = undefined, offset = undefined, length = undefined) { return write(this, string, offset, length); },
  }[name];
}
Buffer.prototype.utf8Write = function utf8Write(string, offset = 0, length = this.byteLength - offset) {
  return checkedWrite(native.utf8Write, this, string, offset, length);
};

Object.defineProperty(Buffer.prototype, 'parent', {
  __proto__: null,
  enumerable: true,
  get() { return this instanceof Buffer ? this.buffer : undefined; },
});
Object.defineProperty(Buffer.prototype, 'offset', {
  __proto__: null,
  enumerable: true,
  get() { return this instanceof Buffer ? this.byteOffset : undefined; },
});

/** Integer part of an optional argument. */
function toInteger(value, byDefault) {
  value = +value;
  return Number.isNaN(value) ? byDefault : Math.trunc(value);
}

Buffer.prototype.copy = function copy(target, targetStart, sourceStart, sourceEnd) {
  if (!ArrayBuffer.isView(this)) throw new ERR_INVALID_ARG_TYPE('source', ['Buffer', 'Uint8Array'], this);
  if (!ArrayBuffer.isView(target)) throw new ERR_INVALID_ARG_TYPE('target', ['Buffer', 'Uint8Array'], target);
  if (targetStart === undefined) targetStart = 0;
  else {
    targetStart = toInteger(targetStart, 0);
    if (targetStart < 0) throw new ERR_OUT_OF_RANGE('targetStart', '>= 0', targetStart);
  }
  const size = this.byteLength;
  if (sourceStart === undefined) sourceStart = 0;
  else {
    sourceStart = toInteger(sourceStart, 0);
    if (sourceStart < 0 || sourceStart > size) {
      throw new ERR_OUT_OF_RANGE('sourceStart', `>= 0 && <= ${size}`, sourceStart);
    }
  }
  if (sourceEnd === undefined) sourceEnd = size;
  else {
    sourceEnd = toInteger(sourceEnd, 0);
    if (sourceEnd < 0) throw new ERR_OUT_OF_RANGE('sourceEnd', '>= 0', sourceEnd);
    if (sourceEnd > size) sourceEnd = size;
  }
  const count = Math.min(sourceEnd - sourceStart, target.byteLength - targetStart);
  if (count <= 0) return 0;
  native.copy(this, target, targetStart, sourceStart, count);
  return count;
};

Buffer.prototype.toString = function toString(encoding, start, end) {
  if (arguments.length === 0) return utf8Slice(this, 0, this.length);
  const size = this.length;
  if (start <= 0) start = 0;
  else if (start >= size) return '';
  else start = Math.trunc(start) || 0;
  if (end === undefined || end > size) end = size;
  else end = Math.trunc(end) || 0;
  if (end <= start) return '';
  if (encoding === undefined) return utf8Slice(this, start, end);
  const found = getEncoding(encoding);
  if (found === undefined) throw new ERR_UNKNOWN_ENCODING(encoding);
  return found.slice(this, start, end);
};

Buffer.prototype.equals = function equals(otherBuffer) {
  if (!isUint8Array(otherBuffer)) {
    throw new ERR_INVALID_ARG_TYPE('otherBuffer', ['Buffer', 'Uint8Array'], otherBuffer);
  }
  if (this === otherBuffer) return true;
  if (this.byteLength !== otherBuffer.byteLength) return false;
  return this.byteLength === 0 || nativeCompare(this, otherBuffer) === 0;
};

Buffer.prototype[inspectSymbol] = function inspect(recurseTimes, ctx) {
  const limit = inspectMaxBytes;
  const shown = Math.min(limit, this.length);
  let text = native.hexSlice(this, 0, shown).replace(/(.{2})/g, '$1 ').trim();
  const remaining = this.length - limit;
  if (remaining > 0) text += ` ... ${remaining} more byte${remaining > 1 ? 's' : ''}`;
  if (ctx) {
    const extras = getOwnNonIndexProperties(this, ctx.showHidden ? ALL_PROPERTIES : ONLY_ENUMERABLE);
    if (extras.length > 0) {
      if (this.length !== 0) text += ', ';
      const object = { __proto__: null };
      for (const key of extras) object[key] = this[key];
      const { inspect: format } = require('util');
      text += format(object, { ...ctx, breakLength: Infinity, compact: true }).slice(27, -2);
    }
  }
  return `<${this.constructor.name} ${text}>`;
};

Buffer.prototype.inspect = Buffer.prototype[inspectSymbol];

Buffer.prototype.compare = function compare(target, targetStart, targetEnd, sourceStart, sourceEnd) {
  if (!isUint8Array(target)) throw new ERR_INVALID_ARG_TYPE('target', ['Buffer', 'Uint8Array'], target);
  if (arguments.length === 1) return nativeCompare(this, target);
  if (targetStart === undefined) targetStart = 0;
  else validateInteger(targetStart, 'targetStart', 0);
  if (targetEnd === undefined) targetEnd = target.length;
  else validateInteger(targetEnd, 'targetEnd', 0, target.length);
  if (sourceStart === undefined) sourceStart = 0;
  else validateInteger(sourceStart, 'sourceStart', 0);
  if (sourceEnd === undefined) sourceEnd = this.length;
  else validateInteger(sourceEnd, 'sourceEnd', 0, this.length);
  if (sourceStart >= sourceEnd) return targetStart >= targetEnd ? 0 : -1;
  if (targetStart >= targetEnd) return 1;
  return native.compareRanges(this, target, sourceStart, sourceEnd, targetStart, targetEnd);
};

Object.assign(Buffer.prototype, searchMethods);

Buffer.prototype.fill = function fill(value, offset, end, encoding) {
  return fillBuffer(this, value, offset, end, encoding);
};

/** Fills a range; the signature is `fill`'s, in which the encoding may come early. */
function fillBuffer(buffer, value, offset, end, encoding) {
  if (typeof value === 'string') {
    if (offset === undefined || typeof offset === 'string') {
      encoding = offset;
      offset = end = undefined;
    } else if (typeof end === 'string') {
      encoding = end;
      end = undefined;
    }
    const found = encodingForFill(encoding);
    value = value.length === 0 ? 0 : smallValue(value, found);
    if (typeof value === 'string') value = found.from(value);
    else encoding = undefined;
    if (typeof value === 'object' && value.length === 0) throw new ERR_INVALID_ARG_VALUE('value', arguments[1]);
  } else if (typeof value === 'boolean') {
    value = +value;
  }
  if (offset === undefined) {
    offset = 0;
    end = buffer.length;
  } else {
    validateNumber(offset, 'offset', 0);
    if (end === undefined) end = buffer.length;
    else validateNumber(end, 'end', 0, buffer.length);
    if (offset >= end) return buffer;
  }
  if (!isUint8Array(value)) {
    value = +value & 255;
    if (end > byteLengthOfView.call(buffer)) throw new ERR_BUFFER_OUT_OF_BOUNDS();
    TypedArray.prototype.fill.call(buffer, value, offset, end);
    return buffer;
  }
  if (value.length === 0) throw new ERR_INVALID_ARG_VALUE('value', value);
  native.fill(buffer, value, Math.trunc(offset), Math.trunc(end));
  return buffer;
}

function encodingForFill(encoding) {
  if (encoding === undefined || encoding === '') return encodings.utf8;
  if (typeof encoding !== 'string') throw new ERR_INVALID_ARG_TYPE('encoding', 'string', encoding);
  const found = getEncoding(encoding);
  if (found === undefined) throw new ERR_UNKNOWN_ENCODING(encoding);
  return found;
}

/** One character that is one byte becomes a number. */
function smallValue(string, encoding) {
  if (string.length !== 1) return string;
  const code = string.charCodeAt(0);
  return (encoding === encodings.utf8 && code < 128) || encoding === encodings.latin1 ? code : string;
}

Buffer.prototype.write = function write(string, offset, length, encoding) {
  const room = this.length;
  if (offset === undefined) return utf8Write(this, string, 0, room);
  if (length === undefined && typeof offset === 'string') {
    encoding = offset;
    length = room;
    offset = 0;
  } else {
    validateInteger(offset, 'offset', 0, room);
    const remaining = room - offset;
    if (length === undefined) {
      length = remaining;
    } else if (typeof length === 'string') {
      encoding = length;
      length = remaining;
    } else {
      validateInteger(length, 'length', 0, room);
      if (length > remaining) length = remaining;
    }
  }
  if (!encoding || encoding === 'utf8') return utf8Write(this, string, offset, length);
  const found = getEncoding(encoding);
  if (found === undefined) throw new ERR_UNKNOWN_ENCODING(encoding);
  return found.write(this, string, offset, length);
};

Buffer.prototype.toJSON = function toJSON() {
  return { type: 'Buffer', data: Array.from(this) };
};

/** An index argument of `subarray` as a position within `size`. */
function position(index, size) {
  index = Math.trunc(index);
  if (index === 0 || Number.isNaN(index)) return 0;
  if (index < 0) return Math.max(0, index + size);
  return Math.min(index, size);
}

Buffer.prototype.subarray = function subarray(start, end) {
  const size = this.length;
  start = position(start, size);
  end = end === undefined ? size : position(end, size);
  return new FastBuffer(this.buffer, this.byteOffset + start, end > start ? end - start : 0);
};

Buffer.prototype.slice = function slice(start, end) {
  return this.subarray(start, end);
};

/** Swaps the bytes of each unit in place; short buffers are done without leaving JavaScript. */
function swapUnits(buffer, size, nativeSwap) {
  const { length } = buffer;
  if (length % size !== 0) throw new ERR_INVALID_BUFFER_SIZE(`${size * 8}-bits`);
  if (length >= 128) {
    nativeSwap(buffer);
    return buffer;
  }
  for (let i = 0; i < length; i += size) {
    for (let low = i, high = i + size - 1; low < high; low++, high--) {
      const kept = buffer[low];
      buffer[low] = buffer[high];
      buffer[high] = kept;
    }
  }
  return buffer;
}

Buffer.prototype.swap16 = function swap16() { return swapUnits(this, 2, native.swap16); };
Buffer.prototype.swap32 = function swap32() { return swapUnits(this, 4, native.swap32); };
Buffer.prototype.swap64 = function swap64() { return swapUnits(this, 8, native.swap64); };
Buffer.prototype.toLocaleString = Buffer.prototype.toString;

// --- the module ---

/** @deprecated since Node.js 6; the same as `Buffer.allocUnsafeSlow`, with the old argument rules. */
const SlowBuffer = require('#internal/util').deprecate(function SlowBuffer(size) {
  validateNumber(size, 'size', 0, kMaxLength);
  return createUnsafe(size);
}, 'SlowBuffer() is deprecated. Please use Buffer.allocUnsafeSlow()', 'DEP0030');
Object.setPrototypeOf(SlowBuffer.prototype, Uint8Array.prototype);
Object.setPrototypeOf(SlowBuffer, Uint8Array);

function transcode(source, fromEnc, toEnc) {
  if (!isUint8Array(source)) throw new ERR_INVALID_ARG_TYPE('source', ['Buffer', 'Uint8Array'], source);
  if (source.length === 0) return Buffer.alloc(0);
  const from = getEncoding(fromEnc)?.name;
  const to = getEncoding(toEnc)?.name;
  const supported = ['utf8', 'utf16le', 'latin1', 'ascii'];
  if (!supported.includes(from) || !supported.includes(to)) {
    const error = new Error('Unable to transcode Buffer [U_ILLEGAL_ARGUMENT_ERROR]');
    error.code = 'U_ILLEGAL_ARGUMENT_ERROR';
    error.errno = 1;
    throw error;
  }
  const text = encodings[from].slice(source, 0, source.length);
  if (to === 'utf8' || to === 'utf16le') return encodings[to].from(text);
  // A character that the narrow encoding lacks becomes a question mark, as ICU's converters do.
  const limit = to === 'ascii' ? 0x7f : 0xff;
  const bytes = [];
  for (const character of text) {
    const code = character.codePointAt(0);
    bytes.push(code <= limit ? code : 0x3f);
  }
  return fromArrayLike(bytes);
}

/** Checks the argument of isUtf8 and isAscii. */
function validateBytes(input) {
  const isView = ArrayBuffer.isView(input) && typedArrayTag.call(input) !== undefined;
  if (!isView && !isAnyArrayBuffer(input)) {
    throw new ERR_INVALID_ARG_TYPE('input', ['ArrayBuffer', 'Buffer', 'TypedArray'], input);
  }
  if ((isView ? input.buffer : input).detached) throw new ERR_INVALID_STATE('Cannot validate on a detached buffer');
}

function isUtf8(input) {
  validateBytes(input);
  return native.isUtf8(input);
}

function isAscii(input) {
  validateBytes(input);
  return native.isAscii(input);
}

const { atob, btoa } = require('#buffer/web_base64');

module.exports = {
  Buffer,
  SlowBuffer,
  transcode,
  isUtf8,
  isAscii,
  kMaxLength,
  kStringMaxLength,
  btoa,
  atob,
};

const constants = {};
Object.defineProperty(constants, 'MAX_LENGTH', { __proto__: null, value: kMaxLength, enumerable: true });
Object.defineProperty(constants, 'MAX_STRING_LENGTH', { __proto__: null, value: kStringMaxLength, enumerable: true });

/** An export that is loaded when first asked for. */
function lazyExport(name, load) {
  Object.defineProperty(module.exports, name, {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get() { return load()[name]; },
    set(value) {
      Object.defineProperty(module.exports, name, {
        __proto__: null, configurable: true, enumerable: true, writable: true, value,
      });
    },
  });
}

Object.defineProperty(module.exports, 'constants', { __proto__: null, value: constants, enumerable: true });
Object.defineProperty(module.exports, 'INSPECT_MAX_BYTES', {
  __proto__: null,
  configurable: true,
  enumerable: true,
  get() { return inspectMaxBytes; },
  set(value) {
    validateNumber(value, 'INSPECT_MAX_BYTES', 0);
    inspectMaxBytes = value;
  },
});
lazyExport('Blob', () => require('#web/blob'));
lazyExport('resolveObjectURL', () => require('#web/blob'));
lazyExport('File', () => require('#web/blob'));

native.setPrototype(Buffer.prototype);
