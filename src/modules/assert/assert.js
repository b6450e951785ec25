'use strict';

// node:assert. The comparisons are methods of class Assert, so that an instance can carry options; the module
// itself has them as functions with the default options.

const {
  codes: { ERR_CONSTRUCT_CALL_REQUIRED, ERR_INVALID_ARG_TYPE, ERR_MISSING_ARGS },
} = require('#internal/errors');
const { validateOneOf } = require('#internal/validators');
const { deprecate } = require('#internal/util');
const { isDeepEqual, isDeepStrictEqual, isPartialStrictEqual } = require('#internal/comparisons');
const { inspect } = require('#util/inspect');
const { AssertionError } = require('#assert/assertion_error');
const { expectsError, expectsNoError, getActual, isError, waitForActual } = require('#assert/throws');
const { innerOk } = require('#assert/ok');
const types = binding('types');

const kOptions = Symbol('options');

function innerFail(options) {
  if (isError(options.message)) throw options.message;
  throw new AssertionError(options);
}

function failWith(self, options) {
  options.diff = self?.[kOptions]?.diff;
  if (options.diff === undefined) delete options.diff;
  innerFail(options);
}

function requireTwo(count) {
  if (count < 2) throw new ERR_MISSING_ARGS('actual', 'expected');
}

/** Holds the options of one set of assertions: `diff`, `strict`, `skipPrototype`. */
function Assert(options) {
  if (!new.target) throw new ERR_CONSTRUCT_CALL_REQUIRED('Assert');
  options = Object.assign({ __proto__: null, strict: true, skipPrototype: false }, options);
  if (options.diff !== undefined) validateOneOf(options.diff, 'options.diff', ['simple', 'full']);
  this.AssertionError = AssertionError;
  Object.defineProperty(this, kOptions, {
    __proto__: null, value: options, enumerable: false, configurable: false, writable: false,
  });
  if (options.strict) {
    this.equal = this.strictEqual;
    this.deepEqual = this.deepStrictEqual;
    this.notEqual = this.notStrictEqual;
    this.notDeepEqual = this.notDeepStrictEqual;
  }
}

let hasWarnedOfFail = false;

const prototype = {
  fail: function fail(actual, expected, message, operator, stackStartFn) {
    const count = arguments.length;
    let internalMessage = false;
    if (actual == null && count <= 1) {
      internalMessage = 'Failed';
    } else if (count === 1) {
      message = actual;
      actual = undefined;
    } else {
      if (!hasWarnedOfFail) {
        hasWarnedOfFail = true;
        process.emitWarning('assert.fail() with more than one argument is deprecated. ' +
          'Please use assert.strictEqual() instead or only pass a message.', 'DeprecationWarning', 'DEP0094');
      }
      if (count === 2) operator = '!=';
    }
    if (isError(message)) throw message;
    const options = {
      actual, expected, operator: operator === undefined ? 'fail' : operator, stackStartFn: stackStartFn || fail,
      message, diff: this?.[kOptions]?.diff ?? 'simple',
    };
    const error = new AssertionError(internalMessage ? { ...options, message: internalMessage } : options);
    if (internalMessage) error.generatedMessage = true;
    throw error;
  },

  ok: function ok(...args) {
    innerOk(ok, args);
  },

  equal: function equal(actual, expected, message) {
    requireTwo(arguments.length);
    // eslint-disable-next-line eqeqeq
    if (actual != expected && (!Number.isNaN(actual) || !Number.isNaN(expected))) {
      failWith(this, { actual, expected, message, operator: '==', stackStartFn: equal });
    }
  },

  notEqual: function notEqual(actual, expected, message) {
    requireTwo(arguments.length);
    // eslint-disable-next-line eqeqeq
    if (actual == expected || (Number.isNaN(actual) && Number.isNaN(expected))) {
      failWith(this, { actual, expected, message, operator: '!=', stackStartFn: notEqual });
    }
  },

  deepEqual: function deepEqual(actual, expected, message) {
    requireTwo(arguments.length);
    if (!isDeepEqual(actual, expected)) {
      failWith(this, { actual, expected, message, operator: 'deepEqual', stackStartFn: deepEqual });
    }
  },

  notDeepEqual: function notDeepEqual(actual, expected, message) {
    requireTwo(arguments.length);
    if (isDeepEqual(actual, expected)) {
      failWith(this, { actual, expected, message, operator: 'notDeepEqual', stackStartFn: notDeepEqual });
    }
  },

  deepStrictEqual: function deepStrictEqual(actual, expected, message) {
    requireTwo(arguments.length);
    if (!isDeepStrictEqual(actual, expected, this?.[kOptions]?.skipPrototype)) {
      failWith(this, { actual, expected, message, operator: 'deepStrictEqual', stackStartFn: deepStrictEqual });
    }
  },

  notDeepStrictEqual: function notDeepStrictEqual(actual, expected, message) {
    requireTwo(arguments.length);
    if (isDeepStrictEqual(actual, expected, this?.[kOptions]?.skipPrototype)) {
      failWith(this, {
        actual, expected, message, operator: 'notDeepStrictEqual', stackStartFn: notDeepStrictEqual,
      });
    }
  },

  strictEqual: function strictEqual(actual, expected, message) {
    requireTwo(arguments.length);
    if (!Object.is(actual, expected)) {
      failWith(this, { actual, expected, message, operator: 'strictEqual', stackStartFn: strictEqual });
    }
  },

  notStrictEqual: function notStrictEqual(actual, expected, message) {
    requireTwo(arguments.length);
    if (Object.is(actual, expected)) {
      failWith(this, { actual, expected, message, operator: 'notStrictEqual', stackStartFn: notStrictEqual });
    }
  },

  partialDeepStrictEqual: function partialDeepStrictEqual(actual, expected, message) {
    requireTwo(arguments.length);
    if (!isPartialStrictEqual(actual, expected)) {
      failWith(this, {
        actual, expected, message, operator: 'partialDeepStrictEqual', stackStartFn: partialDeepStrictEqual,
      });
    }
  },

  throws: function throws(fn, ...args) {
    expectsError(throws, getActual(fn), args);
  },

  rejects: async function rejects(promiseFn, ...args) {
    expectsError(rejects, await waitForActual(promiseFn), args);
  },

  doesNotThrow: function doesNotThrow(fn, ...args) {
    expectsNoError(doesNotThrow, getActual(fn), args);
  },

  doesNotReject: async function doesNotReject(fn, ...args) {
    expectsNoError(doesNotReject, await waitForActual(fn), args);
  },

  ifError: function ifError(error) {
    if (error === null || error === undefined) return;
    let message = 'ifError got unwanted exception: ';
    if (typeof error === 'object' && typeof error.message === 'string') {
      message += error.message.length === 0 && error.constructor ? error.constructor.name : error.message;
    } else {
      message += inspect(error);
    }
    const newError = new AssertionError({
      actual: error, expected: null, operator: 'ifError', message, stackStartFn: ifError,
    });
    newError.generatedMessage = false;
    joinStacks(newError, error);
    throw newError;
  },

  match: function match(string, regexp, message) {
    internalMatch(this, string, regexp, message, match);
  },

  doesNotMatch: function doesNotMatch(string, regexp, message) {
    internalMatch(this, string, regexp, message, doesNotMatch);
  },
};

/** The stack of assert.ifError() shows where the original error came from as well. */
function joinStacks(newError, original) {
  const originalStack = original?.stack;
  if (typeof originalStack !== 'string') return;
  // The frames both share are shown once.
  const start = originalStack.indexOf('\n    at');
  if (start === -1) return;
  const originalFrames = originalStack.slice(start + 1).split('\n');
  let newFrames = newError.stack.split('\n');
  for (const frame of originalFrames) {
    const at = newFrames.indexOf(frame);
    if (at !== -1) {
      newFrames = newFrames.slice(0, at);
      break;
    }
  }
  const separator = originalFrames.length > 0 && newFrames.length > 0 ? '\n' : '';
  newError.stack = `${newFrames.join('\n')}${separator}${originalFrames.join('\n')}`;
}

function internalMatch(self, string, regexp, message, fn) {
  if (!types.isRegExp(regexp)) throw new ERR_INVALID_ARG_TYPE('regexp', 'RegExp', regexp);
  const isMatch = fn === prototype.match;
  if (typeof string === 'string' && (regexp.exec(string) !== null) === isMatch) return;
  if (isError(message)) throw message;
  const generatedMessage = !message;
  message ||= typeof string !== 'string' ?
    `The "string" argument must be of type string. Received type ${typeof string} (${inspect(string)})` :
    `${isMatch ? 'The input did not match the regular expression ' :
      'The input was expected to not match the regular expression '}` +
      `${inspect(regexp)}. Input:\n\n${inspect(string)}\n`;
  const error = new AssertionError({
    actual: string, expected: regexp, message, operator: fn.name, stackStartFn: fn,
    diff: self?.[kOptions]?.diff ?? 'simple',
  });
  error.generatedMessage = generatedMessage;
  throw error;
}

for (const name of Object.keys(prototype)) {
  Object.defineProperty(Assert.prototype, name, {
    __proto__: null, value: prototype[name], writable: true, enumerable: true, configurable: true,
  });
}

const assert = function ok(...args) {
  innerOk(ok, args);
};

/** `strict` is `assert` with the loose comparisons replaced. */
function strict(...args) {
  innerOk(strict, args);
}

let CallTracker;
function makeCallTracker(...args) {
  CallTracker ??= require('#assert/call_tracker').CallTracker;
  return Reflect.construct(CallTracker, args);
}

assert.AssertionError = AssertionError;
assert.CallTracker = deprecate(makeCallTracker, 'assert.CallTracker is deprecated.', 'DEP0173');
const kNames = [
  'ok', 'fail', 'equal', 'notEqual', 'deepEqual', 'notDeepEqual', 'deepStrictEqual', 'notDeepStrictEqual',
  'strictEqual', 'notStrictEqual', 'partialDeepStrictEqual', 'match', 'doesNotMatch', 'throws', 'rejects',
  'doesNotThrow', 'doesNotReject', 'ifError',
];
for (const name of kNames) assert[name] = name === 'ok' ? assert : prototype[name];

assert.strict = Object.assign(strict, assert, {
  equal: assert.strictEqual,
  deepEqual: assert.deepStrictEqual,
  notEqual: assert.notStrictEqual,
  notDeepEqual: assert.notDeepStrictEqual,
});
assert.Assert = Assert;
assert.strict.Assert = Assert;
assert.strict.strict = assert.strict;

module.exports = assert;
