'use strict';

// assert.CallTracker: wraps functions and tells whether each was called as often as expected. Deprecated in
// favour of the mocks of node:test.

const { codes: { ERR_INVALID_ARG_VALUE, ERR_UNAVAILABLE_DURING_EXIT } } = require('#internal/errors');
const { validateUint32 } = require('#internal/validators');
const { AssertionError } = require('#assert/assertion_error');

const noop = () => {};

class CallTrackerContext {
  #expected;
  #calls = [];
  #name;
  #stackTrace;

  constructor({ expected, stackTrace, name }) {
    this.#expected = expected;
    this.#stackTrace = stackTrace;
    this.#name = name;
  }

  track(thisArg, args) {
    this.#calls.push(Object.freeze({ thisArg, arguments: Object.freeze(args.slice()) }));
  }

  get delta() {
    return this.#calls.length - this.#expected;
  }

  reset() {
    this.#calls = [];
  }

  getCalls() {
    return Object.freeze(this.#calls.slice());
  }

  report() {
    if (this.delta === 0) return undefined;
    const message = `Expected the ${this.#name} function to be executed ${this.#expected} time(s) but was ` +
      `executed ${this.#calls.length} time(s).`;
    return {
      message, actual: this.#calls.length, expected: this.#expected, operator: this.#name, stack: this.#stackTrace,
    };
  }
}

class CallTracker {
  #checks = new Set();
  #tracked = new WeakMap();

  #get(tracked) {
    const context = this.#tracked.get(tracked);
    if (context === undefined) throw new ERR_INVALID_ARG_VALUE('tracked', tracked, 'is not a tracked function');
    return context;
  }

  reset(tracked) {
    if (tracked === undefined) {
      for (const check of this.#checks) check.reset();
      return;
    }
    this.#get(tracked).reset();
  }

  getCalls(tracked) {
    return this.#get(tracked).getCalls();
  }

  calls(fn, expected = 1) {
    if (process._exiting) throw new ERR_UNAVAILABLE_DURING_EXIT();
    if (typeof fn === 'number') {
      expected = fn;
      fn = noop;
    } else if (fn === undefined) {
      fn = noop;
    }
    validateUint32(expected, 'expected', true);
    const context = new CallTrackerContext({ expected, stackTrace: new Error(), name: fn.name || 'calls' });
    const tracked = new Proxy(fn, {
      __proto__: null,
      apply(target, thisArg, args) {
        context.track(thisArg, args);
        return Reflect.apply(target, thisArg, args);
      },
    });
    this.#checks.add(context);
    this.#tracked.set(tracked, context);
    return tracked;
  }

  report() {
    const errors = [];
    for (const context of this.#checks) {
      const message = context.report();
      if (message !== undefined) errors.push(message);
    }
    return errors;
  }

  verify() {
    const errors = this.report();
    if (errors.length === 0) return;
    const message = errors.length === 1 ? errors[0].message : 'Functions were not called the expected number of times';
    throw new AssertionError({ message, details: errors });
  }
}

module.exports = { CallTracker };
