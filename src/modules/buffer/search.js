'use strict';

// Buffer.prototype.indexOf, lastIndexOf and includes.

const native = binding('buffer');
const { codes: { ERR_INVALID_ARG_TYPE, ERR_UNKNOWN_ENCODING } } = require('#internal/errors');
const { validateBuffer } = require('#internal/validators');
const { encodings, getEncoding } = require('#buffer/encodings');

const typedArrayTag = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;

const maxOffset = 0x7fffffff;
const minOffset = -0x80000000;

/**
 * @param {Uint8Array} buffer
 * @param {string | number | Uint8Array} value
 * @param {number | string | undefined} offset where to start, or the encoding
 * @param {string | undefined} encoding
 * @param {boolean} forward
 */
function search(buffer, value, offset, encoding, forward) {
  validateBuffer(buffer);
  if (typeof offset === 'string') {
    encoding = offset;
    offset = undefined;
  } else if (offset > maxOffset) {
    offset = maxOffset;
  } else if (offset < minOffset) {
    offset = minOffset;
  }
  offset = +offset;
  if (Number.isNaN(offset)) offset = forward ? 0 : buffer.length;
  else offset = Math.trunc(offset);
  if (typeof value === 'number') return native.indexOfNumber(buffer, value & 255, offset, forward);
  const found = encoding === undefined ? encodings.utf8 : getEncoding(encoding);
  if (typeof value === 'string') {
    if (found === undefined) throw new ERR_UNKNOWN_ENCODING(encoding);
    return native.indexOfString(buffer, value, offset, found.id, forward);
  }
  if (typeof value === 'object' && value !== null && typedArrayTag.call(value) === 'Uint8Array') {
    return native.indexOfBuffer(buffer, value, offset, found === undefined ? 0 : found.id, forward);
  }
  throw new ERR_INVALID_ARG_TYPE('value', ['number', 'string', 'Buffer', 'Uint8Array'], value);
}

const methods = {
  indexOf: function indexOf(value, byteOffset, encoding) {
    return search(this, value, byteOffset, encoding, true);
  },
  lastIndexOf: function lastIndexOf(value, byteOffset, encoding) {
    return search(this, value, byteOffset, encoding, false);
  },
  includes: function includes(value, byteOffset, encoding) {
    return search(this, value, byteOffset, encoding, true) !== -1;
  },
};

module.exports = { methods };
