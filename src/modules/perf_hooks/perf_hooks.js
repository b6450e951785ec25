'use strict';

// node:perf_hooks.

const { PerformanceEntry, PerformanceMark, PerformanceMeasure } = require('#perf_hooks/entry');
const { PerformanceObserver, PerformanceObserverEntryList } = require('#perf_hooks/timeline');
const { PerformanceResourceTiming } = require('#perf_hooks/resource_timing');
const { Performance, performance } = require('#perf_hooks/performance');
const { eventLoopUtilization } = require('#perf_hooks/node_timing');
const { timerify } = require('#perf_hooks/timerify');
const { createHistogram, monitorEventLoopDelay } = require('#perf_hooks/histogram');

module.exports = {
  Performance,
  PerformanceEntry,
  PerformanceMark,
  PerformanceMeasure,
  PerformanceObserver,
  PerformanceObserverEntryList,
  PerformanceResourceTiming,
  monitorEventLoopDelay,
  eventLoopUtilization,
  timerify,
  createHistogram,
  performance,
};

const constants = {};
for (const [name, value] of Object.entries({
  NODE_PERFORMANCE_GC_MAJOR: 4,
  NODE_PERFORMANCE_GC_MINOR: 1,
  NODE_PERFORMANCE_GC_INCREMENTAL: 8,
  NODE_PERFORMANCE_GC_WEAKCB: 16,
  NODE_PERFORMANCE_GC_FLAGS_NO: 0,
  NODE_PERFORMANCE_GC_FLAGS_CONSTRUCT_RETAINED: 2,
  NODE_PERFORMANCE_GC_FLAGS_FORCED: 4,
  NODE_PERFORMANCE_GC_FLAGS_SYNCHRONOUS_PHANTOM_PROCESSING: 8,
  NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE: 16,
  NODE_PERFORMANCE_GC_FLAGS_ALL_EXTERNAL_MEMORY: 32,
  NODE_PERFORMANCE_GC_FLAGS_SCHEDULE_IDLE: 64,
})) {
  Object.defineProperty(constants, name, { __proto__: null, enumerable: true, configurable: false, value });
}
// Kinds of entries and moments of a start, in the order of their numbers; they are not enumerable.
for (const [prefix, names] of Object.entries({
  NODE_PERFORMANCE_ENTRY_TYPE: ['GC', 'HTTP', 'HTTP2', 'NET', 'DNS'],
  NODE_PERFORMANCE_MILESTONE: ['TIME_ORIGIN_TIMESTAMP', 'TIME_ORIGIN', 'ENVIRONMENT', 'NODE_START', 'V8_START',
    'LOOP_START', 'LOOP_EXIT', 'BOOTSTRAP_COMPLETE'],
})) {
  names.forEach((name, value) => {
    Object.defineProperty(constants, `${prefix}_${name}`, { __proto__: null, configurable: false, value });
  });
}
Object.defineProperty(module.exports, 'constants', {
  __proto__: null,
  configurable: false,
  enumerable: true,
  value: constants,
});
