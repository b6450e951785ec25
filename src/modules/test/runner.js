'use strict';

// The tests themselves: Test, Suite and TestHook. A test runs its function and its subtests, then reports;
// results come out in the order in which tests were made, whatever order they end in.

const { AbortError, codes: { ERR_INVALID_ARG_TYPE, ERR_TEST_FAILURE } } = require('#internal/errors');
const { kEmptyObject } = require('#internal/util');
const {
  validateAbortSignal, validateFunction, validateNumber, validateObject, validateOneOf, validateUint32,
} = require('#internal/validators');
const { clearTimeout, setTimeout } = require('timers');
const types = binding('types');

const kAborted = 'testAborted';
const kCancelledByParent = 'cancelledByParent';
const kHookFailure = 'hookFailed';
const kParentAlreadyFinished = 'parentAlreadyFinished';
const kSubtestsFailed = 'subtestsFailed';
const kTestCodeFailure = 'testCodeFailure';
const kTestTimeoutFailure = 'testTimeoutFailure';
const kCallbackAndPromise = 'callbackAndPromisePresent';
const kMultipleCallbacks = 'multipleCallbackInvocations';
const kTimeoutMax = 2 ** 31 - 1;
const kHookNames = ['before', 'after', 'beforeEach', 'afterEach'];

function noop() {}
const isTestFailure = (error) => error?.code === 'ERR_TEST_FAILURE' && Object.hasOwn(error, 'failureType');

let current;
/** The test whose code is running, through asynchronous calls too. */
function currentStore() {
  if (current === undefined) {
    const { AsyncLocalStorage } = require('async_hooks');
    current = new AsyncLocalStorage();
  }
  return current;
}

function now() {
  return process.hrtime.bigint();
}

/** Rejects after a while, or when the signal says so; `done()` takes back timer and listener. */
function stopper(timeout, signal) {
  const { promise, reject } = Promise.withResolvers();
  const abort = () => reject(signal.reason ?? new AbortError());
  signal.addEventListener('abort', abort, { once: true });
  let timer;
  if (timeout !== Infinity) {
    timer = setTimeout(() => {
      const error = new ERR_TEST_FAILURE(`test timed out after ${timeout}ms`, kTestTimeoutFailure);
      error.stack = undefined;
      reject(error);
    }, timeout);
    timer.unref();
  }
  promise.catch(noop);
  return {
    promise,
    done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    },
  };
}

function runOnce(fn, { preserveReturnValue = false } = kEmptyObject) {
  let promise;
  return function(...args) {
    if (promise !== undefined) return preserveReturnValue ? promise : Promise.resolve();
    promise = Reflect.apply(fn, this, args);
    return promise;
  };
}

function callbackPair() {
  let calls = 0;
  const { promise, resolve, reject } = Promise.withResolvers();
  const callback = (error) => {
    calls++;
    if (calls > 1) {
      if (calls === 2) throw new ERR_TEST_FAILURE('callback invoked multiple times', kMultipleCallbacks);
      return;
    }
    if (error) reject(error);
    else resolve();
  };
  return { promise, callback };
}

/** How many assertions and subtests a test wants to see. */
class TestPlan {
  #wait;
  #resolve;
  #timer;
  constructor(count, options = kEmptyObject) {
    validateUint32(count, 'count');
    validateObject(options, 'options');
    if (options.wait !== undefined && typeof options.wait !== 'boolean' && typeof options.wait !== 'number') {
      throw new ERR_INVALID_ARG_TYPE('options.wait', ['boolean', 'number'], options.wait);
    }
    this.expected = count;
    this.actual = 0;
    this.#wait = options.wait;
  }

  count() {
    this.actual++;
    if (this.actual === this.expected) this.#resolve?.();
  }

  #error() {
    return new ERR_TEST_FAILURE(
      `plan expected ${this.expected} assertions but received ${this.actual}`, kTestCodeFailure);
  }

  /** @returns {Promise | undefined} to wait for, with the option `wait` */
  check() {
    if (this.actual === this.expected) return undefined;
    if (!this.#wait || this.actual > this.expected) throw this.#error();
    const { promise, resolve, reject } = Promise.withResolvers();
    this.#resolve = () => {
      clearTimeout(this.#timer);
      resolve();
    };
    if (typeof this.#wait === 'number') {
      this.#timer = setTimeout(() => reject(new ERR_TEST_FAILURE(
        `plan timed out after ${this.#wait}ms with ${this.actual} assertions when expecting ${this.expected}`,
        kTestTimeoutFailure)), this.#wait);
    }
    return promise;
  }
}

function resolveConcurrency(concurrency, inherited) {
  switch (typeof concurrency) {
    case 'number':
      validateUint32(concurrency, 'options.concurrency', true);
      return concurrency;
    case 'boolean':
      return concurrency ? Infinity : 1;
    default:
      if (concurrency != null) {
        throw new ERR_INVALID_ARG_TYPE('options.concurrency', ['boolean', 'number'], concurrency);
      }
      return inherited;
  }
}

class Test {
  constructor(options) {
    const { parent, concurrency, timeout, signal, only, skip, todo, plan, harness } = options;
    let { name, fn } = options;
    if (typeof fn !== 'function') fn = noop;
    if (typeof name !== 'string' || name === '') name = fn.name || '<anonymous>';
    if (name === 'noop' && fn === noop) name = '<anonymous>';
    this.name = name;
    this.parent = parent;
    this.harness = harness ?? parent.harness;
    this.reporter = this.harness.reporter;
    this.root = parent === null ? this : parent.root;
    this.nesting = parent === null ? -1 : parent.nesting + 1;
    this.loc = options.loc;
    this.only = only === true;
    this.runOnlySubtests = parent?.runOnlySubtests ?? false;
    this.concurrency = resolveConcurrency(concurrency, parent === null ? 1 : parent.concurrency);
    this.timeout = parent === null ? Infinity : parent.timeout;
    if (timeout != null && timeout !== Infinity) {
      validateNumber(timeout, 'options.timeout', 0, kTimeoutMax);
      this.timeout = timeout;
    }
    this.abortController = new AbortController();
    this.signal = this.abortController.signal;
    validateAbortSignal(signal, 'options.signal');
    this.outerSignal = signal;
    this.outerSignal?.addEventListener('abort', this.#onOuterAbort, { once: true });
    this.skipped = Boolean(skip);
    this.isTodo = (todo !== undefined && todo !== false) || parent?.isTodo === true;
    this.message = typeof skip === 'string' ? skip : typeof todo === 'string' ? todo : undefined;
    this.fn = this.skipped ? noop : fn;
    this.passed = false;
    this.error = null;
    this.cancelled = false;
    this.finished = false;
    this.ended = false;
    this.startTime = null;
    this.endTime = null;
    this.diagnostics = [];
    this.childNumber = parent === null ? 0 : parent.subtests.length + 1;
    this.testNumber = 0;
    this.outputSubtestCount = 0;
    this.subtests = [];
    this.pendingSubtests = [];
    this.readySubtests = new Map();
    this.activeSubtests = 0;
    this.waitingOn = 0;
    this.hasReportedStart = false;
    this.subtestsDone = undefined;
    this.expectsPlan = plan;
    this.plan = null;
    this.hooks = { before: [], after: [], beforeEach: [], afterEach: [] };
    // A test that the options of the run leave out is not even reported.
    this.filtered = false;
    if (parent !== null) this.harness.filter(this);
  }

  get type() {
    return 'test';
  }

  get fullName() {
    if (this.parent === null) return this.name;
    const names = [];
    for (let test = this; test.parent !== null; test = test.parent) names.unshift(test.name);
    return names.join(' > ');
  }

  get mock() {
    if (this.mockTracker === undefined) {
      const { MockTracker } = require('#test/mock');
      this.mockTracker = new MockTracker();
    }
    return this.mockTracker;
  }

  #onOuterAbort = () => {
    const error = this.outerSignal?.reason || new AbortError('The test was aborted');
    try {
      error.failureType = kAborted;
    } catch {
      // A frozen reason stays as it is.
    }
    this.cancel(error);
  };

  shouldAbort() {
    if (this.signal.aborted) return true;
    if (this.outerSignal?.aborted) {
      this.#onOuterAbort();
      return true;
    }
    return false;
  }

  // --- subtests ---

  createSubtest(Factory, name, options, fn, overrides) {
    if (typeof name === 'function') {
      fn = name;
    } else if (name !== null && typeof name === 'object') {
      fn = options;
      options = name;
    } else if (typeof options === 'function') {
      fn = options;
    }
    if (options === null || typeof options !== 'object') options = kEmptyObject;
    let parent = this;
    const isTooLate = this.ended || this.isBuilt === true;
    if (isTooLate) while (parent.parent !== null) parent = parent.parent;
    const test = new Factory({
      __proto__: null, fn, ...(typeof name === 'string' ? { name } : {}), ...options, ...overrides, parent,
    });
    if (parent.waitingOn === 0) parent.waitingOn = test.childNumber;
    if (isTooLate) {
      test.fail(new ERR_TEST_FAILURE(
        'test could not be started because its parent finished', kParentAlreadyFinished));
    }
    parent.subtests.push(test);
    return test;
  }

  hasConcurrency() {
    return this.concurrency > this.activeSubtests;
  }

  start() {
    if (this.isFiltered()) {
      this.endFiltered();
      return Promise.resolve();
    }
    this.testNumber ||= ++this.parent.outputSubtestCount;
    this.reporter.enqueue(this);
    this.parent.subtestsDone ??= Promise.withResolvers();
    if (!this.parent.hasConcurrency()) {
      const { promise, resolve, reject } = Promise.withResolvers();
      this.parent.pendingSubtests.push({ test: this, resolve, reject });
      return promise;
    }
    this.reporter.dequeue(this);
    return this.run();
  }

  isFiltered() {
    return this.filtered || this.harness.filters(this);
  }

  /** Steps aside for the next test. */
  endFiltered() {
    const { parent } = this;
    this.filtered = true;
    this.passed = true;
    this.ended = true;
    parent.readySubtests.set(this.childNumber, this);
    parent.processReadySubtests(false);
  }

  async processPendingSubtests() {
    while (this.pendingSubtests.length > 0 && this.hasConcurrency()) {
      const { test, resolve, reject } = this.pendingSubtests.shift();
      this.reporter.dequeue(test);
      test.run().then(resolve, reject);
    }
  }

  // --- hooks ---

  createHook(name, fn, options = kEmptyObject) {
    validateOneOf(name, 'hook name', kHookNames);
    const hook = new TestHook(fn, { __proto__: null, ...options, parent: this, hookType: name });
    if (name === 'before' || name === 'after') hook.run = runOnce(hook.run, { preserveReturnValue: true });
    if (name === 'before' && this.startTime !== null) {
      hook.run(this.getRunArgs()).then(() => {
        if (hook.error != null) this.fail(hook.error);
      });
    }
    this.hooks[name].push(hook);
  }

  /** The hooks of a name that concern this test's subtests: ancestors' first, for afterEach last. */
  allHooks(name) {
    if (name === 'before' || name === 'after' || this.parent === null) return this.hooks[name];
    const inherited = this.parent.allHooks(name);
    return name === 'beforeEach' ? [...inherited, ...this.hooks[name]] : [...this.hooks[name], ...inherited];
  }

  async runHook(name, args) {
    try {
      for (const hook of this.allHooks(name)) {
        await hook.run(args);
        if (hook.error) throw hook.error;
      }
    } catch (cause) {
      const error = new ERR_TEST_FAILURE(`failed running ${name} hook`, kHookFailure);
      error.cause = isTestFailure(cause) ? cause.cause : cause;
      throw error;
    }
  }

  // --- outcome ---

  cancel(error) {
    if (this.endTime !== null || this.error !== null) return;
    this.fail(error || new ERR_TEST_FAILURE(
      'test did not finish before its parent and was cancelled', kCancelledByParent));
    this.cancelled = true;
    this.abortController.abort();
  }

  fail(error) {
    if (this.error !== null) return;
    this.passed = false;
    this.error = error;
  }

  pass() {
    if (this.error === null) this.passed = true;
  }

  skip(message) {
    this.skipped = true;
    this.message = message;
  }

  todo(message) {
    this.isTodo = true;
    this.message = message;
  }

  diagnostic(message) {
    this.diagnostics.push(message);
  }

  setPlan(count, options) {
    if (this.plan !== null) {
      throw new ERR_TEST_FAILURE('cannot set plan more than once', kTestCodeFailure);
    }
    this.plan = new TestPlan(count, options);
  }

  // --- running ---

  getRunArgs() {
    const { TestContext } = require('#test/context');
    this.context ??= new TestContext(this);
    return { ctx: this.context, args: [this.context] };
  }

  async #callFunction(stop, { ctx, args }) {
    const call = (...all) => currentStore().run(this, () => Reflect.apply(this.fn, ctx, all));
    if (this.fn.length !== args.length + 1) {
      await Promise.race([call(...args), stop.promise]);
      return;
    }
    const { promise, callback } = callbackPair();
    const result = call(...args, callback);
    if (types.isPromise(result)) {
      this.fail(new ERR_TEST_FAILURE(
        'passed a callback but also returned a Promise', kCallbackAndPromise));
      await Promise.race([result, stop.promise]);
    } else {
      await Promise.race([promise, stop.promise]);
    }
  }

  async #execute(stop, runArgs) {
    await this.#callFunction(stop, runArgs);
    if (this.subtestsDone !== undefined) {
      this.#settleSubtests();
      await Promise.race([this.subtestsDone.promise, stop.promise]);
    }
    const waiting = this.plan?.check();
    if (waiting !== undefined) await Promise.race([waiting, stop.promise]);
  }

  #settleSubtests() {
    if (this.subtestsDone !== undefined && this.activeSubtests === 0 && this.pendingSubtests.length === 0) {
      this.subtestsDone.resolve();
    }
  }

  failWith(error) {
    if (isTestFailure(error)) {
      if (error.failureType === kTestTimeoutFailure) this.cancel(error);
      else this.fail(error);
    } else {
      this.fail(new ERR_TEST_FAILURE(error, kTestCodeFailure));
    }
  }

  async run() {
    if (this.parent !== null) this.parent.activeSubtests++;
    this.startTime ??= now();
    if (this.shouldAbort()) {
      this.postRun();
      return;
    }
    const runArgs = this.getRunArgs();
    const afterEach = runOnce(async () => {
      if (this.parent !== null && !this.skipped) await this.parent.runHook('afterEach', runArgs);
    });
    const after = runOnce(async () => {
      if (this.hooks.after.length > 0) await this.runHook('after', runArgs);
    });
    let stop;
    try {
      if (this.parent?.hooks.before.length > 0) await this.parent.runHook('before', this.parent.getRunArgs());
      if (this.parent !== null && !this.skipped && this.parent.allHooks('beforeEach').length > 0) {
        await this.parent.runHook('beforeEach', runArgs);
      }
      if (this.expectsPlan !== undefined) this.setPlan(this.expectsPlan);
      stop = stopper(this.timeout, this.signal);
      await this.#execute(stop, runArgs);
      if (this.shouldAbort()) {
        this.postRun();
        return;
      }
      await afterEach();
      await after();
      this.pass();
    } catch (error) {
      this.failWith(error);
      try {
        await afterEach();
      } catch {
        // The first failure is the one to report.
      }
      try {
        await after();
      } catch {
        // The same.
      }
    } finally {
      stop?.done();
      if (!this.isHook) this.abortController.abort();
    }
    this.postRun();
  }

  postRun(pendingSubtestsError) {
    if (this.ended) return;
    this.ended = true;
    this.endTime ??= now();
    this.startTime ??= this.endTime;
    this.pendingSubtests = [];
    let failed = 0;
    for (const subtest of this.subtests) {
      if (!subtest.ended) {
        subtest.cancel(pendingSubtestsError);
        subtest.postRun(pendingSubtestsError);
      }
      if (!subtest.passed && !subtest.isTodo) failed++;
    }
    if (this.passed && failed > 0) {
      this.fail(new ERR_TEST_FAILURE(`${failed} subtest${failed > 1 ? 's' : ''} failed`, kSubtestsFailed));
    }
    this.outerSignal?.removeEventListener('abort', this.#onOuterAbort);
    this.mockTracker?.reset();
    const { parent } = this;
    if (parent === null) return;
    parent.activeSubtests = Math.max(0, parent.activeSubtests - 1);
    this.testNumber ||= ++parent.outputSubtestCount;
    this.reporter.complete(this);
    parent.readySubtests.set(this.childNumber, this);
    parent.processReadySubtests(false);
    parent.processPendingSubtests();
    parent.#settleSubtests();
    // Handles that are still open might keep the loop alive: the root's after() hooks get the chance to close
    // them.
    if (parent.parent === null && parent.activeSubtests === 0 && parent.pendingSubtests.length === 0 &&
        parent.hooks.after.length > 0) {
      this.harness.runRootAfter();
    }
  }

  // --- reporting, in order ---

  isClearToSend() {
    return this.parent === null || (this.parent.waitingOn === this.childNumber && this.parent.isClearToSend());
  }

  processReadySubtests(canSend) {
    if (!canSend && !this.isClearToSend()) return;
    for (;;) {
      const subtest = this.readySubtests.get(this.waitingOn);
      if (subtest === undefined) return;
      this.readySubtests.delete(this.waitingOn);
      subtest.finalize();
    }
  }

  finalize() {
    this.processReadySubtests(true);
    if (!this.filtered) this.report();
    this.finished = true;
    this.parent.waitingOn++;
    this.whenFinished?.resolve();
  }

  /** Settles when the test has been reported. */
  completion() {
    if (this.finished) return Promise.resolve();
    this.whenFinished ??= Promise.withResolvers();
    return this.whenFinished.promise;
  }

  reportStarted() {
    if (this.hasReportedStart || this.parent === null) return;
    this.hasReportedStart = true;
    this.parent.reportStarted();
    this.reporter.start(this);
  }

  report() {
    this.harness.count(this);
    this.reportStarted();
    if (this.outputSubtestCount > 0) this.reporter.plan(this);
    this.reporter.result(this);
    for (const message of this.diagnostics) this.reporter.diagnostic(this, message);
  }

  get duration() {
    return Number((this.endTime ?? now()) - (this.startTime ?? this.endTime ?? now())) / 1e6;
  }
}

class TestHook extends Test {
  #args;
  constructor(fn, options) {
    validateFunction(fn, 'fn');
    const { parent, hookType, timeout = Infinity, signal, loc } = options;
    const { harness } = parent;
    super({ __proto__: null, parent: null, harness, fn, timeout, signal, loc, name: `hook ${hookType}` });
    this.parentTest = parent;
    this.hookType = hookType;
    this.isHook = true;
    this.nesting = parent.nesting;
  }

  getRunArgs() {
    return this.#args;
  }

  async run(args) {
    if (this.error && !this.outerSignal?.aborted) {
      this.passed = false;
      this.error = null;
      this.abortController = new AbortController();
      this.signal = this.abortController.signal;
    }
    this.#args = args;
    this.ended = false;
    return super.run();
  }

  postRun() {
    this.endTime = null;
    this.ended = true;
    if (this.error && this.parentTest.parent === null && this.hookType === 'after') {
      this.parentTest.harness.rootHookFailed(this);
    }
  }
}

class Suite extends Test {
  constructor(options) {
    super(options);
    const fn = this.fn;
    this.fn = noop;
    this.isBuilt = false;
    this.building = undefined;
    if (this.skipped) {
      this.isBuilt = true;
      return;
    }
    try {
      const { ctx, args } = this.getRunArgs();
      const result = currentStore().run(this, () => Reflect.apply(fn, ctx, args));
      if (types.isPromise(result)) {
        this.building = result.catch((error) => this.fail(new ERR_TEST_FAILURE(error, kTestCodeFailure))).then(() => {
          this.isBuilt = true;
        });
      } else {
        this.isBuilt = true;
      }
    } catch (error) {
      this.fail(new ERR_TEST_FAILURE(error, kTestCodeFailure));
      this.isBuilt = true;
    }
  }

  get type() {
    return 'suite';
  }

  getRunArgs() {
    const { SuiteContext } = require('#test/context');
    this.context ??= new SuiteContext(this);
    return { ctx: this.context, args: [this.context] };
  }

  isFiltered() {
    return this.filtered || this.harness.leavesOut(this);
  }

  async run() {
    this.parent.activeSubtests++;
    this.startTime ??= now();
    let stop;
    const runArgs = this.getRunArgs();
    const after = runOnce(async () => {
      if (this.hooks.after.length > 0) await this.runHook('after', runArgs);
    });
    try {
      await this.building;
      if (this.shouldAbort()) {
        this.subtests = [];
        this.postRun();
        return;
      }
      if (!this.skipped && this.error === null) {
        if (this.parent.hooks.before.length > 0) await this.parent.runHook('before', this.parent.getRunArgs());
        await this.runHook('before', runArgs);
        stop = stopper(this.timeout, this.signal);
        await Promise.race([Promise.all(this.subtests.map((subtest) => subtest.start())), stop.promise]);
        await after();
      } else {
        this.subtests = [];
      }
      this.pass();
    } catch (error) {
      try {
        await after();
      } catch {
        // The first failure is the one to report.
      }
      this.failWith(error);
    } finally {
      stop?.done();
      this.abortController.abort();
    }
    this.postRun();
  }
}

module.exports = {
  Suite, Test, TestHook, currentStore, isTestFailure, kCancelledByParent, kHookFailure, kTestCodeFailure,
  kTestTimeoutFailure, now,
};
