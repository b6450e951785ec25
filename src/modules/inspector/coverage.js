'use strict';

// NODE_V8_COVERAGE: which parts of a program ran, written as JSON to that directory when it ends, when
// v8.takeCoverage() asks for it, and per thread.

let connection;
let directory;
let answers;
let nextId = 1;
let sequence = 0;

/** Sends a command; V8 answers before this returns. */
function ask(method, params) {
  const id = nextId++;
  connection.dispatch(JSON.stringify({ id, method, params }));
  const answer = answers.get(id);
  answers.delete(id);
  return answer?.result;
}

/** Starts counting, before the program's first script is compiled. */
function start(where) {
  const path = require('path');
  directory = path.resolve(where);
  // Children that change their directory write to the same place.
  process.env.NODE_V8_COVERAGE = directory;
  answers = new Map();
  const { Connection } = binding('inspector');
  connection = new Connection((text) => {
    const message = JSON.parse(text);
    if (message.id) answers.set(message.id, message);
  }, 'coverage');
  ask('Profiler.enable');
  ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}

/** Writes what was counted since the last time. */
function take() {
  if (connection === undefined) return;
  const coverage = ask('Profiler.takePreciseCoverage');
  if (coverage?.result === undefined) return;
  const fs = require('fs');
  const path = require('path');
  const { threadId } = require('worker_threads');
  const timestamp = Date.now();
  const result = coverage.result.filter(({ url }) => url.startsWith('file:'));
  const name = `coverage-${process.pid}-${timestamp}-${threadId}${sequence > 0 ? `-${sequence}` : ''}.json`;
  sequence++;
  try {
    fs.mkdirSync(directory, { recursive: true });
    fs.writeFileSync(path.join(directory, name), JSON.stringify({ result, timestamp }));
  } catch (error) {
    process._rawDebug(`Could not write coverage to ${directory}: ${error.message}`);
  }
}

/** Stops counting; what was counted and not written is lost. */
function stop() {
  if (connection === undefined) return;
  ask('Profiler.stopPreciseCoverage');
  ask('Profiler.disable');
  connection.disconnect();
  connection = undefined;
}

/** At the end of the thread. */
function finish() {
  take();
  stop();
}

module.exports = { start, take, stop, finish };
