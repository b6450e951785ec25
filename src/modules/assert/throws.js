'use strict';

// assert.throws(), rejects(), doesNotThrow(), doesNotReject(): what was thrown, held against what was
// expected.

const {
  codes: {
    ERR_AMBIGUOUS_ARGUMENT, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_RETURN_VALUE,
  },
} = require('#internal/errors');
const { isDeepStrictEqual } = require('#internal/comparisons');
const { validateFunction } = require('#internal/validators');
const { inspect } = require('#util/inspect');
const { AssertionError } = require('#assert/assertion_error');
const types = binding('types');

const kNoException = Symbol('kNoException');
const isError = (value) => types.isNativeError(value) || value instanceof Error;

/** The properties that are compared, with a name that shows in the diff. */
class Comparison {
  constructor(object, keys, actual) {
    for (const key of keys) {
      if (!(key in object)) continue;
      // A regular expression that matched is shown as what it matched.
      if (actual !== undefined && typeof actual[key] === 'string' && types.isRegExp(object[key]) &&
          object[key].exec(actual[key]) !== null) {
        this[key] = actual[key];
      } else {
        this[key] = object[key];
      }
    }
  }
}

function compareProperty(actual, expected, key, message, keys, fn) {
  if (key in actual && isDeepStrictEqual(actual[key], expected[key])) return;
  if (message) {
    const error = new AssertionError({ actual, expected, message, operator: fn.name, stackStartFn: fn });
    throw error;
  }
  const a = new Comparison(actual, keys);
  const b = new Comparison(expected, keys, actual);
  const error = new AssertionError({ actual: a, expected: b, operator: 'deepStrictEqual', stackStartFn: fn });
  error.actual = actual;
  error.expected = expected;
  error.operator = fn.name;
  throw error;
}

function compareObject(actual, expected, message, fn) {
  // A primitive has no properties to compare.
  if (typeof actual !== 'object' || actual === null) {
    const error = new AssertionError({
      actual, expected, message, operator: 'deepStrictEqual', stackStartFn: fn,
    });
    error.operator = fn.name;
    throw error;
  }
  const keys = Object.keys(expected);
  if (isError(expected)) keys.push('name', 'message');
  else if (keys.length === 0) throw new ERR_INVALID_ARG_VALUE('error', expected, 'may not be an empty object');
  for (const key of keys) {
    if (typeof actual[key] === 'string' && types.isRegExp(expected[key]) && expected[key].exec(actual[key]) !== null) {
      continue;
    }
    compareProperty(actual, expected, key, message, keys, fn);
  }
}

function regExpMessage(actual, expected) {
  return `The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(String(actual))}\n`;
}

function classMessage(actual, expected) {
  const start = `The error is expected to be an instance of "${expected.name}". Received `;
  if (!isError(actual)) return `${start}"${inspect(actual, { depth: -1 })}"`;
  const name = actual.constructor?.name || actual.name;
  const received = name === expected.name ? 'an error with identical name but a different prototype.' : `"${name}"`;
  return `${start}${received}\n\nError message:\n\n${actual.message}`;
}

function validationMessage(actual, expected, result) {
  const name = expected.name ? `"${expected.name}" ` : '';
  const caught = isError(actual) ? `\n\nCaught error:\n\n${actual}` : '';
  return `The ${name}validation function is expected to return "true". Received ${inspect(result)}${caught}`;
}

/** Throws unless `actual`, which was thrown, is what was expected. */
function checkException(actual, expected, message, fn) {
  let generatedMessage = false;
  if (typeof expected !== 'function') {
    if (!types.isRegExp(expected)) return compareObject(actual, expected, message, fn);
    if (expected.exec(String(actual)) !== null) return undefined;
    if (!message) {
      generatedMessage = true;
      message = regExpMessage(actual, expected);
    }
  } else if (expected.prototype !== undefined && actual instanceof expected) {
    return undefined;
  } else if (Error.isPrototypeOf(expected) || expected === Error) {
    if (!message) {
      generatedMessage = true;
      message = classMessage(actual, expected);
    }
  } else {
    const result = Reflect.apply(expected, {}, [actual]);
    if (result === true) return undefined;
    if (!message) {
      generatedMessage = true;
      message = validationMessage(actual, expected, result);
    }
  }
  const error = new AssertionError({ actual, expected, message, operator: fn.name, stackStartFn: fn });
  error.generatedMessage = generatedMessage;
  throw error;
}

function getActual(fn) {
  validateFunction(fn, 'fn');
  try {
    fn();
  } catch (error) {
    return error;
  }
  return kNoException;
}

// Promises of other libraries will do, if they can be both awaited and caught.
const isPromiseLike = (value) => types.isPromise(value) || (value !== null && typeof value === 'object' &&
  typeof value.then === 'function' && typeof value.catch === 'function');

async function waitForActual(promiseFn) {
  let promise;
  if (typeof promiseFn === 'function') {
    promise = promiseFn();
    if (!isPromiseLike(promise)) throw new ERR_INVALID_RETURN_VALUE('instance of Promise', 'promiseFn', promise);
  } else if (isPromiseLike(promiseFn)) {
    promise = promiseFn;
  } else {
    throw new ERR_INVALID_ARG_TYPE('promiseFn', ['Function', 'Promise'], promiseFn);
  }
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return kNoException;
}

function checkAmbiguity(actual, message) {
  if (typeof actual === 'object' && actual !== null) {
    if (actual.message === message) {
      throw new ERR_AMBIGUOUS_ARGUMENT('error/message',
        `The error message "${actual.message}" is identical to the message.`);
    }
  } else if (actual === message) {
    throw new ERR_AMBIGUOUS_ARGUMENT('error/message', `The error "${actual}" is identical to the message.`);
  }
}

/** @param {Function} fn the public function: its name and the start of the stack */
function expectsError(fn, actual, args) {
  let [error, message] = args;
  if (typeof error === 'string') {
    if (args.length === 2) {
      throw new ERR_INVALID_ARG_TYPE('error', ['Object', 'Error', 'Function', 'RegExp'], error);
    }
    checkAmbiguity(actual, error);
    message = error;
    error = undefined;
  } else if (error != null && typeof error !== 'object' && typeof error !== 'function') {
    throw new ERR_INVALID_ARG_TYPE('error', ['Function', 'Error', 'RegExp', 'Object'], error);
  }
  if (actual === kNoException) {
    let details = '';
    if (error && error.name) details += ` (${error.name})`;
    details += message ? `: ${message}` : '.';
    const type = fn.name === 'rejects' ? 'rejection' : 'exception';
    throw new AssertionError({
      actual: undefined, expected: error, operator: fn.name, message: `Missing expected ${type}${details}`,
      stackStartFn: fn,
    });
  }
  if (error) checkException(actual, error, message, fn);
}

function matches(actual, expected) {
  if (typeof expected !== 'function') {
    if (types.isRegExp(expected)) return expected.exec(String(actual)) !== null;
    throw new ERR_INVALID_ARG_TYPE('expected', ['Function', 'RegExp'], expected);
  }
  if (expected.prototype !== undefined && actual instanceof expected) return true;
  if (Error.isPrototypeOf(expected)) return false;
  return Reflect.apply(expected, {}, [actual]) === true;
}

function expectsNoError(fn, actual, args) {
  if (actual === kNoException) return;
  let [error, message] = args;
  if (typeof error === 'string') {
    message = error;
    error = undefined;
  }
  if (!error || matches(actual, error)) {
    const details = message ? `: ${message}` : '.';
    const type = fn.name === 'doesNotReject' ? 'rejection' : 'exception';
    throw new AssertionError({
      actual, expected: error, operator: fn.name,
      message: `Got unwanted ${type}${details}\nActual message: "${actual?.message}"`, stackStartFn: fn,
    });
  }
  throw actual;
}

module.exports = { expectsError, expectsNoError, getActual, isError, waitForActual };
