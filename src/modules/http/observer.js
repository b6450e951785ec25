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

module.exports = { hasHttpObserver, setHttpObserverCount };
