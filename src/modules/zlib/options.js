'use strict';
// The options of each codec, checked and resolved to what the native side takes.

const { kMaxLength } = require('buffer');
const {
  codes: {
    ERR_BROTLI_INVALID_PARAM, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_OUT_OF_RANGE, ERR_ZSTD_INVALID_PARAM,
  },
} = require('#internal/errors');
const { constants } = require('#zlib/constants');

const {
  BROTLI_ENCODE, DEFLATERAW, GUNZIP, GZIP, INFLATE, UNZIP, ZSTD_COMPRESS,
  Z_DEFAULT_CHUNK, Z_MIN_CHUNK,
} = constants;

/** Whether `number` is to be used: false for undefined and NaN, which mean the default. */
function isGiven(number, name) {
  if (number === undefined) return false;
  if (Number.isFinite(number)) return true;
  if (Number.isNaN(number)) return false;
  if (typeof number !== 'number') throw new ERR_INVALID_ARG_TYPE(name, 'number', number);
  throw new ERR_OUT_OF_RANGE(name, 'a finite number', number);
}

function inRange(number, name, low, high, fallback) {
  if (!isGiven(number, name)) return fallback;
  if (number < low || number > high) throw new ERR_OUT_OF_RANGE(name, `>= ${low} and <= ${high}`, number);
  return number;
}

const kFlushRanges = {
  zlib: [constants.Z_NO_FLUSH, constants.Z_BLOCK],
  brotli: [constants.BROTLI_OPERATION_PROCESS, constants.BROTLI_OPERATION_EMIT_METADATA],
  zstd: [constants.ZSTD_e_continue, constants.ZSTD_e_end],
};

const kFlushDefaults = {
  zlib: { flush: constants.Z_NO_FLUSH, finishFlush: constants.Z_FINISH, fullFlush: constants.Z_FULL_FLUSH },
  brotli: {
    flush: constants.BROTLI_OPERATION_PROCESS, finishFlush: constants.BROTLI_OPERATION_FINISH,
    fullFlush: constants.BROTLI_OPERATION_FLUSH,
  },
  zstd: { flush: constants.ZSTD_e_continue, finishFlush: constants.ZSTD_e_end, fullFlush: constants.ZSTD_e_flush },
};

/**
 * What all codecs have in common.
 * @param {object | undefined} options
 * @param {'zlib' | 'brotli' | 'zstd'} family
 */
function commonOptions(options, family) {
  const defaults = kFlushDefaults[family];
  const result = {
    chunkSize: Z_DEFAULT_CHUNK,
    flush: defaults.flush,
    finishFlush: defaults.finishFlush,
    fullFlush: defaults.fullFlush,
    maxOutputLength: kMaxLength,
    info: undefined,
    rejectGarbageAfterEnd: false,
  };
  if (!options) return result;
  const { chunkSize } = options;
  if (isGiven(chunkSize, 'options.chunkSize')) {
    if (chunkSize < Z_MIN_CHUNK) {
      throw new ERR_OUT_OF_RANGE('options.chunkSize', `>= ${Z_MIN_CHUNK}`, chunkSize);
    }
    result.chunkSize = chunkSize;
  }
  const [low, high] = kFlushRanges[family];
  result.flush = inRange(options.flush, 'options.flush', low, high, defaults.flush);
  result.finishFlush = inRange(options.finishFlush, 'options.finishFlush', low, high, defaults.finishFlush);
  result.maxOutputLength = inRange(options.maxOutputLength, 'options.maxOutputLength', 1, kMaxLength, kMaxLength);
  result.info = options.info;
  if (options.rejectGarbageAfterEnd !== undefined) {
    require('#internal/validators').validateBoolean(options.rejectGarbageAfterEnd, 'options.rejectGarbageAfterEnd');
    result.rejectGarbageAfterEnd = options.rejectGarbageAfterEnd;
  }
  return result;
}

/** A dictionary as bytes; undefined if there is none. */
function dictionaryOf(dictionary) {
  if (dictionary === undefined || ArrayBuffer.isView(dictionary)) return dictionary;
  if (require('util').types.isAnyArrayBuffer(dictionary)) return new Uint8Array(dictionary);
  throw new ERR_INVALID_ARG_TYPE('options.dictionary', ['Buffer', 'TypedArray', 'DataView', 'ArrayBuffer'],
    dictionary);
}

/** The window, level, memory level and strategy of a zlib codec. */
function zlibOptions(options, mode) {
  const result = {
    windowBits: constants.Z_DEFAULT_WINDOWBITS, level: constants.Z_DEFAULT_COMPRESSION,
    memLevel: constants.Z_DEFAULT_MEMLEVEL, strategy: constants.Z_DEFAULT_STRATEGY, dictionary: undefined,
  };
  if (!options) return result;
  const { windowBits } = options;
  // zlib takes the window from the header when it inflates and is given none.
  if ((windowBits === undefined || windowBits === null || windowBits === 0) &&
      (mode === INFLATE || mode === GUNZIP || mode === UNZIP)) {
    result.windowBits = 0;
  } else {
    // `{ windowBits: 8 }` is valid for DeflateRaw but not for gzip.
    const low = constants.Z_MIN_WINDOWBITS + (mode === GZIP ? 1 : 0);
    result.windowBits = inRange(windowBits, 'options.windowBits', low, constants.Z_MAX_WINDOWBITS,
      constants.Z_DEFAULT_WINDOWBITS);
    // zlib cannot deflate with a window of 256 bytes; Node's answer is the next larger.
    if (mode === DEFLATERAW && result.windowBits === 8) result.windowBits = 9;
  }
  result.level = inRange(options.level, 'options.level', constants.Z_MIN_LEVEL, constants.Z_MAX_LEVEL,
    constants.Z_DEFAULT_COMPRESSION);
  result.memLevel = inRange(options.memLevel, 'options.memLevel', constants.Z_MIN_MEMLEVEL,
    constants.Z_MAX_MEMLEVEL, constants.Z_DEFAULT_MEMLEVEL);
  result.strategy = inRange(options.strategy, 'options.strategy', constants.Z_DEFAULT_STRATEGY, constants.Z_FIXED,
    constants.Z_DEFAULT_STRATEGY);
  result.dictionary = dictionaryOf(options.dictionary);
  return result;
}

/** `[key, value, ...]` of an object of parameters. */
function paramPairs(params, maxKey, InvalidParam) {
  const pairs = [];
  const seen = new Set();
  for (const original of Object.keys(params)) {
    const key = +original;
    if (Number.isNaN(key) || key < 0 || key > maxKey || seen.has(key)) throw new InvalidParam(original);
    seen.add(key);
    const value = params[original];
    if (typeof value !== 'number' && typeof value !== 'boolean') {
      throw new ERR_INVALID_ARG_TYPE('options.params[key]', 'number', value);
    }
    pairs.push(key, Number(value));
  }
  return pairs;
}

const kMaxBrotliParam = constants.BROTLI_PARAM_NDIRECT;
const kMaxZstdCompressParam = constants.ZSTD_c_overlapLog;
const kMaxZstdDecompressParam = constants.ZSTD_d_windowLogMax;

function brotliOptions(options) {
  return options?.params ? paramPairs(options.params, kMaxBrotliParam, ERR_BROTLI_INVALID_PARAM) : [];
}

/** The pledged size (-1 for none), then key and value by turns. */
function zstdOptions(options, mode) {
  const max = mode === ZSTD_COMPRESS ? kMaxZstdCompressParam : kMaxZstdDecompressParam;
  const pairs = options?.params ? paramPairs(options.params, max, ERR_ZSTD_INVALID_PARAM) : [];
  let pledged = -1;
  if (mode === ZSTD_COMPRESS && options?.pledgedSrcSize !== undefined && options.pledgedSrcSize !== null) {
    pledged = options.pledgedSrcSize;
    if (typeof pledged !== 'number') throw new ERR_INVALID_ARG_TYPE('options.pledgedSrcSize', 'number', pledged);
    if (pledged < 0) {
      const error = new ERR_INVALID_ARG_VALUE('options.pledgedSrcSize', pledged);
      error.message = 'pledgedSrcSize may not be negative';
      throw error;
    }
  }
  return [pledged, ...pairs];
}

function familyOf(mode) {
  if (mode >= ZSTD_COMPRESS) return 'zstd';
  return mode === BROTLI_ENCODE || mode === constants.BROTLI_DECODE ? 'brotli' : 'zlib';
}

/** Everything about a codec: `common`, and `native`: the arguments of the native side after the mode. */
function resolveOptions(options, mode) {
  const family = familyOf(mode);
  const common = commonOptions(options, family);
  if (family === 'zlib') {
    const own = zlibOptions(options, mode);
    return {
      common, own, params: [own.windowBits, own.level, own.memLevel, own.strategy], dictionary: own.dictionary,
    };
  }
  if (family === 'brotli') return { common, own: undefined, params: brotliOptions(options), dictionary: undefined };
  const dictionary = ArrayBuffer.isView(options?.dictionary) ? options.dictionary : undefined;
  return { common, own: undefined, params: zstdOptions(options, mode), dictionary };
}

module.exports = { familyOf, inRange, resolveOptions };
