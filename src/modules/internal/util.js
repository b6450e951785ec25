'use strict';

// Helpers that every module's JavaScript half uses: deprecation, promisify, lazy properties, WebIDL-like
// property definitions, encodings' names, system errors' names.

const { codes: { ERR_INVALID_ARG_TYPE, ERR_NO_CRYPTO }, overrideStackTrace } = require('#internal/errors');
const { validateFunction, validateNumber, validateString } = require('#internal/validators');
const { systemErrorMap } = require('#internal/errno');
const { signals, convertToValidSignal } = require('#internal/signals');

const kEmptyObject = Object.freeze({ __proto__: null });
const kEnumerableProperty = Object.freeze({ __proto__: null, enumerable: true });
const customInspectSymbol = Symbol.for('nodejs.util.inspect.custom');
const kCustomPromisify = Symbol.for('nodejs.util.promisify.custom');
const kCustomPromisifyArgs = Symbol('customPromisifyArgs');
const kIsEncodingSymbol = Symbol('kIsEncodingSymbol');
const kVmBreakFirstLineSymbol = Symbol('kVmBreakFirstLineSymbol');

const encodingsMap = {
  __proto__: null, ascii: 0, utf8: 1, base64: 2, utf16le: 3, latin1: 4, hex: 5, buffer: 6, base64url: 7,
};
const kEncodingAliases = {
  __proto__: null,
  'utf8': 'utf8', 'utf-8': 'utf8', 'ucs2': 'utf16le', 'ucs-2': 'utf16le', 'utf16le': 'utf16le',
  'utf-16le': 'utf16le', 'latin1': 'latin1', 'binary': 'latin1', 'base64': 'base64', 'base64url': 'base64url',
  'hex': 'hex', 'ascii': 'ascii',
};

/** @returns {string | undefined} the canonical name of a Buffer encoding; nothing given means utf8 */
function normalizeEncoding(encoding) {
  if (encoding == null || encoding === 'utf8' || encoding === 'utf-8') return 'utf8';
  const direct = kEncodingAliases[encoding];
  if (direct !== undefined) return direct;
  const text = `${encoding}`;
  return text === '' ? 'utf8' : kEncodingAliases[text.toLowerCase()];
}

// --- deprecation ---

const warnedCodes = new Set();

function emitDeprecation(message, code, ctor) {
  if (code === undefined) {
    process.emitWarning(message, 'DeprecationWarning', ctor);
  } else if (!warnedCodes.has(code)) {
    process.emitWarning(message, 'DeprecationWarning', code, ctor);
    warnedCodes.add(code);
  }
}

function isPendingDeprecation() {
  return require('#runtime/options').getOptionValue('--pending-deprecation') === true && !process.noDeprecation;
}

/** @returns {() => void} emits the warning at its first call, unless `shouldEmit()` says no */
function getDeprecationWarningEmitter(code, message, deprecated, shouldEmit = () => true) {
  let warned = false;
  return function emit() {
    if (warned || !shouldEmit()) return;
    warned = true;
    emitDeprecation(message, code, deprecated);
  };
}

/** @returns {Function} `fn` with a warning, once per code and process */
function deprecate(fn, message, code, isPendingOnly = false) {
  if (code !== undefined) validateString(code, 'code');
  let warned = false;
  function deprecated(...args) {
    if (!warned && !process.noDeprecation && (!isPendingOnly || isPendingDeprecation())) {
      warned = true;
      emitDeprecation(message, code, deprecated);
    }
    if (new.target) return Reflect.construct(fn, args, new.target);
    return Reflect.apply(fn, this, args);
  }
  Object.setPrototypeOf(deprecated, fn);
  if (fn.prototype) deprecated.prototype = fn.prototype;
  Object.defineProperty(deprecated, 'length', { __proto__: null, ...Object.getOwnPropertyDescriptor(fn, 'length') });
  return deprecated;
}

const pendingDeprecate = (fn, message, code) => deprecate(fn, message, code, true);

/** For classes once callable without `new`: warns and constructs. */
function deprecateInstantiation(target, code, ...args) {
  if (!process.noDeprecation) {
    emitDeprecation(`Instantiating ${target.name} without the 'new' keyword has been deprecated.`, code);
  }
  return Reflect.construct(target, args);
}

/** @returns {(options: object) => void} warns when the options have the key */
function deprecateProperty(key, message, code, isPendingOnly = false) {
  const emit = getDeprecationWarningEmitter(code, message, undefined,
    () => (isPendingOnly ? isPendingDeprecation() : !process.noDeprecation));
  return (options) => {
    if (key in options) emit();
  };
}

const warnedFeatures = new Set();

function emitExperimentalWarning(feature, messagePrefix = '', code = undefined, ctor = undefined) {
  if (warnedFeatures.has(feature)) return;
  warnedFeatures.add(feature);
  process.emitWarning(`${messagePrefix}${feature} is an experimental feature and might change at any time`,
    'ExperimentalWarning', code, ctor);
}

// --- promises ---

let isPromise;

/** util.promisify() */
function promisify(original) {
  validateFunction(original, 'original');
  const custom = original[kCustomPromisify];
  if (custom) {
    validateFunction(custom, 'util.promisify.custom');
    return Object.defineProperty(custom, kCustomPromisify,
      { __proto__: null, value: custom, enumerable: false, writable: false, configurable: true });
  }
  const argumentNames = original[kCustomPromisifyArgs];
  isPromise ??= binding('types').isPromise;
  function fn(...args) {
    return new Promise((resolve, reject) => {
      const result = Reflect.apply(original, this, [...args, (error, ...values) => {
        if (error) {
          reject(error);
        } else if (argumentNames !== undefined && values.length > 1) {
          const object = {};
          for (let i = 0; i < argumentNames.length; i++) object[argumentNames[i]] = values[i];
          resolve(object);
        } else {
          resolve(values[0]);
        }
      }]);
      if (isPromise(result)) {
        process.emitWarning('Calling promisify on a function that returns a Promise is likely a mistake.',
          'DeprecationWarning', 'DEP0174');
      }
    });
  }
  Object.setPrototypeOf(fn, Object.getPrototypeOf(original));
  Object.defineProperty(fn, kCustomPromisify,
    { __proto__: null, value: fn, enumerable: false, writable: false, configurable: true });
  const descriptors = Object.getOwnPropertyDescriptors(original);
  for (const key of Reflect.ownKeys(descriptors)) Object.setPrototypeOf(descriptors[key], null);
  return Object.defineProperties(fn, descriptors);
}
promisify.custom = kCustomPromisify;

/** @returns {{ promise: Promise, resolve: Function, reject: Function }} */
const createDeferredPromise = () => Promise.withResolvers();

// --- functions ---

function once(callback, { preserveReturnValue = false } = kEmptyObject) {
  let called = false;
  let value;
  return function(...args) {
    if (called) return preserveReturnValue ? value : undefined;
    called = true;
    const result = Reflect.apply(callback, this, args);
    if (preserveReturnValue) value = result;
    return result;
  };
}

/** @returns {() => T} calls `initializer` at most once */
function getLazy(initializer) {
  let value;
  let done = false;
  return function() {
    if (!done) {
      value = initializer();
      done = true;
    }
    return value;
  };
}

/** Like getLazy(), and hands out a copy of the array each time. */
function cachedResult(fn) {
  let result;
  return () => (result ??= fn()).slice();
}

function assignFunctionName(name, fn, descriptor = kEmptyObject) {
  if (typeof name === 'symbol') name = name.description ? `[${name.description}]` : '';
  return Object.defineProperty(fn, 'name', {
    __proto__: null, writable: false, enumerable: false, configurable: true,
    ...Object.getOwnPropertyDescriptor(fn, 'name'), ...descriptor, value: `${name}`,
  });
}

function createClassWrapper(type) {
  function fn(...args) {
    return Reflect.construct(type, args, new.target || type);
  }
  Object.defineProperties(fn, {
    name: { __proto__: null, value: type.name },
    length: { __proto__: null, value: type.length },
  });
  Object.setPrototypeOf(fn, type);
  fn.prototype = type.prototype;
  return fn;
}

function getConstructorOf(object) {
  while (object) {
    const descriptor = Object.getOwnPropertyDescriptor(object, 'constructor');
    if (typeof descriptor?.value === 'function' && descriptor.value.name !== '') return descriptor.value;
    object = Object.getPrototypeOf(object);
  }
  return undefined;
}

// --- defining properties ---

/** A WebIDL operation on `target`: enumerable. */
function defineOperation(target, name, method) {
  Object.defineProperty(target, name,
    { __proto__: null, writable: true, enumerable: true, configurable: true, value: method });
}

/** A WebIDL interface object on `target`: not enumerable. */
function exposeInterface(target, name, interfaceObject) {
  Object.defineProperty(target, name,
    { __proto__: null, writable: true, enumerable: false, configurable: true, value: interfaceObject });
}

const exposeNamespace = exposeInterface;

function exposeGetterAndSetter(target, name, getter, setter = undefined) {
  Object.defineProperty(target, name,
    { __proto__: null, enumerable: false, configurable: true, get: getter, set: setter });
}

/** Data properties that load `id` when first read: accessors that replace themselves. */
function defineLazyProperties(target, id, keys, enumerable = true) {
  let loaded;
  const replace = (key, value) => Object.defineProperty(target, key,
    { __proto__: null, writable: true, enumerable, configurable: true, value });
  for (const key of keys) {
    const accessors = {
      get [key]() {
        loaded ??= require(id);
        replace(key, loaded[key]);
        return loaded[key];
      },
      set [key](value) {
        replace(key, value);
      },
    };
    const { get, set } = Object.getOwnPropertyDescriptor(accessors, key);
    Object.defineProperty(get, 'name', { __proto__: null, value: key, configurable: true });
    Object.defineProperty(set, 'name', { __proto__: null, value: key, configurable: true });
    Object.defineProperty(target, key, { __proto__: null, enumerable, configurable: true, get, set });
  }
}

const exposeLazyInterfaces = (target, id, keys) => defineLazyProperties(target, id, keys, false);

/** WebIDL attributes of the global object whose object is made when first read; [Replaceable] if writable. */
function defineReplaceableLazyAttribute(target, id, keys, writable = true, check = undefined) {
  let loaded;
  for (const key of keys) {
    let value;
    let replaced = false;
    const accessors = {
      get [key]() {
        check?.call(this);
        if (!replaced) {
          loaded ??= require(id);
          value ??= loaded[key];
        }
        return value;
      },
      set [key](newValue) {
        replaced = true;
        value = newValue;
      },
    };
    const descriptor = Object.getOwnPropertyDescriptor(accessors, key);
    if (!writable) descriptor.set = undefined;
    Object.defineProperty(target, key, { ...descriptor, enumerable: true, configurable: true });
  }
}

function setOwnProperty(object, key, value) {
  return Object.defineProperty(object, key,
    { __proto__: null, configurable: true, enumerable: true, value, writable: true });
}

function filterOwnProperties(source, keys) {
  const filtered = { __proto__: null };
  for (const key of keys) if (Object.hasOwn(source, key)) filtered[key] = source[key];
  return filtered;
}

// --- arrays and strings ---

/** Removes one element; faster than splice(). */
function spliceOne(list, index) {
  for (; index + 1 < list.length; index++) list[index] = list[index + 1];
  list.pop();
}

const join = (output, separator) => output.join(separator);

/**
 * Lower-cases, drops duplicates, keeps the first spelling's order sorted as `crypto.getHashes()` shows it.
 */
function filterDuplicateStrings(items, low = false) {
  const map = new Map();
  for (const item of items) {
    const key = item.toLowerCase();
    if (low) map.set(key, key);
    else map.set(key, item);
  }
  return [...map.values()].sort();
}

const kColorRegExp = /\u001b\[\d\d?m/g;
const removeColors = (text) => text.replace(kColorRegExp, '');

// --- the rest ---

function getSystemErrorName(errno) {
  const entry = systemErrorMap().get(errno);
  return entry ? entry[0] : `Unknown system error ${errno}`;
}

function getSystemErrorMessage(errno) {
  const entry = systemErrorMap().get(errno);
  return entry ? entry[1] : `Unknown system error ${errno}`;
}

const lazyDOMExceptionClass = () => globalThis.DOMException;
const lazyDOMException = (message, name) => new (lazyDOMExceptionClass())(message, name);

function assertCrypto() {
  if (!process.versions.openssl) throw new ERR_NO_CRYPTO();
}

function isError(value) {
  return binding('types').isNativeError(value) || value instanceof Error;
}

const isUnderNodeModules = (filename) => /[/\\]node_modules[/\\]/.test(filename);

/** @returns {object[]} the call sites above the caller */
function getStructuredStack() {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = Infinity;
  const error = {};
  overrideStackTrace.set(error, (_, sites) => sites);
  Error.captureStackTrace(error, getStructuredStack);
  const sites = error.stack;
  Error.stackTraceLimit = limit;
  return Array.isArray(sites) ? sites : [];
}

/** Blocks the thread. */
function sleep(milliseconds) {
  validateNumber(milliseconds, 'msec');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

function countPrefixBits(octets) {
  const bits = octets.map((octet) => octet.toString(2).padStart(8, '0')).join('');
  return /^1*0*$/.test(bits) ? bits.indexOf('0') === -1 ? bits.length : bits.indexOf('0') : -1;
}

/** @returns {string | null} '127.0.0.1/8' from an address and its netmask */
function getCIDR(address, netmask, family) {
  let octets;
  if (family === 'IPv6') {
    octets = netmask.split(':').flatMap((group) => {
      const value = Number.parseInt(group || '0', 16);
      return [value >> 8, value & 0xFF];
    });
  } else {
    octets = netmask.split('.').map(Number);
  }
  const bits = countPrefixBits(octets);
  return bits === -1 ? null : `${address}/${bits}`;
}

/** A weak reference that is strong while someone holds it with incRef(). */
class WeakReference {
  #weak = null;
  #strong = null; // eslint-disable-line no-unused-private-class-members -- holding is its purpose
  #refs = 0;
  constructor(object) {
    this.#weak = new WeakRef(object);
  }
  incRef() {
    this.#refs++;
    if (this.#refs === 1) this.#strong = this.#weak.deref();
    return this.#refs;
  }
  decRef() {
    this.#refs--;
    if (this.#refs === 0) this.#strong = null;
    return this.#refs;
  }
  get() {
    return this.#weak.deref();
  }
}

function checkedCallable(value, name) {
  if (typeof value !== 'function') throw new ERR_INVALID_ARG_TYPE(name, 'function', value);
  return value;
}

module.exports = {
  WeakReference,
  assertCrypto,
  assignFunctionName,
  cachedResult,
  checkedCallable,
  convertToValidSignal,
  createClassWrapper,
  createDeferredPromise,
  customInspectSymbol,
  customPromisifyArgs: kCustomPromisifyArgs,
  defineLazyProperties,
  defineOperation,
  defineReplaceableLazyAttribute,
  deprecate,
  deprecateInstantiation,
  deprecateProperty,
  emitExperimentalWarning,
  encodingsMap,
  exposeGetterAndSetter,
  exposeInterface,
  exposeLazyInterfaces,
  exposeNamespace,
  filterDuplicateStrings,
  filterOwnProperties,
  getCIDR,
  getConstructorOf,
  getDeprecationWarningEmitter,
  getLazy,
  getStructuredStack,
  getSystemErrorMap: systemErrorMap,
  getSystemErrorMessage,
  getSystemErrorName,
  isError,
  isMacOS: false,
  isPendingDeprecation,
  isUnderNodeModules,
  isWindows: false,
  join,
  kCustomPromisify,
  kCustomPromisifyArgs,
  kEmptyObject,
  kEnumerableProperty,
  kIsEncodingSymbol,
  kVmBreakFirstLineSymbol,
  lazy: getLazy,
  lazyDOMException,
  lazyDOMExceptionClass,
  normalizeEncoding,
  once,
  pendingDeprecate,
  promisify,
  removeColors,
  setOwnProperty,
  signals,
  sleep,
  spliceOne,
};
