'use strict';

// What the command line and the environment make of a thread's whole run: NODE_V8_COVERAGE, --cpu-prof, --heap-prof,
// --heapsnapshot-signal. Started before the program's first script, written when the thread ends.

const { OwnConnection, writeReport } = require('#inspector/own_connection');
const { getOptionValue } = require('#runtime/options');
const coverage = require('#inspector/coverage');

const kProfiles = {
  '--cpu-prof': {
    prefix: 'CPU',
    extension: 'cpuprofile',
    defaultInterval: 1000, // microseconds
    start(connection, interval) {
      connection.ask('Profiler.enable');
      connection.ask('Profiler.setSamplingInterval', { interval });
      connection.ask('Profiler.start');
    },
    stop: (connection) => connection.ask('Profiler.stop')?.profile,
  },
  '--heap-prof': {
    prefix: 'Heap',
    extension: 'heapprofile',
    defaultInterval: 512 * 1024, // bytes
    start(connection, samplingInterval) {
      connection.ask('HeapProfiler.enable');
      connection.ask('HeapProfiler.startSampling', { samplingInterval });
    },
    stop: (connection) => connection.ask('HeapProfiler.stopSampling')?.profile,
  },
};

/** @type {{ connection: OwnConnection, kind: object, option: string, directory: string, name: string }[]} */
let running = [];
let sequence = 0;

/** Such as CPU.20260131.235959.1234.0.001.cpuprofile */
function defaultName(prefix, extension) {
  const now = new Date();
  const two = (number) => String(number).padStart(2, '0');
  const date = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  const time = `${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
  const { threadId } = require('worker_threads');
  const count = String(++sequence).padStart(3, '0');
  return `${prefix}.${date}.${time}.${process.pid}.${threadId}.${count}.${extension}`;
}

function startProfile(option, kind) {
  const path = require('path');
  const connection = new OwnConnection(option);
  kind.start(connection, Number(getOptionValue(`${option}-interval`)) || kind.defaultInterval);
  const directory = getOptionValue(`${option}-dir`) || getOptionValue('--diagnostic-dir') || '.';
  const name = getOptionValue(`${option}-name`)?.replaceAll('${pid}', process.pid);
  // The program may change its directory.
  running.push({ connection, kind, directory: path.resolve(directory), name });
}

function writeHeapSnapshotOnSignal(signal) {
  const path = require('path');
  process.on(signal, () => {
    const { writeHeapSnapshot } = require('v8');
    const directory = getOptionValue('--diagnostic-dir');
    if (directory) writeHeapSnapshot(path.join(directory, defaultName('Heap', 'heapsnapshot')));
    else writeHeapSnapshot();
  });
}

function start() {
  const { NODE_V8_COVERAGE: directory } = process.env;
  if (directory) coverage.start(directory);
  for (const [option, kind] of Object.entries(kProfiles)) {
    if (getOptionValue(option)) startProfile(option, kind);
  }
  const signal = getOptionValue('--heapsnapshot-signal');
  if (signal && require('worker_threads').isMainThread) writeHeapSnapshotOnSignal(signal);
}

/** At the end of the thread, however it comes about. */
function finish() {
  coverage.take();
  coverage.stop();
  const profiles = running;
  running = [];
  for (const { connection, kind, directory, name } of profiles) {
    const profile = kind.stop(connection);
    connection.close();
    if (profile === undefined) continue;
    writeReport(directory, name ?? defaultName(kind.prefix, kind.extension), JSON.stringify(profile));
  }
}

module.exports = { start, finish };
