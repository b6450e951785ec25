'use strict';

// URLPattern (URL Pattern Standard): urlpattern-polyfill does the matching; this is the class with Node's checks.

const { codes: { ERR_CONSTRUCT_CALL_REQUIRED } } = require('#internal/errors');

const components = ['protocol', 'username', 'password', 'hostname', 'port', 'pathname', 'search', 'hash'];

/** The polyfill's patterns, by ours. */
const patterns = new WeakMap();

function argumentError(message) {
  const error = new TypeError(message);
  error.code = 'ERR_INVALID_ARG_TYPE';
  return error;
}

function patternOf(value) {
  const pattern = typeof value === 'object' && value !== null ? patterns.get(value) : undefined;
  if (pattern === undefined) throw new TypeError('Illegal invocation');
  return pattern;
}

function isObject(value) {
  return typeof value === 'object' && value !== null;
}

/** A copy of a URLPatternInit: reading it may throw what its getters throw. */
function readInit(init) {
  const copy = {};
  for (const name of [...components, 'baseURL']) {
    const value = init[name];
    if (value !== undefined) copy[name] = `${value}`;
  }
  return copy;
}

function checkOptions(options) {
  if (options === undefined) return {};
  if (!isObject(options)) throw argumentError('options must be an object');
  const { ignoreCase } = options;
  if (ignoreCase !== undefined && typeof ignoreCase !== 'boolean') {
    throw argumentError('options.ignoreCase must be a boolean');
  }
  return { ignoreCase: ignoreCase === true };
}

function create(args) {
  const { URLPattern: Polyfill } = require('~urlpattern-polyfill');
  try {
    return new Polyfill(...args);
  } catch (cause) {
    const error = new TypeError('Failed to construct URLPattern', { cause });
    error.code = 'ERR_INVALID_URL_PATTERN';
    throw error;
  }
}

/** URLPattern(input, baseURL, options) or URLPattern(input, options): no class, since a call has an error of its own. */
function URLPattern() {
  if (new.target === undefined) throw new ERR_CONSTRUCT_CALL_REQUIRED('URLPattern');
  const [input = {}, second, third] = arguments;
  if (typeof input !== 'string' && !isObject(input)) throw argumentError('Input must be an object or a string');
  if (second !== undefined && typeof second !== 'string' && !isObject(second)) {
    throw argumentError('second argument must be a string or object');
  }
  const options = checkOptions(typeof second === 'string' || second === undefined ? third : second);
  const first = typeof input === 'string' ? input : readInit(input);
  patterns.set(this, create(typeof second === 'string' ? [first, second, options] : [first, options]));
}

/** The arguments of test and exec. */
function checkInput(input = {}, baseURL = undefined) {
  if (typeof input !== 'string' && !isObject(input)) {
    throw argumentError('URLPattern input needs to be a string or an object');
  }
  if (baseURL !== undefined && typeof baseURL !== 'string') throw argumentError('baseURL must be a string');
  return baseURL === undefined ? [input] : [input, baseURL];
}

/** The init dictionary as a match shows it: with all its members. */
function shownInput(input) {
  if (typeof input === 'string') return input;
  const shown = {};
  for (const name of [...components, 'baseURL']) shown[name] = input[name];
  return shown;
}

Object.defineProperties(URLPattern.prototype, {
  ...Object.fromEntries([...components, 'hasRegExpGroups'].map((name) => [name, {
    __proto__: null, enumerable: true, configurable: false, get() { return patternOf(this)[name]; },
  }])),
  exec: {
    __proto__: null,
    enumerable: true,
    configurable: true,
    writable: true,
    value: function exec() {
      const pattern = patternOf(this);
      const match = pattern.exec(...checkInput(...arguments));
      if (match === null) return null;
      const result = { __proto__: null, inputs: match.inputs.map(shownInput) };
      for (const name of components) result[name] = match[name];
      return result;
    },
  },
  test: {
    __proto__: null,
    enumerable: true,
    configurable: true,
    writable: true,
    value: function test() {
      const pattern = patternOf(this);
      return pattern.test(...checkInput(...arguments));
    },
  },
});

module.exports = { URLPattern };
