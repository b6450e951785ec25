'use strict';

// Durations for PerformanceObserver: of connections and name look-ups, measured only while somebody observes them.

const { isLoaded } = require('#runtime/loader');

const kMeasure = Symbol('kPerfHooks');

function timelineFor(type) {
  // Without the module there is no observer.
  if (!isLoaded('#perf_hooks/timeline')) return undefined;
  const timeline = require('#perf_hooks/timeline');
  return timeline.hasObserver(type) ? timeline : undefined;
}

/** @param {string} type 'net' or 'dns' @returns {object | undefined} for end(); undefined when nobody observes */
function begin(type, name, detail) {
  const timeline = timelineFor(type);
  if (timeline === undefined) return undefined;
  const measured = {};
  timeline.startPerf(measured, kMeasure, { type, name, detail });
  return measured;
}

function end(measured, detail) {
  if (measured === undefined) return;
  require('#perf_hooks/timeline').stopPerf(measured, kMeasure, { detail });
}

module.exports = { begin, end };
