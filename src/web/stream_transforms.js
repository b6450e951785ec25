'use strict';

// TextEncoderStream and TextDecoderStream (Encoding Standard, clause 7), CompressionStream and DecompressionStream
// (Compression Standard): pairs of a readable and a writable side.

const { codes: { ERR_INVALID_ARG_TYPE, ERR_INVALID_THIS } } = require('#internal/errors');
const { makeEnumerable, setTag } = require('#web/event');
const { inspectFields, inspectSymbol } = require('#web/inspect');

const { TextEncoder, TextDecoder } = require('#web/encoding');

const lazyStreams = () => require('#web/streams');

/** The look in util.inspect; a wrong receiver fails where the class's private state is read. */
function defineInspect(constructor, fieldsOf) {
  Object.defineProperty(constructor.prototype, inspectSymbol, {
    __proto__: null,
    configurable: true,
    writable: true,
    value(depth, options) {
      if (!(this instanceof constructor)) throw new ERR_INVALID_THIS(constructor.name);
      const fields = { ...fieldsOf(this), readable: this.readable, writable: this.writable };
      return inspectFields(constructor.name, fields, depth, options);
    },
  });
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
    void this.#transform;
    return 'utf-8';
  }

  get readable() { return this.#transform.readable; }
  get writable() { return this.#transform.writable; }
}

class TextDecoderStream {
  #transform;
  #decoder;

  constructor(encoding = 'utf-8', options = {}) {
    this.#decoder = new TextDecoder(encoding, options);
    this.#transform = new (lazyStreams().TransformStream)({
      transform: (chunk, controller) => {
        if (chunk === undefined) throw new ERR_INVALID_ARG_TYPE('chunk', ['ArrayBuffer', 'ArrayBufferView'], chunk);
        const text = this.#decoder.decode(chunk, { stream: true });
        if (text !== '') controller.enqueue(text);
      },
      flush: (controller) => {
        const text = this.#decoder.decode();
        if (text !== '') controller.enqueue(text);
      },
    });
  }

  get encoding() { return this.#decoder.encoding; }
  get fatal() { return this.#decoder.fatal; }
  get ignoreBOM() { return this.#decoder.ignoreBOM; }
  get readable() { return this.#transform.readable; }
  get writable() { return this.#transform.writable; }
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

function checkFormat(format, name) {
  const names = formats[format];
  if (names !== undefined) return names;
  const error = new TypeError(
    `Failed to construct '${name}': 1st argument value '${format}' is not a valid enum value of type CompressionFormat.`);
  error.code = 'ERR_INVALID_ARG_VALUE';
  throw error;
}

class CompressionStream {
  #transform;

  constructor(format) {
    this.#transform = zlibPair(require('zlib')[checkFormat(format, 'CompressionStream')[0]]());
  }

  get readable() { return this.#transform.readable; }
  get writable() { return this.#transform.writable; }
}

/** What the Compression Standard wants of zlib's errors. */
function asTypeError(cause) {
  if (!/^(Z_|ERR_)/.test(cause.code)) return cause;
  const error = new TypeError(undefined, { cause });
  error.code = cause.code;
  return error;
}

class DecompressionStream {
  #transform;

  constructor(format) {
    const [, create] = checkFormat(format, 'DecompressionStream');
    const stream = require('zlib')[create]({ rejectGarbageAfterEnd: true });
    // A corrupt input is a TypeError of the pair, and not an error that nobody listens to.
    stream.on('error', () => {});
    const { destroy } = stream;
    stream.destroy = (error, callback) => Reflect.apply(destroy, stream, [error && asTypeError(error), callback]);
    this.#transform = zlibPair(stream);
  }

  get readable() { return this.#transform.readable; }
  get writable() { return this.#transform.writable; }
}

const encoderFields = (stream) => ({ encoding: stream.encoding });
const decoderFields = (stream) => ({ encoding: stream.encoding, fatal: stream.fatal, ignoreBOM: stream.ignoreBOM });

for (const [constructor, fieldsOf] of [[TextEncoderStream, encoderFields], [TextDecoderStream, decoderFields],
  [CompressionStream, () => ({})], [DecompressionStream, () => ({})]]) {
  makeEnumerable(constructor.prototype, ['readable', 'writable']);
  defineInspect(constructor, fieldsOf);
  setTag(constructor);
}
makeEnumerable(TextEncoderStream.prototype, ['encoding']);
makeEnumerable(TextDecoderStream.prototype, ['encoding', 'fatal', 'ignoreBOM']);

module.exports = { TextEncoderStream, TextDecoderStream, CompressionStream, DecompressionStream };
