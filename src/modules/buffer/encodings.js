'use strict';

// The encodings of strings: their names, lengths and the native functions that read and write them.

const native = binding('buffer');
const { fromString, fromUtf8 } = require('#buffer/fast');

/**
 * @typedef {object} Encoding
 * @property {string} name canonical
 * @property {number} id what native functions call it
 * @property {(string: string) => number} byteLength
 * @property {(target: Uint8Array, string: string, offset: number, length: number) => number} write
 * @property {(source: Uint8Array, start: number, end: number) => string} slice
 * @property {(string: string) => Uint8Array} from
 */

function base64ByteLength(string) {
  let units = string.length;
  if (units > 0 && string.charCodeAt(units - 1) === 0x3d) units--;
  if (units > 1 && string.charCodeAt(units - 1) === 0x3d) units--;
  return Math.floor(units * 3 / 4);
}

function define(name, id, byteLength, write, slice) {
  return { name, id, byteLength, write, slice, from: (string) => fromString(string, byteLength(string), write) };
}

/** @type {Record<string, Encoding>} */
const encodings = {
  __proto__: null,
  utf8: { ...define('utf8', 0, native.byteLengthUtf8, native.utf8Write, native.utf8Slice), from: fromUtf8 },
  utf16le: define('utf16le', 1, (string) => string.length * 2, native.ucs2Write, native.ucs2Slice),
  latin1: define('latin1', 2, (string) => string.length, native.latin1Write, native.latin1Slice),
  ascii: define('ascii', 3, (string) => string.length, native.asciiWrite, native.asciiSlice),
  base64: define('base64', 4, base64ByteLength, native.base64Write, native.base64Slice),
  base64url: define('base64url', 5, base64ByteLength, native.base64Write, native.base64urlSlice),
  hex: define('hex', 6, (string) => string.length >>> 1, native.hexWrite, native.hexSlice),
};
encodings['utf-8'] = encodings.utf8;
encodings.ucs2 = encodings['ucs-2'] = encodings['utf-16le'] = encodings.utf16le;
encodings.binary = encodings.latin1;

/**
 * @param {unknown} name in any case
 * @returns {Encoding | undefined}
 */
function getEncoding(name) {
  return encodings[name] ?? encodings[`${name}`.toLowerCase()];
}

module.exports = { encodings, getEncoding };
