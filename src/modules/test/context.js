'use strict';

// What test functions are given: TestContext and SuiteContext.

const { validateFunction, validateNumber, validateObject, validateString } = require('#internal/validators');
const { kEmptyObject } = require('#internal/util');
const { clearTimeout, setTimeout } = require('timers');

const kNoAssertions = new Set(['AssertionError', 'CallTracker', 'strict', 'Assert', 'length', 'name', 'prototype']);
/** Assertions that programs register for t.assert: name -> function. */
let customAssertions;

function assertions() {
  if (customAssertions === undefined) {
    customAssertions = new Map();
    const assert = require('assert');
    for (const name of Object.keys(assert)) {
      if (!kNoAssertions.has(name) && typeof assert[name] === 'function') customAssertions.set(name, assert[name]);
    }
  }
  return customAssertions;
}

/** test.assert.register() */
function registerAssertion(name, fn) {
  validateString(name, 'name');
  validateFunction(fn, 'fn');
  assertions().set(name, fn);
}

/** The assertions of one test: each counts for its plan. */
function makeAssert(test, context) {
  const object = { __proto__: null };
  const add = (name, fn) => {
    object[name] = (...args) => {
      test.plan?.count();
      return Reflect.apply(fn, context, args);
    };
  };
  for (const { 0: name, 1: fn } of assertions()) add(name, fn);
  const snapshots = require('#test/snapshot');
  const builtIn = {
    snapshot: (value, options) => snapshots.assertSnapshot(test, value, options),
    fileSnapshot: (value, path, options) => snapshots.assertFileSnapshot(test, value, path, options),
  };
  for (const name of Object.keys(builtIn)) if (!assertions().has(name)) add(name, builtIn[name]);
  // The message quotes the call of t.assert.ok().
  if (assertions().get('ok') === require('assert').ok) {
    const { innerOk } = require('#assert/ok');
    object.ok = function ok(...args) {
      test.plan?.count();
      innerOk(ok, args);
    };
  }
  return object;
}

/** The file that the run was started with, not the one that declares the test. */
function entryFile(test) {
  return test.harness.entryFile ?? process.argv[1] ?? test.loc?.file;
}

class TestContext {
  #test;
  #assert;

  constructor(test) {
    this.#test = test;
  }

  get signal() {
    return this.#test.signal;
  }

  get name() {
    return this.#test.name;
  }

  get filePath() {
    return entryFile(this.#test);
  }

  get fullName() {
    return this.#test.fullName;
  }

  get error() {
    return this.#test.error;
  }

  get passed() {
    return this.#test.passed;
  }

  get attempt() {
    return 0;
  }

  diagnostic(message) {
    this.#test.diagnostic(message);
  }

  plan(count, options = kEmptyObject) {
    this.#test.setPlan(count, options);
  }

  get assert() {
    return this.#assert ??= makeAssert(this.#test, this);
  }

  get mock() {
    return this.#test.mock;
  }

  runOnly(value) {
    this.#test.runOnlySubtests = Boolean(value);
  }

  skip(message) {
    this.#test.skip(message);
  }

  todo(message) {
    this.#test.todo(message);
  }

  test(name, options, fn) {
    const { Test } = require('#test/runner');
    this.#test.plan?.count();
    const { callerLocation } = require('#test/location');
    const subtest = this.#test.createSubtest(Test, name, options, fn, { loc: callerLocation() });
    return subtest.start();
  }

  before(fn, options) {
    this.#hook('before', fn, options);
  }

  after(fn, options) {
    this.#hook('after', fn, options);
  }

  beforeEach(fn, options) {
    this.#hook('beforeEach', fn, options);
  }

  afterEach(fn, options) {
    this.#hook('afterEach', fn, options);
  }

  #hook(name, fn, options) {
    const { callerLocation } = require('#test/location');
    this.#test.createHook(name, fn, { loc: callerLocation(), ...options });
  }

  /** Polls until the condition neither throws nor rejects. */
  waitFor(condition, options = kEmptyObject) {
    validateFunction(condition, 'condition');
    validateObject(options, 'options');
    const { interval = 50, timeout = 1000 } = options;
    validateNumber(interval, 'options.interval', 0, 2 ** 31 - 1);
    validateNumber(timeout, 'options.timeout', 0, 2 ** 31 - 1);
    const { promise, resolve, reject } = Promise.withResolvers();
    let cause;
    let poller;
    let done = false;
    const finish = (settle, value) => {
      if (done) return;
      done = true;
      clearTimeout(poller);
      clearTimeout(timer);
      settle(value);
    };
    const timer = setTimeout(() => {
      const error = new Error('waitFor() timed out');
      if (cause !== undefined) error.cause = cause;
      finish(reject, error);
    }, timeout);
    const poll = async () => {
      try {
        finish(resolve, await condition());
      } catch (error) {
        cause = error;
        if (!done) poller = setTimeout(poll, interval);
      }
    };
    poll();
    return promise;
  }
}

class SuiteContext {
  #suite;

  constructor(suite) {
    this.#suite = suite;
  }

  get signal() {
    return this.#suite.signal;
  }

  get name() {
    return this.#suite.name;
  }

  get filePath() {
    return entryFile(this.#suite);
  }

  get fullName() {
    return this.#suite.fullName;
  }

  diagnostic(message) {
    this.#suite.diagnostic(message);
  }
}

module.exports = { SuiteContext, TestContext, registerAssertion };
