'use strict';
// node:zlib. The classes are in streams.js; here are the functions for whole buffers, each of which is one native call:
// at once for the synchronous ones, one job of the zlib lane for the others.

const { Buffer } = require('buffer');
const {
  codes: { ERR_BUFFER_TOO_LARGE, ERR_INVALID_ARG_TYPE, ERR_TRAILING_JUNK_AFTER_STREAM_END },
} = require('#internal/errors');
const { validateFunction, validateUint32 } = require('#internal/validators');
const { codes, constants, onModule } = require('#zlib/constants');
const { resolveOptions } = require('#zlib/options');
const streams = require('#zlib/streams');

const native = binding('zlib');

function bytesOf(buffer) {
  if (typeof buffer === 'string') return Buffer.from(buffer);
  if (ArrayBuffer.isView(buffer)) return buffer;
  if (require('util').types.isAnyArrayBuffer(buffer)) return new Uint8Array(buffer);
  throw new ERR_INVALID_ARG_TYPE('buffer', ['string', 'Buffer', 'TypedArray', 'DataView', 'ArrayBuffer'], buffer);
}

/** What the native side reports for a whole buffer: `undefined`, or why there is no result. */
function errorOf(failure, common) {
  if (failure.code === 'ERR_BUFFER_TOO_LARGE') return new ERR_BUFFER_TOO_LARGE(common.maxOutputLength);
  if (failure.code === 'ERR_TRAILING_JUNK_AFTER_STREAM_END') return new ERR_TRAILING_JUNK_AFTER_STREAM_END();
  return streams.makeError(failure);
}

/** With `info`, the result names the engine too. */
function resultOf(Class, options, common, input, data) {
  const buffer = Buffer.from(data);
  if (!common.info) return buffer;
  const engine = new Class(options);
  engine.bytesWritten = native.lastConsumed();
  engine.close();
  return { buffer, engine };
}

function run(resolved, mode, input, callback) {
  const { common } = resolved;
  return native.whole(mode, resolved.params, resolved.dictionary, common.finishFlush, common.chunkSize,
    common.maxOutputLength, common.rejectGarbageAfterEnd, input, callback);
}

function asyncMethod(Class, mode) {
  return function asyncBufferWrapper(buffer, options, callback) {
    if (typeof options === 'function') {
      callback = options;
      options = {};
    }
    const resolved = resolveOptions(options, mode);
    validateFunction(callback, 'callback');
    const input = bytesOf(buffer);
    run(resolved, mode, input, (failure, data) => {
      if (failure !== undefined) callback(errorOf(failure, resolved.common));
      else callback(null, resultOf(Class, options, resolved.common, input, data));
    });
  };
}

function syncMethod(Class, mode) {
  return function syncBufferWrapper(buffer, options) {
    const resolved = resolveOptions(options, mode);
    const input = bytesOf(buffer);
    const data = run(resolved, mode, input, undefined);
    if (!(data instanceof ArrayBuffer)) throw errorOf(data, resolved.common);
    return resultOf(Class, options, resolved.common, input, data);
  };
}

function creator(Class) {
  return {
    __proto__: null,
    configurable: true,
    enumerable: true,
    value: function(options) {
      return new Class(options);
    },
  };
}

/** The CRC-32 of `data`, continuing from `value`. */
function crc32(data, value = 0) {
  if (typeof data !== 'string' && !ArrayBuffer.isView(data)) {
    throw new ERR_INVALID_ARG_TYPE('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
  }
  validateUint32(value, 'value');
  return native.crc32(data, value);
}

const kMethods = [
  ['deflate', streams.Deflate, constants.DEFLATE], ['gzip', streams.Gzip, constants.GZIP],
  ['deflateRaw', streams.DeflateRaw, constants.DEFLATERAW], ['unzip', streams.Unzip, constants.UNZIP],
  ['inflate', streams.Inflate, constants.INFLATE], ['gunzip', streams.Gunzip, constants.GUNZIP],
  ['inflateRaw', streams.InflateRaw, constants.INFLATERAW],
  ['brotliCompress', streams.BrotliCompress, constants.BROTLI_ENCODE],
  ['brotliDecompress', streams.BrotliDecompress, constants.BROTLI_DECODE],
  ['zstdCompress', streams.ZstdCompress, constants.ZSTD_COMPRESS],
  ['zstdDecompress', streams.ZstdDecompress, constants.ZSTD_DECOMPRESS],
];

module.exports = {
  crc32,
  Deflate: streams.Deflate,
  Inflate: streams.Inflate,
  Gzip: streams.Gzip,
  Gunzip: streams.Gunzip,
  DeflateRaw: streams.DeflateRaw,
  InflateRaw: streams.InflateRaw,
  Unzip: streams.Unzip,
  BrotliCompress: streams.BrotliCompress,
  BrotliDecompress: streams.BrotliDecompress,
  ZstdCompress: streams.ZstdCompress,
  ZstdDecompress: streams.ZstdDecompress,
};
for (const [name, Class, mode] of kMethods) {
  module.exports[name] = asyncMethod(Class, mode);
  module.exports[`${name}Sync`] = syncMethod(Class, mode);
}

const kCreated = ['Deflate', 'Inflate', 'DeflateRaw', 'InflateRaw', 'Gzip', 'Gunzip', 'Unzip', 'BrotliCompress',
  'BrotliDecompress', 'ZstdCompress', 'ZstdDecompress'];
for (const name of kCreated) Object.defineProperty(module.exports, `create${name}`, creator(streams[name]));

Object.defineProperties(module.exports, {
  constants: { __proto__: null, configurable: false, enumerable: true, value: Object.freeze(constants) },
  codes: { __proto__: null, configurable: false, enumerable: true, writable: false, value: codes },
});
for (const name of Object.keys(onModule)) {
  Object.defineProperty(module.exports, name, { __proto__: null, enumerable: false, value: onModule[name] });
}
