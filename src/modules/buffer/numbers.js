'use strict';

// Buffer's readers and writers of numbers.

const { codes: { ERR_BUFFER_OUT_OF_BOUNDS, ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE } } = require('#internal/errors');
const { validateNumber } = require('#internal/validators');

// Floating point numbers go through these eight bytes; which end comes first is the machine's.
const float32 = new Float32Array(1);
const float32Bytes = new Uint8Array(float32.buffer);
const float64 = new Float64Array(1);
const float64Bytes = new Uint8Array(float64.buffer);

/** Throws for an offset that does not leave room for what is read or written there. */
function throwBounds(value, last, name = 'offset') {
  if (Math.floor(value) !== value) {
    validateNumber(value, name);
    throw new ERR_OUT_OF_RANGE(name, 'an integer', value);
  }
  if (last < 0) throw new ERR_BUFFER_OUT_OF_BOUNDS();
  throw new ERR_OUT_OF_RANGE(name, `>= ${name === 'byteLength' ? 1 : 0} and <= ${last}`, value);
}

/** Throws the right error: the offset is no number, or there are not `size` bytes at it. */
function failAccess(buffer, offset, size) {
  if (typeof offset !== 'number') throw new ERR_INVALID_ARG_TYPE('offset', 'number', offset);
  throwBounds(offset, buffer.length - size);
}

function throwValue(value, min, max, byteLength) {
  const suffix = typeof min === 'bigint' ? 'n' : '';
  let range;
  if (byteLength > 4) {
    const bits = byteLength * 8;
    range = min === 0 || min === 0n ?
      `>= 0${suffix} and < 2${suffix} ** ${bits}${suffix}` :
      `>= -(2${suffix} ** ${bits - 1}${suffix}) and < 2${suffix} ** ${bits - 1}${suffix}`;
  } else {
    range = `>= ${min}${suffix} and <= ${max}${suffix}`;
  }
  throw new ERR_OUT_OF_RANGE('value', range, value);
}

function checkLength(byteLength) {
  if (byteLength === undefined) throw new ERR_INVALID_ARG_TYPE('byteLength', 'number', byteLength);
  validateNumber(byteLength, 'byteLength');
  throwBounds(byteLength, 6, 'byteLength');
}

// --- one byte ---

function readUInt8(offset = 0) {
  const value = typeof offset === 'number' ? this[offset] : undefined;
  if (value === undefined) failAccess(this, offset, 1);
  return value;
}

function readInt8(offset = 0) {
  const value = typeof offset === 'number' ? this[offset] : undefined;
  if (value === undefined) failAccess(this, offset, 1);
  return value << 24 >> 24;
}

function writeByte(buffer, value, offset, min, max) {
  value = +value;
  if (typeof offset !== 'number') throw new ERR_INVALID_ARG_TYPE('offset', 'number', offset);
  if (value > max || value < min) throwValue(value, min, max, 1);
  if (buffer[offset] === undefined) failAccess(buffer, offset, 1);
  buffer[offset] = value;
  return offset + 1;
}

function writeUInt8(value, offset = 0) {
  return writeByte(this, value, offset, 0, 0xff);
}

function writeInt8(value, offset = 0) {
  return writeByte(this, value, offset, -0x80, 0x7f);
}

// --- two and four bytes: the last byte's being there shows that all are ---

function readUInt16LE(offset = 0) {
  if (typeof offset !== 'number') failAccess(this, offset, 2);
  const first = this[offset];
  const last = this[offset + 1];
  if (first === undefined || last === undefined) failAccess(this, offset, 2);
  return first + last * 2 ** 8;
}

function readUInt16BE(offset = 0) {
  if (typeof offset !== 'number') failAccess(this, offset, 2);
  const first = this[offset];
  const last = this[offset + 1];
  if (first === undefined || last === undefined) failAccess(this, offset, 2);
  return first * 2 ** 8 + last;
}

function readInt16LE(offset = 0) {
  return readUInt16LE.call(this, offset) << 16 >> 16;
}

function readInt16BE(offset = 0) {
  return readUInt16BE.call(this, offset) << 16 >> 16;
}

function readInt32LE(offset = 0) {
  if (typeof offset !== 'number') failAccess(this, offset, 4);
  const first = this[offset];
  const last = this[offset + 3];
  if (first === undefined || last === undefined) failAccess(this, offset, 4);
  return first | this[offset + 1] << 8 | this[offset + 2] << 16 | last << 24;
}

function readInt32BE(offset = 0) {
  if (typeof offset !== 'number') failAccess(this, offset, 4);
  const first = this[offset];
  const last = this[offset + 3];
  if (first === undefined || last === undefined) failAccess(this, offset, 4);
  return first << 24 | this[offset + 1] << 16 | this[offset + 2] << 8 | last;
}

function readUInt32LE(offset = 0) {
  return readInt32LE.call(this, offset) >>> 0;
}

function readUInt32BE(offset = 0) {
  return readInt32BE.call(this, offset) >>> 0;
}

/** Checks value and offset of a write of `size` bytes, and returns the value as a number. */
function checkWrite(buffer, value, offset, min, max, size) {
  value = +value;
  if (value > max || value < min) throwValue(value, min, max, size);
  if (typeof offset !== 'number') throw new ERR_INVALID_ARG_TYPE('offset', 'number', offset);
  if (buffer[offset] === undefined || buffer[offset + size - 1] === undefined) failAccess(buffer, offset, size);
  return value;
}

function write16LE(buffer, value, offset, min, max) {
  value = checkWrite(buffer, value, offset, min, max, 2);
  buffer[offset] = value;
  buffer[offset + 1] = value >>> 8;
  return offset + 2;
}

function write16BE(buffer, value, offset, min, max) {
  value = checkWrite(buffer, value, offset, min, max, 2);
  buffer[offset] = value >>> 8;
  buffer[offset + 1] = value;
  return offset + 2;
}

function write32LE(buffer, value, offset, min, max) {
  value = checkWrite(buffer, value, offset, min, max, 4);
  buffer[offset] = value;
  buffer[offset + 1] = value >>> 8;
  buffer[offset + 2] = value >>> 16;
  buffer[offset + 3] = value >>> 24;
  return offset + 4;
}

function write32BE(buffer, value, offset, min, max) {
  value = checkWrite(buffer, value, offset, min, max, 4);
  buffer[offset] = value >>> 24;
  buffer[offset + 1] = value >>> 16;
  buffer[offset + 2] = value >>> 8;
  buffer[offset + 3] = value;
  return offset + 4;
}

function writeUInt16LE(value, offset = 0) { return write16LE(this, value, offset, 0, 0xffff); }
function writeUInt16BE(value, offset = 0) { return write16BE(this, value, offset, 0, 0xffff); }
function writeInt16LE(value, offset = 0) { return write16LE(this, value, offset, -0x8000, 0x7fff); }
function writeInt16BE(value, offset = 0) { return write16BE(this, value, offset, -0x8000, 0x7fff); }
function writeUInt32LE(value, offset = 0) { return write32LE(this, value, offset, 0, 0xffffffff); }
function writeUInt32BE(value, offset = 0) { return write32BE(this, value, offset, 0, 0xffffffff); }
function writeInt32LE(value, offset = 0) { return write32LE(this, value, offset, -0x80000000, 0x7fffffff); }
function writeInt32BE(value, offset = 0) { return write32BE(this, value, offset, -0x80000000, 0x7fffffff); }

// --- one to six bytes ---

/** Checks the arguments of a read of `byteLength` bytes. */
function checkSpan(buffer, offset, byteLength) {
  if (offset === undefined) throw new ERR_INVALID_ARG_TYPE('offset', 'number', offset);
  if (!(Number.isInteger(byteLength) && byteLength >= 1 && byteLength <= 6)) checkLength(byteLength);
  if (typeof offset !== 'number') throw new ERR_INVALID_ARG_TYPE('offset', 'number', offset);
  if (buffer[offset] === undefined || buffer[offset + byteLength - 1] === undefined) {
    failAccess(buffer, offset, byteLength);
  }
}

function readUIntLE(offset, byteLength) {
  checkSpan(this, offset, byteLength);
  let value = 0;
  for (let i = byteLength - 1; i >= 0; i--) value = value * 2 ** 8 + this[offset + i];
  return value;
}

function readUIntBE(offset, byteLength) {
  checkSpan(this, offset, byteLength);
  let value = 0;
  for (let i = 0; i < byteLength; i++) value = value * 2 ** 8 + this[offset + i];
  return value;
}

function toSigned(value, byteLength) {
  const limit = 2 ** (8 * byteLength - 1);
  return value >= limit ? value - 2 * limit : value;
}

function readIntLE(offset, byteLength) {
  return toSigned(readUIntLE.call(this, offset, byteLength), byteLength);
}

function readIntBE(offset, byteLength) {
  return toSigned(readUIntBE.call(this, offset, byteLength), byteLength);
}

/** Checks the arguments of a write, and returns the value as a number that is not negative. */
function checkWriteSpan(buffer, value, offset, byteLength, signed) {
  if (!(Number.isInteger(byteLength) && byteLength >= 1 && byteLength <= 6)) checkLength(byteLength);
  const modulus = 2 ** (8 * byteLength);
  const min = signed ? -modulus / 2 : 0;
  const max = signed ? modulus / 2 - 1 : modulus - 1;
  value = checkWrite(buffer, value, offset, min, max, byteLength);
  return value < 0 ? value + modulus : value;
}

function writeSpanLE(buffer, value, offset, byteLength) {
  let high = Math.floor(value * 2 ** -32);
  let low = value >>> 0;
  const lowBytes = byteLength < 4 ? byteLength : 4;
  for (let i = 0; i < lowBytes; i++) {
    buffer[offset++] = low;
    low >>>= 8;
  }
  for (let i = 4; i < byteLength; i++) {
    buffer[offset++] = high;
    high >>>= 8;
  }
  return offset;
}

function writeSpanBE(buffer, value, offset, byteLength) {
  let high = Math.floor(value * 2 ** -32);
  let low = value >>> 0;
  const end = offset + byteLength;
  let at = end - 1;
  for (let i = 0; i < 4 && at >= offset; i++) {
    buffer[at--] = low;
    low >>>= 8;
  }
  while (at >= offset) {
    buffer[at--] = high;
    high >>>= 8;
  }
  return end;
}

function writeUIntLE(value, offset, byteLength) {
  return writeSpanLE(this, checkWriteSpan(this, value, offset, byteLength, false), offset, byteLength);
}

function writeUIntBE(value, offset, byteLength) {
  return writeSpanBE(this, checkWriteSpan(this, value, offset, byteLength, false), offset, byteLength);
}

function writeIntLE(value, offset, byteLength) {
  return writeSpanLE(this, checkWriteSpan(this, value, offset, byteLength, true), offset, byteLength);
}

function writeIntBE(value, offset, byteLength) {
  return writeSpanBE(this, checkWriteSpan(this, value, offset, byteLength, true), offset, byteLength);
}

// --- eight bytes as BigInt ---

function checkEight(buffer, offset) {
  if (typeof offset !== 'number' || buffer[offset] === undefined || buffer[offset + 7] === undefined) {
    failAccess(buffer, offset, 8);
  }
}

function readBigUInt64LE(offset = 0) {
  checkEight(this, offset);
  return BigInt(readInt32LE.call(this, offset) >>> 0) + (BigInt(readInt32LE.call(this, offset + 4) >>> 0) << 32n);
}

function readBigUInt64BE(offset = 0) {
  checkEight(this, offset);
  return (BigInt(readInt32BE.call(this, offset) >>> 0) << 32n) + BigInt(readInt32BE.call(this, offset + 4) >>> 0);
}

function readBigInt64LE(offset = 0) {
  checkEight(this, offset);
  return BigInt(readInt32LE.call(this, offset) >>> 0) + (BigInt(readInt32LE.call(this, offset + 4)) << 32n);
}

function readBigInt64BE(offset = 0) {
  checkEight(this, offset);
  return (BigInt(readInt32BE.call(this, offset)) << 32n) + BigInt(readInt32BE.call(this, offset + 4) >>> 0);
}

function writeBig(buffer, value, offset, min, max, write, lowAt, highAt) {
  if (value > max || value < min) throwValue(value, min, max, 8);
  checkEight(buffer, offset);
  write(buffer, Number(value & 0xffffffffn), offset + lowAt, 0, 0xffffffff);
  write(buffer, Number(value >> 32n & 0xffffffffn), offset + highAt, 0, 0xffffffff);
  return offset + 8;
}

const maxUint64 = 0xffffffffffffffffn;
const maxInt64 = 0x7fffffffffffffffn;
const minInt64 = -0x8000000000000000n;

function writeBigUInt64LE(value, offset = 0) {
  return writeBig(this, value, offset, 0n, maxUint64, write32LE, 0, 4);
}

function writeBigUInt64BE(value, offset = 0) {
  return writeBig(this, value, offset, 0n, maxUint64, write32BE, 4, 0);
}

function writeBigInt64LE(value, offset = 0) {
  return writeBig(this, value, offset, minInt64, maxInt64, write32LE, 0, 4);
}

function writeBigInt64BE(value, offset = 0) {
  return writeBig(this, value, offset, minInt64, maxInt64, write32BE, 4, 0);
}

// --- floating point ---

/** A reader and a writer of a float type; `reversed` when the machine's order is not the wanted one. */
function floatPair(values, bytes, reversed) {
  const size = bytes.length;
  const read = (buffer, offset) => {
    if (typeof offset !== 'number' || buffer[offset] === undefined || buffer[offset + size - 1] === undefined) {
      failAccess(buffer, offset, size);
    }
    if (reversed) for (let i = 0; i < size; i++) bytes[size - 1 - i] = buffer[offset + i];
    else for (let i = 0; i < size; i++) bytes[i] = buffer[offset + i];
    return values[0];
  };
  const write = (buffer, value, offset) => {
    value = +value;
    if (typeof offset !== 'number' || buffer[offset] === undefined || buffer[offset + size - 1] === undefined) {
      failAccess(buffer, offset, size);
    }
    values[0] = value;
    if (reversed) for (let i = 0; i < size; i++) buffer[offset + i] = bytes[size - 1 - i];
    else for (let i = 0; i < size; i++) buffer[offset + i] = bytes[i];
    return offset + size;
  };
  return { read, write };
}

float32[0] = -1;
const bigEndian = float32Bytes[3] === 0;
const float32LE = floatPair(float32, float32Bytes, bigEndian);
const float32BE = floatPair(float32, float32Bytes, !bigEndian);
const float64LE = floatPair(float64, float64Bytes, bigEndian);
const float64BE = floatPair(float64, float64Bytes, !bigEndian);

function readFloatLE(offset = 0) { return float32LE.read(this, offset); }
function readFloatBE(offset = 0) { return float32BE.read(this, offset); }
function readDoubleLE(offset = 0) { return float64LE.read(this, offset); }
function readDoubleBE(offset = 0) { return float64BE.read(this, offset); }
function writeFloatLE(value, offset = 0) { return float32LE.write(this, value, offset); }
function writeFloatBE(value, offset = 0) { return float32BE.write(this, value, offset); }
function writeDoubleLE(value, offset = 0) { return float64LE.write(this, value, offset); }
function writeDoubleBE(value, offset = 0) { return float64BE.write(this, value, offset); }

/** In the order of Buffer.prototype; `Uint` is an alias of `UInt`. */
const methods = {
  readBigUInt64LE, readBigUInt64BE, readBigUint64LE: readBigUInt64LE, readBigUint64BE: readBigUInt64BE,
  readBigInt64LE, readBigInt64BE,
  writeBigUInt64LE, writeBigUInt64BE, writeBigUint64LE: writeBigUInt64LE, writeBigUint64BE: writeBigUInt64BE,
  writeBigInt64LE, writeBigInt64BE,
  readUIntLE, readUInt32LE, readUInt16LE, readUInt8, readUIntBE, readUInt32BE, readUInt16BE,
  readUintLE: readUIntLE, readUint32LE: readUInt32LE, readUint16LE: readUInt16LE, readUint8: readUInt8,
  readUintBE: readUIntBE, readUint32BE: readUInt32BE, readUint16BE: readUInt16BE,
  readIntLE, readInt32LE, readInt16LE, readInt8, readIntBE, readInt32BE, readInt16BE,
  writeUIntLE, writeUInt32LE, writeUInt16LE, writeUInt8, writeUIntBE, writeUInt32BE, writeUInt16BE,
  writeUintLE: writeUIntLE, writeUint32LE: writeUInt32LE, writeUint16LE: writeUInt16LE, writeUint8: writeUInt8,
  writeUintBE: writeUIntBE, writeUint32BE: writeUInt32BE, writeUint16BE: writeUInt16BE,
  writeIntLE, writeInt32LE, writeInt16LE, writeInt8, writeIntBE, writeInt32BE, writeInt16BE,
  readFloatLE, readFloatBE, readDoubleLE, readDoubleBE, writeFloatLE, writeFloatBE, writeDoubleLE, writeDoubleBE,
};

module.exports = { methods };
