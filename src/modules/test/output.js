'use strict';

// Where the results of a run go: built-in reporters write at once, so that nothing is lost when the process
// is ended from within; reporters of the user's get a stream.

const { codes: { ERR_INVALID_ARG_VALUE } } = require('#internal/errors');
const { TestsStream } = require('#test/events');
const { clearImmediate, clearInterval, setImmediate, setInterval } = require('timers');

const kBuiltIn = {
  __proto__: null,
  spec: () => new (require('#test/reporter_spec').SpecFormatter)(),
  tap: () => new (require('#test/reporter_tap').TapFormatter)(),
  dot: () => new (require('#test/reporter_dot').DotFormatter)(),
  lcov: () => new (require('#test/reporter_lcov').LcovFormatter)(),
  junit: () => new (require('#test/reporter_junit').JunitFormatter)(),
};

function openDestination(name) {
  if (name === 'stdout') return process.stdout;
  if (name === 'stderr') return process.stderr;
  const fs = require('fs');
  const fd = fs.openSync(name, 'w');
  const { Writable } = require('stream');
  return new Writable({
    write(chunk, encoding, callback) {
      fs.writeSync(fd, chunk);
      callback();
    },
    final(callback) {
      fs.closeSync(fd);
      callback();
    },
  });
}

/** A path, URL or package name, from the working directory. */
async function loadReporter(name) {
  const { pathToFileURL } = require('url');
  const parent = pathToFileURL(`${process.cwd()}/`).href;
  const namespace = await require('#module/esm').importModule(name, parent, {});
  const exports = namespace?.default ?? namespace;
  return exports?.default ?? exports;
}

const isClass = (value) => typeof value === 'function' && value.prototype !== undefined &&
  Object.getOwnPropertyDescriptor(value, 'prototype').writable === false && 'constructor' in value.prototype;

/**
 * Text is written in the loop's next turn: what tests print themselves comes first, and many results are one
 * write.
 * @returns {{ sink: Function, end: Function }}
 */
function builtInOutput(formatter, destination, isStandard) {
  let buffered = formatter.begin?.() ?? '';
  let scheduled;
  const flush = () => {
    clearImmediate(scheduled);
    scheduled = undefined;
    if (buffered !== '') destination.write(buffered);
    buffered = '';
  };
  return {
    sink: (event) => {
      buffered += formatter.format(event);
      if (buffered !== '') scheduled ??= setImmediate(flush);
    },
    end: () => {
      buffered += formatter.end();
      flush();
      if (!isStandard) destination.end();
    },
  };
}

function customOutput(name, destination, isStandard) {
  const stream = new TestsStream();
  // Until the reporter is there its events wait in the stream, and the process with them.
  const hold = setInterval(() => {}, 2 ** 30);
  loadReporter(name).then((reporter) => {
    clearInterval(hold);
    if (isClass(reporter)) reporter = new reporter();
    if (reporter === null || (typeof reporter !== 'function' && typeof reporter !== 'object')) {
      throw new ERR_INVALID_ARG_VALUE('Reporter', name, 'is not a valid reporter');
    }
    const { compose } = require('stream');
    compose(stream, reporter).pipe(destination, { end: !isStandard });
  }).catch((error) => {
    clearInterval(hold);
    require('#process/task_queues').triggerUncaughtException(error, false);
  });
  return { sink: (event) => stream.send(event), end: () => stream.end() };
}

/** @returns {() => void} to call when the run has ended */
function attach(harness, settings) {
  if (process.env.NODE_TEST_CONTEXT === 'child-v8') {
    const channel = require('#test/child_channel');
    // The totals are the parent's to make.
    harness.reporter.sinks.push((event) => {
      if (!harness.isReporting || event.type === 'test:summary') channel.send(event);
    });
    return () => {};
  }
  let { reporters, destinations } = settings;
  if (reporters.length === 0 && destinations.length === 0) reporters = ['spec'];
  if (reporters.length === 1 && destinations.length === 0) destinations = ['stdout'];
  if (reporters.length !== destinations.length) {
    throw new ERR_INVALID_ARG_VALUE('--test-reporter', reporters,
      'must match the number of specified \'--test-reporter-destination\'');
  }
  const outputs = reporters.map((name, i) => {
    const isStandard = destinations[i] === 'stdout' || destinations[i] === 'stderr';
    const destination = openDestination(destinations[i]);
    return kBuiltIn[name] !== undefined ? builtInOutput(kBuiltIn[name](), destination, isStandard) :
      customOutput(name, destination, isStandard);
  });
  for (const { sink } of outputs) harness.reporter.sinks.push(sink);
  return () => {
    for (const { end } of outputs) end();
  };
}

module.exports = { attach };
