'use strict';

// node:util. inspect() and format() are in inspect.js and the files named inspect_*.

const errors = require('#internal/errors');
const { codes: { ERR_FALSY_VALUE_REJECTION, ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE } } = errors;
const validators = require('#internal/validators');
const internalUtil = require('#internal/util');
const { format, formatWithOptions, inspect, stripVTControlCharacters } = require('#util/inspect');
const { debuglog } = require('#util/debuglog');
const { styleText } = require('#util/style_text');
const types = require('#util/types');

const { deprecate, kEmptyObject, promisify } = internalUtil;
const { validateBoolean, validateFunction, validateNumber, validateObject, validateString } =
  validators;

// --- callbackify ---

function settleWithError(reason, callback) {
  // A callback takes a falsy first argument for success.
  if (!reason) {
    const error = new ERR_FALSY_VALUE_REJECTION(reason);
    if (Error.stackTraceLimit) Error.captureStackTrace(error, settleWithError);
    reason = error;
  }
  return callback(reason);
}

/** From a function that returns a promise to one that takes a callback. */
function callbackify(original) {
  validateFunction(original, 'original');
  function callbackified(...args) {
    const callback = args.pop();
    validateFunction(callback, 'last argument');
    const bound = callback.bind(this);
    Reflect.apply(original, this, args).then(
      (value) => process.nextTick(bound, null, value),
      (reason) => process.nextTick(settleWithError, reason, bound));
  }
  const descriptors = Object.getOwnPropertyDescriptors(original);
  if (typeof descriptors.length.value === 'number') descriptors.length.value++;
  if (typeof descriptors.name.value === 'string') descriptors.name.value += 'Callbackified';
  for (const key of Reflect.ownKeys(descriptors)) Object.setPrototypeOf(descriptors[key], null);
  return Object.defineProperties(callbackified, descriptors);
}

// --- small ones ---

function inherits(ctor, superCtor) {
  if (ctor === undefined || ctor === null) throw new ERR_INVALID_ARG_TYPE('ctor', 'Function', ctor);
  if (superCtor === undefined || superCtor === null) {
    throw new ERR_INVALID_ARG_TYPE('superCtor', 'Function', superCtor);
  }
  if (superCtor.prototype === undefined) {
    throw new ERR_INVALID_ARG_TYPE('superCtor.prototype', 'Object', superCtor.prototype);
  }
  Object.defineProperty(ctor, 'super_', { __proto__: null, value: superCtor, writable: true, configurable: true });
  Object.setPrototypeOf(ctor.prototype, superCtor.prototype);
}

function _extend(target, source) {
  if (source === null || typeof source !== 'object') return target;
  return Object.assign(target, source);
}

function validateErrno(errno) {
  validateNumber(errno, 'err');
  if (errno >= 0 || !Number.isSafeInteger(errno)) throw new ERR_OUT_OF_RANGE('err', 'a negative integer', errno);
}

function getSystemErrorName(errno) {
  validateErrno(errno);
  return internalUtil.getSystemErrorName(errno);
}

function getSystemErrorMessage(errno) {
  validateErrno(errno);
  return internalUtil.getSystemErrorMessage(errno);
}

const getSystemErrorMap = () => new Map(internalUtil.getSystemErrorMap());

function _errnoException(...args) {
  if (args[0] !== undefined) validateErrno(args[0]);
  const error = errors.ErrnoException(...args);
  if (Error.stackTraceLimit) Error.captureStackTrace(error, _errnoException);
  return error;
}

function _exceptionWithHostPort(...args) {
  const error = errors.ExceptionWithHostPort(...args);
  if (Error.stackTraceLimit) Error.captureStackTrace(error, _exceptionWithHostPort);
  return error;
}

const toUSVString = (input) => `${input}`.toWellFormed();

let comparisons;

function isDeepStrictEqual(a, b, skipPrototype) {
  comparisons ??= require('#internal/comparisons');
  return comparisons.isDeepStrictEqual(a, b, skipPrototype);
}

function parseEnv(content) {
  validateString(content, 'content');
  return require('#util/parse_env').parseDotEnv(content);
}

function parseArgs(config = kEmptyObject) {
  return require('#util/parse_args').parseArgs(config);
}

function diff(actual, expected) {
  return require('#util/diff').diff(actual, expected);
}

function setTraceSigInt(enable) {
  validateBoolean(enable, 'enable');
  binding('util').setTraceSigInt?.(enable);
}

/** The call site in the source that the script was made from, if a source map tells. */
function mapCallSite(site) {
  const map = require('module').findSourceMap(site.scriptName);
  const entry = map?.findEntry(site.lineNumber - 1, site.columnNumber - 1);
  if (entry?.originalSource === undefined) return site;
  const column = entry.originalColumn + 1;
  return Object.assign({ __proto__: null }, site, {
    functionName: entry.name ?? site.functionName,
    scriptName: entry.originalSource,
    lineNumber: entry.originalLine + 1,
    columnNumber: column,
    column,
  });
}

/** @param {number | object} [frameCount] @param {{ sourceMap?: boolean }} [options] */
function getCallSites(frameCount = undefined, options = undefined) {
  if (options === undefined) {
    if (typeof frameCount === 'object') {
      options = frameCount;
      validateObject(options, 'options');
      frameCount = undefined;
    } else {
      options = kEmptyObject;
    }
  } else {
    validateObject(options, 'options');
  }
  const { sourceMap } = options;
  if (sourceMap !== undefined) validateBoolean(sourceMap, 'options.sourceMap');
  frameCount ??= 10;
  validateNumber(frameCount, 'frameCount', 1, 200);
  const sites = binding('util').getCallSites(Math.floor(frameCount));
  for (let i = 0; i < sites.length; i++) Object.setPrototypeOf(sites[i], null);
  if (sourceMap !== true) return sites;
  return sites.map(mapCallSite);
}

const util = {
  _errnoException,
  _exceptionWithHostPort,
  _extend: deprecate(_extend, 'The `util._extend` API is deprecated. Please use Object.assign() instead.', 'DEP0060'),
  callbackify,
  debug: debuglog,
  debuglog,
  deprecate,
  format,
  styleText,
  formatWithOptions,
  getCallSites,
  getSystemErrorMap,
  getSystemErrorName,
  getSystemErrorMessage,
  inherits,
  inspect,
  isArray: deprecate(Array.isArray, 'The `util.isArray` API is deprecated. Please use `Array.isArray()` instead.',
    'DEP0044'),
  isDeepStrictEqual,
  promisify,
  stripVTControlCharacters,
  toUSVString,
  get transferableAbortSignal() {
    return require('#util/aborted').transferableAbortSignal;
  },
  get transferableAbortController() {
    return require('#util/aborted').transferableAbortController;
  },
  get aborted() {
    return require('#util/aborted').aborted;
  },
  types,
  parseEnv,
  parseArgs,
};
internalUtil.defineLazyProperties(util, '#web/encoding', ['TextDecoder', 'TextEncoder']);
internalUtil.defineLazyProperties(util, '#util/mime', ['MIMEType', 'MIMEParams']);
Object.assign(util, { diff, setTraceSigInt });

module.exports = util;
