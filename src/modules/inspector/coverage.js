'use strict';

// NODE_V8_COVERAGE: which parts of a program ran, written as JSON to that directory when it ends, when
// v8.takeCoverage() asks for it, and per thread.

const { OwnConnection, writeReport } = require('#inspector/own_connection');

let connection;
let directory;
let sequence = 0;

/** Starts counting, before the program's first script is compiled. */
function start(where) {
  directory = require('path').resolve(where);
  // Children that change their directory write to the same place.
  process.env.NODE_V8_COVERAGE = directory;
  connection = new OwnConnection('coverage');
  connection.ask('Profiler.enable');
  connection.ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}

/** Writes what was counted since the last time. */
function take() {
  if (connection === undefined) return;
  const coverage = connection.ask('Profiler.takePreciseCoverage');
  if (coverage?.result === undefined) return;
  const { threadId } = require('worker_threads');
  const timestamp = Date.now();
  const result = coverage.result.filter(({ url }) => url.startsWith('file:'));
  const name = `coverage-${process.pid}-${timestamp}-${threadId}${sequence > 0 ? `-${sequence}` : ''}.json`;
  sequence++;
  const maps = require('#module/source_map_support').cacheForCoverage();
  const report = Object.keys(maps).length > 0 ? { result, timestamp, 'source-map-cache': maps } : { result, timestamp };
  writeReport(directory, name, JSON.stringify(report));
}

/** Stops counting; what was counted and not written is lost. */
function stop() {
  if (connection === undefined) return;
  connection.ask('Profiler.stopPreciseCoverage');
  connection.ask('Profiler.disable');
  connection.close();
  connection = undefined;
}

module.exports = { start, take, stop };
