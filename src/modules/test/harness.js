'use strict';

// The run that test() in a plain program belongs to: the root test, what the process's events mean for it,
// and the reporters that its results go to.

const { codes: { ERR_TEST_FAILURE } } = require('#internal/errors');
const { Test, currentStore, kCancelledByParent, now } = require('#test/runner');
const { Reporter } = require('#test/events');

const kCounters = ['tests', 'failed', 'passed', 'cancelled', 'skipped', 'todo', 'topLevel', 'suites'];

/** The state that all tests of one run share. */
class Harness {
  constructor(options = {}) {
    this.reporter = new Reporter();
    this.counts = Object.fromEntries(kCounters.map((name) => [name, 0]));
    this.success = true;
    this.isFinished = false;
    this.bootstrap = Promise.resolve();
    this.only = options.only ?? false;
    this.namePatterns = options.namePatterns ?? null;
    this.skipPatterns = options.skipPatterns ?? null;
    this.setsExitCode = options.setsExitCode ?? true;
    this.namesFile = options.namesFile ?? true;
    this.coverage = options.coverage;
    this.honoursOnly = options.honoursOnly ?? false;
    const { concurrency, timeout, signal, loc } = options;
    this.root = new Test({
      __proto__: null, parent: null, harness: this, name: '<root>', concurrency, timeout, signal, loc,
    });
    this.root.startTime = now();
    this.root.runOnlySubtests = this.only;
  }

  #matches(test) {
    if (this.skipPatterns !== null && this.skipPatterns.some((pattern) => matchesName(pattern, test))) return false;
    return this.namePatterns === null || this.namePatterns.some((pattern) => matchesName(pattern, test));
  }

  /** Takes note of a new test. */
  filter(test) {
    if (test.isHook) return;
    if (test.type === 'suite') test.isNamed = this.namePatterns !== null && this.#matches(test);
    // Files that share a process share `only`, too.
    if (test.only && this.honoursOnly) this.root.runOnlySubtests = true;
  }

  /** Whether the options of the run leave a test out; asked when it is about to start. */
  filters(test) {
    const hasPatterns = this.namePatterns !== null || this.skipPatterns !== null;
    if (hasPatterns && !this.#matches(test) && !(hasNamedAncestor(test) && !this.#isSkippedByName(test))) {
      return true;
    }
    const { parent, root } = test;
    return (parent.runOnlySubtests || root.runOnlySubtests) && !test.only && !hasOnlyAncestor(test);
  }

  #isSkippedByName(test) {
    return this.skipPatterns !== null && this.skipPatterns.some((pattern) => matchesName(pattern, test));
  }

  /** Whether nothing in a suite that has been built is to run. */
  leavesOut(suite) {
    const isOnly = suite.parent.runOnlySubtests || suite.root.runOnlySubtests;
    if (this.namePatterns === null && this.skipPatterns === null && !isOnly) return false;
    if (suite.isNamed || (suite.only && isOnly)) return false;
    if (suite.subtests.length === 0) return true;
    return suite.subtests.every((subtest) => subtest.isFiltered());
  }

  count(test) {
    const { counts } = this;
    if (test.nesting === 0) counts.topLevel++;
    if (test.type === 'suite') {
      counts.suites++;
    } else {
      if (test.skipped) counts.skipped++;
      else if (test.isTodo) counts.todo++;
      else if (test.cancelled) counts.cancelled++;
      else if (!test.passed) counts.failed++;
      else counts.passed++;
      counts.tests++;
    }
    if (!test.passed && !test.isTodo) this.failed();
  }

  failed() {
    this.success = false;
    if (this.setsExitCode) process.exitCode = 1;
  }

  /** The after() hooks of the root, once. */
  runRootAfter() {
    const { root } = this;
    this.rootAfter ??= root.hooks.after.length === 0 ? Promise.resolve() :
      root.runHook('after', root.getRunArgs()).catch(() => this.failed());
    return this.rootAfter;
  }

  rootHookFailed(hook) {
    this.failed();
    this.root.hookError = hook.error;
  }

  /** Ends the run because somebody wants the process gone. */
  interrupt() {
    if (this.isFinished) return;
    this.isFinished = true;
    this.failed();
    this.root.abortController.abort();
    this.root.postRun();
    this.root.processReadySubtests(true);
    this.report();
  }

  /** Ends the run: what has not finished will not any more. */
  async finish(error) {
    if (this.isFinished) return;
    this.isFinished = true;
    const { root } = this;
    await this.bootstrap;
    const wasEnded = root.ended;
    if (!wasEnded) {
      root.passed = true;
      root.postRun(error);
    }
    root.processReadySubtests(true);
    await this.runRootAfter();
    this.report();
  }

  /** What ran, if the run asks for that. */
  #summarizeCoverage() {
    if (this.coverage === undefined) return undefined;
    try {
      return this.coverage.session.summarize(this.coverage);
    } catch (error) {
      this.root.diagnostic(`Warning: Could not report code coverage. ${error}`);
      this.failed();
      return undefined;
    }
  }

  #reportCoverage(summary, where) {
    const { totals, thresholds } = summary;
    const event = (data) => ({ __proto__: null, nesting: 0, ...data, ...where });
    const shares = {
      line: totals.coveredLinePercent, branch: totals.coveredBranchPercent, function: totals.coveredFunctionPercent,
    };
    for (const [name, share] of Object.entries(shares)) {
      if (share >= thresholds[name]) continue;
      this.failed();
      process.exitCode = 1;
      const message = `Error: ${share.toFixed(2)}% ${name} coverage does not meet threshold of ${thresholds[name]}%.`;
      this.reporter.emit('test:diagnostic', event({ message, level: 'error' }));
    }
    this.reporter.emit('test:coverage', event({ summary }));
  }

  report() {
    const { counts, root, reporter } = this;
    const coverage = this.#summarizeCoverage();
    const loc = this.namesFile ? root.loc ?? root.subtests[0]?.loc : undefined;
    const where = loc === undefined ? {} : { line: 1, column: 1, file: loc.file };
    const diagnostic = (message) => (
      reporter.emit('test:diagnostic', { __proto__: null, nesting: 0, message, level: 'info', ...where }));
    this.isReporting = true;
    reporter.emit('test:plan', { __proto__: null, nesting: 0, count: counts.topLevel, ...where });
    this.isReporting = false;
    for (const message of root.diagnostics) diagnostic(message);
    this.isReporting = true;
    diagnostic(`tests ${counts.tests}`);
    diagnostic(`suites ${counts.suites}`);
    diagnostic(`pass ${counts.passed}`);
    diagnostic(`fail ${counts.failed}`);
    diagnostic(`cancelled ${counts.cancelled}`);
    diagnostic(`skipped ${counts.skipped}`);
    diagnostic(`todo ${counts.todo}`);
    const duration = Number(now() - root.startTime) / 1e6;
    diagnostic(`duration_ms ${duration}`);
    if (coverage !== undefined) this.#reportCoverage(coverage, where);
    reporter.emit('test:summary', {
      __proto__: null, success: this.success, counts: { __proto__: null, ...counts }, duration_ms: duration,
      file: where.file,
    });
  }
}

function matchesName(pattern, test) {
  return pattern.exec(test.name) !== null || pattern.exec(test.fullName.replaceAll(' > ', ' ')) !== null;
}

function hasNamedAncestor(test) {
  for (let ancestor = test.parent; ancestor !== null; ancestor = ancestor.parent) if (ancestor.isNamed) return true;
  return false;
}

function hasOnlyAncestor(test) {
  for (let ancestor = test.parent; ancestor !== null; ancestor = ancestor.parent) if (ancestor.only) return true;
  return false;
}

function describeLateActivity(test, error, event) {
  if (test === undefined) {
    return 'A resource generated asynchronous activity after the test ended. This activity created the error ' +
      `"${error}" which triggered an ${event} event, caught by the test runner.`;
  }
  const path = require('path');
  const where = test.loc === undefined ? '' :
    ` at ${path.relative(process.cwd(), test.loc.file)}:${test.loc.line}:${test.loc.column}`;
  const name = test.isHook ? `Test hook "${test.hookType}"` : `Test "${test.name}"`;
  return `${name}${where} generated asynchronous activity after the test ended. This activity created ` +
    `the error "${error}" and would have caused the test to fail, but instead triggered an ${event} event.`;
}

function onProcessError(harness, event, error) {
  const test = currentStore().getStore();
  if (test === undefined || test.ended) {
    harness.root.diagnostic(`Error: ${describeLateActivity(test, error, event)}`);
    harness.failed();
    return;
  }
  test.fail(new ERR_TEST_FAILURE(error, event));
  test.abortController.abort();
}

/** Lets the harness see what goes wrong outside its tests; returns what takes that back. */
function watchProcess(harness) {
  const onException = (error) => onProcessError(harness, 'uncaughtException', error);
  const onRejection = (error) => onProcessError(harness, 'unhandledRejection', error);
  process.on('uncaughtException', onException);
  process.on('unhandledRejection', onRejection);
  return () => {
    process.removeListener('uncaughtException', onException);
    process.removeListener('unhandledRejection', onRejection);
  };
}

let global;

/** The harness of this process, made by the first test(). */
function globalHarness() {
  if (global !== undefined) return global;
  const settings = require('#test/settings').read();
  if (settings.coverage !== undefined) settings.coverage.session = require('#test/coverage').open();
  const harness = global = new Harness(settings);
  const unwatch = watchProcess(harness);
  const end = require('#test/output').attach(harness, settings);
  const finish = async () => {
    process.removeListener('beforeExit', finish);
    await harness.finish(new ERR_TEST_FAILURE(
      'Promise resolution is still pending but the event loop has already resolved', kCancelledByParent));
    unwatch();
    end();
  };
  process.on('beforeExit', finish);
  process.on('exit', () => {
    if (harness.isFinished) return;
    harness.isFinished = true;
    harness.root.passed = true;
    harness.root.postRun(new ERR_TEST_FAILURE('test did not finish before its parent and was cancelled',
      kCancelledByParent));
    harness.root.processReadySubtests(true);
    harness.report();
    end();
  });
  harness.bootstrap = harness.bootstrap.then(() => {
    harness.bootstrap = undefined;
  });
  return harness;
}

/** The test that new tests and hooks belong to. */
function currentParent() {
  return currentStore().getStore() ?? globalHarness().root;
}

/** For run() without child processes: `fn` declares tests in a run of their own. */
function withHarness(harness, fn) {
  return currentStore().run(harness.root, fn);
}

module.exports = { Harness, currentParent, globalHarness, watchProcess, withHarness };
