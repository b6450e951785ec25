'use strict';

// TextEncoderStream and TextDecoderStream (Encoding Standard, clause 7), CompressionStream and DecompressionStream
// (Compression Standard): pairs of a readable and a writable side.

const { codes: { ERR_INVALID_ARG_VALUE, ERR_INVALID_THIS } } = require('#internal/errors');
const { makeEnumerable, setTag } = require('#web/event');
const { inspectFields, inspectSymbol } = require('#web/inspect');

const { TextEncoder, TextDecoder } = require('#web/encoding');

const lazyStreams = () => require('#web/streams');

/** Gives a class `readable` and `writable` of the stream that `of(instance)` returns, and its look in util.inspect. */
function definePair(constructor, of, fieldsOf = () => ({})) {
  const check = (value) => of(value) ?? (() => { throw new ERR_INVALID_THIS(constructor.name); })();
  const members = {
    get readable() { return check(this).readable; },
    get writable() { return check(this).writable; },
    [inspectSymbol](depth, options) {
      const { readable, writable } = check(this);
      return inspectFields(constructor.name, { ...fieldsOf(this), readable, writable }, depth, options);
    },
  };
  for (const key of Reflect.ownKeys(members)) {
    const descriptor = Object.getOwnPropertyDescriptor(members, key);
    Object.defineProperty(constructor.prototype, key, {
      ...descriptor, __proto__: null, enumerable: typeof key === 'string',
    });
  }
}

class TextEncoderStream {
  #transform;
  #lead = '';

  constructor() {
    const encoder = new TextEncoder();
    this.#transform = new (lazyStreams().TransformStream)({
      transform: (chunk, controller) => {
        // A lead surrogate at the end waits for the next chunk.
        const text = this.#lead + `${chunk}`;
        const last = text.charCodeAt(text.length - 1);
        const split = last >= 0xd800 && last <= 0xdbff;
        this.#lead = split ? text.at(-1) : '';
        const bytes = encoder.encode(split ? text.slice(0, -1) : text);
        if (bytes.length > 0) controller.enqueue(bytes);
      },
      flush: (controller) => {
        if (this.#lead !== '') controller.enqueue(new Uint8Array([0xef, 0xbf, 0xbd]));
      },
    });
  }

  get encoding() {
    if (!(#transform in this)) throw new ERR_INVALID_THIS('TextEncoderStream');
    return 'utf-8';
  }

  static transformOf(value) {
    return typeof value === 'object' && value !== null && #transform in value ? value.#transform : undefined;
  }
}

class TextDecoderStream {
  #transform;
  #decoder;

  constructor(encoding = 'utf-8', options = {}) {
    this.#decoder = new TextDecoder(encoding, options);
    this.#transform = new (lazyStreams().TransformStream)({
      transform: (chunk, controller) => {
        const text = this.#decoder.decode(chunk, { stream: true });
        if (text !== '') controller.enqueue(text);
      },
      flush: (controller) => {
        const text = this.#decoder.decode();
        if (text !== '') controller.enqueue(text);
      },
    });
  }

  static #check(value) {
    if (typeof value !== 'object' || value === null || !(#transform in value)) {
      throw new ERR_INVALID_THIS('TextDecoderStream');
    }
  }

  get encoding() {
    TextDecoderStream.#check(this);
    return this.#decoder.encoding;
  }

  get fatal() {
    TextDecoderStream.#check(this);
    return this.#decoder.fatal;
  }

  get ignoreBOM() {
    TextDecoderStream.#check(this);
    return this.#decoder.ignoreBOM;
  }

  static transformOf(value) {
    return typeof value === 'object' && value !== null && #transform in value ? value.#transform : undefined;
  }
}

/** A web pair around a zlib stream of node:zlib. */
function zlibPair(stream) {
  const { newReadableWritablePairFromDuplex } = require('#stream/web_adapters');
  return newReadableWritablePairFromDuplex(stream);
}

const formats = {
  __proto__: null,
  'deflate': ['createDeflate', 'createInflate'],
  'deflate-raw': ['createDeflateRaw', 'createInflateRaw'],
  'gzip': ['createGzip', 'createGunzip'],
  'brotli': ['createBrotliCompress', 'createBrotliDecompress'],
};

function checkFormat(format) {
  const names = formats[format];
  if (names !== undefined) return names;
  throw new ERR_INVALID_ARG_VALUE('format', format,
                                  `must be one of: ${Object.keys(formats).map((name) => `'${name}'`).join(', ')}`);
}

class CompressionStream {
  #pair;

  constructor(format) {
    this.#pair = zlibPair(require('zlib')[checkFormat(format)[0]]());
  }

  static transformOf(value) {
    return typeof value === 'object' && value !== null && #pair in value ? value.#pair : undefined;
  }
}

class DecompressionStream {
  #pair;

  constructor(format) {
    const stream = require('zlib')[checkFormat(format)[1]]({ rejectGarbageAfterEnd: true });
    // A corrupt input is an error of the pair, not one that nobody listens to.
    stream.on('error', () => {});
    this.#pair = zlibPair(stream);
  }

  static transformOf(value) {
    return typeof value === 'object' && value !== null && #pair in value ? value.#pair : undefined;
  }
}

const encoderFields = (stream) => ({ encoding: stream.encoding });
const decoderFields = (stream) => ({ encoding: stream.encoding, fatal: stream.fatal, ignoreBOM: stream.ignoreBOM });

for (const [constructor, fieldsOf] of [[TextEncoderStream, encoderFields], [TextDecoderStream, decoderFields],
  [CompressionStream], [DecompressionStream]]) {
  const { transformOf } = constructor;
  delete constructor.transformOf;
  definePair(constructor, transformOf, fieldsOf);
  setTag(constructor);
}
makeEnumerable(TextEncoderStream.prototype, ['encoding']);
makeEnumerable(TextDecoderStream.prototype, ['encoding', 'fatal', 'ignoreBOM']);

module.exports = { TextEncoderStream, TextDecoderStream, CompressionStream, DecompressionStream };
