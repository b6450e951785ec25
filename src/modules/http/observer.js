'use strict';

// Performance entries of type 'http', for those who observe them.

/** Whether a PerformanceObserver of 'http' exists; asks nothing of node:perf_hooks unless it was loaded. */
function hasHttpObserver() {
  return observers > 0;
}

let observers = 0;

/** node:perf_hooks tells how many observers of 'http' there are. */
function setHttpObserverCount(count) {
  observers = count;
}

/** Hands an entry of type 'http' to those who observe them. */
function enqueueHttpEntry(name, start, detail) {
  const { PerformanceNodeEntry } = require('#perf_hooks/entry');
  const { enqueue } = require('#perf_hooks/timeline');
  const duration = require('perf_hooks').performance.now() - start;
  enqueue(new PerformanceNodeEntry(name, 'http', start, duration, detail));
}

module.exports = { enqueueHttpEntry, hasHttpObserver, setHttpObserverCount };
