'use strict';

// run(): test files, each in a process of its own unless `isolation` is 'none', as one stream of events.

const {
  codes: { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_OUT_OF_RANGE, ERR_TEST_FAILURE },
} = require('#internal/errors');
const {
  validateAbortSignal, validateArray, validateBoolean, validateFunction, validateInteger, validateObject,
  validateOneOf, validateString, validateStringArray,
} = require('#internal/validators');
const { kEmptyObject } = require('#internal/util');
const { setImmediate } = require('timers');
const { Test } = require('#test/runner');
const { Harness, watchProcess, withHarness } = require('#test/harness');
const { TestsStream } = require('#test/events');

const kSubtestsFailed = 'subtestsFailed';
const kTestCodeFailure = 'testCodeFailure';

/** A test file as a test: it passes when its process does. */
class FileTest extends Test {
  constructor(options) {
    super(options);
    this.reported = 0;
    this.failedChildren = 0;
    this.buffer = [];
  }

  /** What the file reports is enough, unless it failed in another way. */
  get isSilent() {
    return this.reported > 0 && (this.error === null || this.error.failureType === kSubtestsFailed);
  }

  receive(type, data) {
    if (type === 'test:pass' || type === 'test:fail') {
      this.reported++;
      if (data.nesting === 0) data.testNumber = ++this.harness.topLevelNumber;
      if (type === 'test:fail' && data.todo === undefined) this.failedChildren++;
      this.harness.countEvent(type, data);
    }
    this.deliver(type, data);
  }

  deliver(type, data) {
    if (this.isClearToSend()) {
      this.flush();
      this.reporter.emit(type, data);
    } else {
      this.buffer.push([type, data]);
    }
  }

  flush() {
    for (const { 0: type, 1: data } of this.buffer) this.reporter.emit(type, data);
    this.buffer = [];
  }

  reportStarted() {
    if (!this.isSilent) super.reportStarted();
  }

  report() {
    this.flush();
    if (this.isSilent) return;
    this.testNumber = ++this.harness.topLevelNumber;
    super.report();
  }
}

/** The harness of a run over files: counts what the files' processes report. */
class RunHarness extends Harness {
  constructor(options) {
    super({ ...options, setsExitCode: false, namesFile: false });
    this.topLevelNumber = 0;
  }

  countEvent(type, { nesting, details, skip, todo }) {
    const { counts } = this;
    if (nesting === 0) counts.topLevel++;
    if (details.type === 'suite') {
      counts.suites++;
    } else {
      if (skip !== undefined) counts.skipped++;
      else if (todo !== undefined) counts.todo++;
      else if (details.error?.failureType === 'testTimeoutFailure' ||
          details.error?.failureType === 'cancelledByParent' || details.error?.failureType === 'testAborted') {
        counts.cancelled++;
      } else if (type === 'test:fail') counts.failed++;
      else counts.passed++;
      counts.tests++;
    }
    if (type === 'test:fail' && todo === undefined) this.failed();
  }
}

function childArguments(path, options) {
  const { execArgv = [], argv = [], only, testNamePatterns, testSkipPatterns, forceExit } = options;
  const own = process.execArgv.filter((argument, i, all) => (
    !/^--(?:test|experimental-test-coverage|watch)/.test(argument) && !/^--test-/.test(all[i - 1] ?? '')));
  const args = [...own, ...execArgv];
  for (const pattern of testNamePatterns ?? []) args.push(`--test-name-pattern=${pattern}`);
  for (const pattern of testSkipPatterns ?? []) args.push(`--test-skip-pattern=${pattern}`);
  if (only) args.push('--test-only');
  if (forceExit) args.push('--test-force-exit');
  return [...args, path, ...argv];
}

function childEnvironment(coverage, env = process.env) {
  const result = { __proto__: null, ...env, NODE_TEST_CONTEXT: 'child-v8' };
  if (coverage !== undefined) result.NODE_V8_COVERAGE = coverage.session.directory;
  return result;
}

/** Runs one file's process to its end. */
function runProcess(test, path, options) {
  const { spawn } = require('child_process');
  const { Receiver } = require('#test/child_channel');
  const { promise, resolve, reject } = Promise.withResolvers();
  const child = spawn(process.execPath, childArguments(path, options), {
    __proto__: null, signal: test.signal, encoding: 'utf8', cwd: options.cwd, stdio: ['pipe', 'pipe', 'pipe'],
    env: childEnvironment(test.harness.coverage, options.env),
  });
  let spawnError;
  child.on('error', (error) => {
    spawnError = error;
  });
  const receiver = new Receiver((type, data) => test.receive(type, data),
    (message) => test.deliver('test:stdout', { __proto__: null, file: path, message }));
  child.stdout.setEncoding('utf8').on('data', (text) => receiver.push(text));
  child.stderr.setEncoding('utf8').on('data', (message) => (
    test.deliver('test:stderr', { __proto__: null, file: path, message })));
  child.stdin.end();
  child.on('close', (code, signal) => {
    receiver.end();
    if (code === 0 && signal === null) {
      resolve();
      return;
    }
    if (spawnError !== undefined && spawnError.name !== 'AbortError') {
      reject(spawnError);
      return;
    }
    const error = new ERR_TEST_FAILURE('test failed', test.failedChildren > 0 ? kSubtestsFailed : kTestCodeFailure);
    error.exitCode = code;
    error.signal = signal;
    // Where this was noticed says nothing about the test.
    error.stack = undefined;
    reject(error);
  });
  return promise;
}

function validateShard(shard) {
  validateObject(shard, 'options.shard');
  validateInteger(shard.total, 'options.shard.total', 1);
  validateInteger(shard.index, 'options.shard.index');
  if (shard.index <= 0 || shard.total < shard.index) {
    throw new ERR_OUT_OF_RANGE('options.shard.index', `>= 1 && <= ${shard.total}`, shard.index);
  }
}

function toPatterns(value, name) {
  if (value === undefined || value === null) return undefined;
  const { toRegExp } = require('#test/settings');
  return (Array.isArray(value) ? value : [value]).map((item, i) => {
    if (item instanceof RegExp) return item;
    if (typeof item === 'string') return toRegExp(item);
    throw new ERR_INVALID_ARG_TYPE(Array.isArray(value) ? `${name}[${i}]` : name, ['string', 'RegExp'], item);
  });
}

function validateFiles(options) {
  const { files, globPatterns, watch, shard, isolation = 'process' } = options;
  if (files != null) validateArray(files, 'options.files');
  if (watch != null) validateBoolean(watch, 'options.watch');
  if (globPatterns != null) validateArray(globPatterns, 'options.globPatterns');
  if (globPatterns?.length > 0 && files?.length > 0) {
    throw new ERR_INVALID_ARG_VALUE('options.globPatterns', globPatterns,
      'is not supported when specifying \'options.files\'');
  }
  if (shard != null) {
    validateShard(shard);
    if (watch) throw new ERR_INVALID_ARG_VALUE('options.shard', watch, 'shards not supported with watch mode');
  }
  validateOneOf(isolation, 'options.isolation', ['process', 'none']);
}

/** @returns {object | undefined} what the coverage of the run is about */
function coverageOptions(options, cwd) {
  const { coverage, lineCoverage = 0, branchCoverage = 0, functionCoverage = 0 } = options;
  const toGlobs = (name) => {
    const value = options[name];
    if (value === undefined || value === null) return [];
    const globs = Array.isArray(value) ? value : [value];
    validateStringArray(globs, `options.${name}`);
    return globs;
  };
  if (coverage !== undefined && coverage !== null) validateBoolean(coverage, 'options.coverage');
  const exclude = toGlobs('coverageExcludeGlobs');
  const include = toGlobs('coverageIncludeGlobs');
  validateInteger(lineCoverage, 'options.lineCoverage', 0, 100);
  validateInteger(branchCoverage, 'options.branchCoverage', 0, 100);
  validateInteger(functionCoverage, 'options.functionCoverage', 0, 100);
  if (!coverage) return undefined;
  const thresholds = { __proto__: null, line: lineCoverage, branch: branchCoverage, function: functionCoverage };
  return { cwd, exclude, include, thresholds };
}

function validateRunOptions(options) {
  validateObject(options, 'options');
  const { forceExit, only, setup, signal, cwd, execArgv = [], argv = [], env } = options;
  if (forceExit != null) {
    validateBoolean(forceExit, 'options.forceExit');
    if (forceExit && options.watch) {
      throw new ERR_INVALID_ARG_VALUE('options.forceExit', forceExit, 'is not supported with watch mode');
    }
  }
  if (only != null) validateBoolean(only, 'options.only');
  validateFiles(options);
  if (setup != null) validateFunction(setup, 'options.setup');
  validateAbortSignal(signal, 'options.signal');
  if (cwd != null) validateString(cwd, 'options.cwd');
  if (env != null) validateObject(env, 'options.env');
  validateStringArray(execArgv, 'options.execArgv');
  validateStringArray(argv, 'options.argv');
  if (options.isolation === 'none' && env != null) {
    throw new ERR_INVALID_ARG_VALUE('options.env', env, "is not supported with isolation='none'");
  }
}

/** A file that declares no tests is a test itself, and so is one that cannot be loaded. */
async function loadInProcess(harness, name, cwd) {
  const file = require('path').resolve(cwd, name);
  const { root } = harness;
  const before = root.subtests.length;
  let failure;
  await withHarness(harness, async () => {
    try {
      await require('#module/esm').importAll([require('url').pathToFileURL(file).href]);
    } catch (error) {
      failure = { error };
    }
  });
  if (failure === undefined && root.subtests.length > before) return;
  const loc = { __proto__: null, line: 1, column: 1, file };
  const test = root.createSubtest(Test, name, {}, () => {
    if (failure !== undefined) throw failure.error;
  }, { loc });
  harness.bootstrap.then(() => test.start());
}

async function runInProcess(harness, files, cwd) {
  // No test starts before all files have been loaded.
  const loaded = Promise.withResolvers();
  harness.bootstrap = loaded.promise;
  for (const file of files) await loadInProcess(harness, file, cwd);
  harness.bootstrap = undefined;
  loaded.resolve();
  // The starts are promise jobs.
  await new Promise(setImmediate);
  await Promise.all(harness.root.subtests.map((test) => test.completion()));
}

function startFiles(harness, files, options) {
  const { cwd } = options;
  const path = require('path');
  return Promise.all(files.map((file) => {
    const full = path.resolve(cwd, file);
    const loc = { __proto__: null, line: 1, column: 1, file: full };
    const test = harness.root.createSubtest(FileTest, file, {}, () => runProcess(test, full, options), { loc });
    return test.start();
  }));
}

/**
 * @param {object} options of run()
 * @param {(harness: Harness) => void} [outputs] attaches reporters
 * @param {() => Promise<void>} [preload] what runs before the files when they share this process
 * @returns {{ stream: TestsStream, done: Promise<boolean> }}
 */
function start(options, outputs = undefined, preload = undefined) {
  validateRunOptions(options);
  require('util').debuglog('test_runner')('run options:', options);
  const cwd = options.cwd ?? process.cwd();
  const testNamePatterns = toPatterns(options.testNamePatterns, 'options.testNamePatterns');
  const testSkipPatterns = toPatterns(options.testSkipPatterns, 'options.testSkipPatterns');
  const coverage = coverageOptions(options, cwd);
  if (coverage !== undefined) coverage.session = require('#test/coverage').open();
  let files = options.files ?? require('#test/files').findTestFiles(options.globPatterns, cwd);
  if (options.shard) {
    const { index, total } = options.shard;
    files = [...files].sort().filter((_, i) => i % total === index - 1);
  }
  const concurrency = options.concurrency === true ? Math.max(require('os').availableParallelism() - 1, 1) :
    options.concurrency ?? 1;
  const { signal, timeout, setup } = options;
  const isOne = options.isolation === 'none';
  const harness = new RunHarness({
    concurrency: options.concurrency === undefined ? undefined : concurrency, timeout, signal, coverage,
    // The processes of files filter for themselves.
    ...(isOne ? {
      namePatterns: testNamePatterns ?? null, skipPatterns: testSkipPatterns ?? null, only: options.only,
      honoursOnly: true,
    } : {}),
  });
  const stream = new TestsStream();
  harness.reporter.sinks.push((event) => stream.send(event));
  outputs?.(harness);
  const work = async () => {
    await setup?.(stream);
    const unwatch = isOne && preload !== undefined ? watchProcess(harness) : undefined;
    if (isOne && preload !== undefined) await withHarness(harness, preload);
    if (isOne) await runInProcess(harness, files, cwd);
    else await startFiles(harness, files, { ...options, cwd, testNamePatterns, testSkipPatterns });
    if (unwatch !== undefined) {
      // Late errors of the tests still count.
      await new Promise((resolve) => {
        process.once('beforeExit', resolve);
      });
      unwatch();
    }
    await harness.finish();
    stream.end();
    return harness.success;
  };
  const done = work();
  done.catch((error) => stream.destroy(error));
  return { stream, done };
}

function run(options = kEmptyObject) {
  return start(options).stream;
}

module.exports = { run, start };
