'use strict';

// `node:string_decoder`: decodes chunks, keeping a character cut between two of them for the next.

const { Buffer } = require('buffer');
const { codes: { ERR_INVALID_ARG_TYPE, ERR_INVALID_THIS, ERR_UNKNOWN_ENCODING } } = require('#internal/errors');

const kState = Symbol('kState');

const kEncodings = {
  '__proto__': null,
  'utf8': 'utf8', 'utf-8': 'utf8',
  'ucs2': 'utf16le', 'ucs-2': 'utf16le', 'utf16le': 'utf16le', 'utf-16le': 'utf16le',
  'latin1': 'latin1', 'binary': 'latin1',
  'base64': 'base64', 'base64url': 'base64url', 'ascii': 'ascii', 'hex': 'hex',
};

/** @param {unknown} encoding */
function normalizeEncoding(encoding) {
  if (encoding === undefined || encoding === null || encoding === '') return 'utf8';
  const name = kEncodings[`${encoding}`.toLowerCase()];
  if (name !== undefined) return name;
  throw new ERR_UNKNOWN_ENCODING(encoding);
}

/** How many bytes a character that starts with `lead` claims in UTF-8; 0 for a byte that cannot lead. */
function sequenceLength(lead) {
  if (lead < 0x80) return 1;
  if ((lead & 0xe0) === 0xc0) return 2;
  if ((lead & 0xf0) === 0xe0) return 3;
  return (lead & 0xf8) === 0xf0 ? 4 : 0;
}

/** Bytes at the end of `bytes` that begin a character without ending it. */
function openUtf8(bytes) {
  const size = bytes.length;
  for (let back = 1; back <= 3 && back <= size; back++) {
    const byte = bytes[size - back];
    if ((byte & 0xc0) === 0x80) continue;
    return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

/**
 * The same for UTF-16LE: half a unit or else a high surrogate without its partner. Both only when the surrogate
 * was kept from an earlier chunk, as the test suite wants it.
 */
function openUtf16(bytes, kept) {
  const size = bytes.length;
  if (size % 2 === 1) return kept === 2 && size === 3 && (bytes[1] & 0xfc) === 0xd8 ? 3 : 1;
  return size >= 2 && (bytes[size - 1] & 0xfc) === 0xd8 ? 2 : 0;
}

function openBytes(encoding, bytes, kept) {
  switch (encoding) {
    case 'utf8': return openUtf8(bytes);
    case 'utf16le': return openUtf16(bytes, kept);
    case 'base64':
    case 'base64url': return bytes.length % 3;
    default: return 0;
  }
}

/** Total length of the character that the kept bytes begin. */
function wantedBytes(encoding, kept) {
  switch (encoding) {
    case 'utf8': return sequenceLength(kept[0]);
    case 'utf16le': return kept.length >= 2 && (kept[1] & 0xfc) === 0xd8 ? 4 : 2;
    default: return 3;
  }
}

class DecoderState {
  constructor(encoding) {
    this.encoding = encoding;
    /** @type {Buffer | null} the beginning of a character */
    this.kept = null;
    this.wanted = 0;
  }
}

function keep(state, bytes) {
  state.kept = bytes.length > 0 ? Buffer.from(bytes) : null;
  state.wanted = bytes.length > 0 ? wantedBytes(state.encoding, bytes) : 0;
}

function stateOf(decoder) {
  const state = decoder?.[kState];
  if (state === undefined) throw new ERR_INVALID_THIS('StringDecoder');
  return state;
}

function StringDecoder(encoding) {
  this.encoding = normalizeEncoding(encoding);
  Object.defineProperty(this, kState, {
    __proto__: null,
    value: new DecoderState(this.encoding),
    writable: true,
    configurable: true,
    enumerable: false,
  });
}

StringDecoder.prototype.write = function write(buf) {
  if (typeof buf === 'string') return buf;
  if (!ArrayBuffer.isView(buf)) {
    throw new ERR_INVALID_ARG_TYPE('buf', ['Buffer', 'TypedArray', 'DataView'], buf);
  }
  const state = stateOf(this);
  let bytes = buf instanceof Buffer ? buf : Buffer.from(buf.buffer, buf.byteOffset, buf.byteLength);
  if (bytes.length === 0) return '';
  const { encoding } = state;
  const kept = state.kept === null ? 0 : state.kept.length;
  if (kept > 0) {
    bytes = Buffer.concat([state.kept, bytes]);
    state.kept = null;
  }
  const open = openBytes(encoding, bytes, kept);
  keep(state, open > 0 ? bytes.subarray(bytes.length - open) : []);
  return bytes.toString(encoding, 0, bytes.length - open);
};

StringDecoder.prototype.end = function end(buf) {
  const out = buf === undefined ? '' : this.write(buf);
  const state = stateOf(this);
  if (state.kept === null) return out;
  const { kept } = state;
  keep(state, []);
  return out + kept.toString(state.encoding);
};

StringDecoder.prototype.text = function text(buf, offset) {
  keep(stateOf(this), []);
  return this.write(buf.slice(offset));
};

Object.defineProperties(StringDecoder.prototype, {
  lastChar: {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get() {
      const { kept } = stateOf(this);
      const last = Buffer.alloc(4);
      if (kept !== null) kept.copy(last);
      return last;
    },
  },
  lastNeed: {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get() {
      const { kept, wanted } = stateOf(this);
      return kept === null ? 0 : wanted - kept.length;
    },
  },
  lastTotal: {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get() {
      return stateOf(this).wanted;
    },
  },
});

module.exports = { StringDecoder };
