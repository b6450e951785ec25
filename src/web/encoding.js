'use strict';

// TextEncoder and TextDecoder (Encoding Standard). UTF-8 and UTF-16 are decoded here, the legacy encodings by ICU.

const native = binding('encoding');
const {
  codes: {
    ERR_ENCODING_INVALID_ENCODED_DATA, ERR_ENCODING_NOT_SUPPORTED, ERR_INVALID_ARG_TYPE, ERR_INVALID_THIS,
  },
} = require('#internal/errors');
const { validateObject, validateString } = require('#internal/validators');
const { makeEnumerable, setTag } = require('#web/event');
const { inspectSymbol } = require('#web/inspect');

const { utf8Write, byteLengthUtf8 } = binding('buffer');
const { decodeUtf8, encodeInto, encodeIntoResult } = native;

/** Up to here a string is encoded in JavaScript: calling out would cost more. */
const kShort = 24;
const nullableObject = { allowArray: true, allowFunction: true, nullable: true };

/** Encodes a short string, or gives undefined if it holds a surrogate. */
function encodeShort(string) {
  const units = string.length;
  let size = units;
  for (let i = 0; i < units; i++) {
    const unit = string.charCodeAt(i);
    if (unit >= 0x80) {
      if (unit < 0x800) size++;
      else if (unit >= 0xd800 && unit <= 0xdfff) return undefined;
      else size += 2;
    }
  }
  const bytes = new Uint8Array(size);
  if (size === units) {
    for (let i = 0; i < units; i++) bytes[i] = string.charCodeAt(i);
    return bytes;
  }
  for (let i = 0, at = 0; i < units; i++) {
    const unit = string.charCodeAt(i);
    if (unit < 0x80) {
      bytes[at++] = unit;
    } else if (unit < 0x800) {
      bytes[at++] = 0xc0 | unit >> 6;
      bytes[at++] = 0x80 | unit & 0x3f;
    } else {
      bytes[at++] = 0xe0 | unit >> 12;
      bytes[at++] = 0x80 | unit >> 6 & 0x3f;
      bytes[at++] = 0x80 | unit & 0x3f;
    }
  }
  return bytes;
}

class TextEncoder {
  #brand = true;

  static #check(value) {
    if (typeof value !== 'object' || value === null || !(#brand in value)) throw new ERR_INVALID_THIS('TextEncoder');
  }

  get encoding() {
    TextEncoder.#check(this);
    return 'utf-8';
  }

  encode(input = '') {
    TextEncoder.#check(this);
    input = `${input}`;
    if (input.length <= kShort) {
      const short = encodeShort(input);
      if (short !== undefined) return short;
    }
    const size = byteLengthUtf8(input);
    const bytes = new Uint8Array(size);
    utf8Write(bytes, input, 0, size);
    return bytes;
  }

  encodeInto(src, dest) {
    TextEncoder.#check(this);
    validateString(src, 'src');
    if (!(dest instanceof Uint8Array)) {
      const { isUint8Array } = require('util/types');
      if (!isUint8Array(dest)) throw new ERR_INVALID_ARG_TYPE('dest', 'Uint8Array', dest);
    }
    encodeInto(src, dest);
    return { read: encodeIntoResult[0], written: encodeIntoResult[1] };
  }

  [inspectSymbol](depth, options) {
    TextEncoder.#check(this);
    if (typeof depth === 'number' && depth < 0) return this;
    const { inspect } = require('util');
    return inspect({ encoding: this.encoding }, options);
  }
}

makeEnumerable(TextEncoder.prototype, ['encoding', 'encode', 'encodeInto']);
setTag(TextEncoder);

// --- decoders: each has decode(bytes: Uint8Array, stream: boolean) ---

const empty = new Uint8Array(0);

function concatenate(a, b) {
  if (a.length === 0) return b;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** The number of bytes at the end that begin a character of UTF-8 without ending it. */
function incompleteUtf8(bytes) {
  const { length } = bytes;
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back];
    if ((byte & 0xc0) === 0x80) continue;
    const need = byte >= 0xf0 && byte <= 0xf4 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 && byte < 0xe0 ? 2 : 1;
    if (byte > 0xf4 || back >= need) return 0;
    // E0, ED, F0 and F4 limit the byte that follows: what cannot be continued is an error at once.
    if (back >= 2) {
      const second = bytes[length - back + 1];
      const low = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
      const high = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
      if (second < low || second > high) return 0;
    }
    return back;
  }
  return 0;
}

class Utf8Decoder {
  #pending = empty;
  #started = false;

  constructor(fatal, ignoreBOM) {
    this.fatal = fatal;
    this.ignoreBOM = ignoreBOM;
  }

  decode(bytes, stream) {
    bytes = concatenate(this.#pending, bytes);
    this.#pending = empty;
    if (stream) {
      const left = incompleteUtf8(bytes);
      if (left > 0) {
        this.#pending = bytes.slice(bytes.length - left);
        bytes = bytes.subarray(0, bytes.length - left);
      }
    }
    const keepBOM = this.ignoreBOM || this.#started;
    if (bytes.length > 0) this.#started = true;
    const text = decodeUtf8(bytes, this.fatal, keepBOM);
    if (!stream || text === undefined) {
      this.#started = false;
      this.#pending = empty;
    }
    return text;
  }
}

class Utf16Decoder {
  #pending = empty;
  #started = false;

  constructor(fatal, ignoreBOM, bigEndian) {
    this.fatal = fatal;
    this.ignoreBOM = ignoreBOM;
    this.bigEndian = bigEndian;
  }

  decode(bytes, stream) {
    bytes = concatenate(this.#pending, bytes);
    this.#pending = empty;
    let whole = bytes.length & ~1;
    const highByte = whole >= 2 ? bytes[this.bigEndian ? whole - 2 : whole - 1] : 0;
    if (stream) {
      if (highByte >= 0xd8 && highByte <= 0xdb) whole -= 2;
      this.#pending = bytes.slice(whole);
    }
    const truncated = !stream && whole !== bytes.length;
    let text = native.decodeUtf16(bytes.subarray(0, whole), this.bigEndian);
    if (text.length > 0 && !this.#started) {
      this.#started = true;
      if (!this.ignoreBOM && text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    if (!stream) this.#started = false;
    if (this.fatal) return truncated || !text.isWellFormed() ? undefined : text;
    // The odd byte ends a lone lead surrogate, if there is one, and both become one replacement.
    if (truncated && !(highByte >= 0xd8 && highByte <= 0xdb)) text += '\ufffd';
    return text.toWellFormed();
  }
}

class IcuDecoder {
  #converter;

  constructor(name, fatal) {
    this.#converter = new native.Converter(name, fatal);
  }

  decode(bytes, stream) {
    return this.#converter.decode(!stream, bytes);
  }
}

/** What ICU calls encodings whose WHATWG tables it has under another name. */
const icuNames = {
  '__proto__': null,
  'iso-8859-8-i': 'iso-8859-8',
  'windows-1252': 'ibm-5348_P100-1997',
  'windows-874': 'windows-874',
  'gbk': 'gb18030',
  'x-mac-cyrillic': 'x-mac-cyrillic',
  'shift_jis': 'ibm-943_P15A-2003',
  'euc-kr': 'windows-949',
  'big5': 'big5-hkscs',
};

function createDecoder(encoding, fatal, ignoreBOM) {
  if (encoding === 'utf-8') return new Utf8Decoder(fatal, ignoreBOM);
  if (encoding === 'utf-16le' || encoding === 'utf-16be') {
    return new Utf16Decoder(fatal, ignoreBOM, encoding === 'utf-16be');
  }
  return new IcuDecoder(icuNames[encoding] ?? encoding, fatal);
}

const unsupported = new Set(['replacement', 'x-user-defined', 'iso-8859-16']);

function bytesOf(input) {
  if (ArrayBuffer.isView(input)) {
    return input instanceof Uint8Array ? input : new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  }
  const { isAnyArrayBuffer } = require('util/types');
  if (isAnyArrayBuffer(input)) return input.detached ? empty : new Uint8Array(input);
  const error = new TypeError(
    'The "list" argument must be an instance of SharedArrayBuffer, ArrayBuffer or ArrayBufferView.');
  error.code = 'ERR_INVALID_ARG_TYPE';
  throw error;
}

class TextDecoder {
  #encoding;
  #fatal;
  #ignoreBOM;
  #decoder;

  static #check(value) {
    if (typeof value !== 'object' || value === null || !(#encoding in value)) throw new ERR_INVALID_THIS('TextDecoder');
  }

  constructor(encoding = 'utf-8', options = undefined) {
    encoding = `${encoding}`;
    if (options !== undefined) validateObject(options, 'options', nullableObject);
    const { encodingOfLabel } = require('#web/encoding_labels');
    const name = encoding === 'utf-8' ? encoding : encodingOfLabel(encoding);
    if (name === undefined || unsupported.has(name)) throw new ERR_ENCODING_NOT_SUPPORTED(name ?? encoding);
    this.#encoding = name;
    this.#fatal = !!options?.fatal;
    this.#ignoreBOM = !!options?.ignoreBOM;
  }

  decode(input = empty, options = undefined) {
    TextDecoder.#check(this);
    const bytes = bytesOf(input);
    if (options !== undefined) validateObject(options, 'options', nullableObject);
    const stream = !!options?.stream;
    let text;
    if (this.#encoding === 'utf-8' && !stream && this.#decoder === undefined) {
      text = decodeUtf8(bytes, this.#fatal, this.#ignoreBOM);
    } else {
      this.#decoder ??= createDecoder(this.#encoding, this.#fatal, this.#ignoreBOM);
      text = this.#decoder.decode(bytes, stream);
    }
    if (text === undefined) throw new ERR_ENCODING_INVALID_ENCODED_DATA(this.#encoding, undefined);
    return text;
  }

  get encoding() {
    TextDecoder.#check(this);
    return this.#encoding;
  }

  get fatal() {
    TextDecoder.#check(this);
    return this.#fatal;
  }

  get ignoreBOM() {
    TextDecoder.#check(this);
    return this.#ignoreBOM;
  }

  [inspectSymbol](depth, options) {
    TextDecoder.#check(this);
    if (typeof depth === 'number' && depth < 0) return '[TextDecoder]';
    const { inspect } = require('util');
    const shown = { encoding: this.#encoding, fatal: this.#fatal, ignoreBOM: this.#ignoreBOM };
    return `${this.constructor.name} ${inspect(shown, options)}`;
  }
}

makeEnumerable(TextDecoder.prototype, ['decode', 'encoding', 'fatal', 'ignoreBOM']);
setTag(TextDecoder);

module.exports = { TextEncoder, TextDecoder };
