'use strict';

// performance.nodeTiming and performance.eventLoopUtilization.

const { PerformanceEntry, kInternal } = require('#perf_hooks/entry');
const { customInspectSymbol, kEnumerableProperty } = require('#internal/util');
const { now, milestones, loopIdleTime, loopMetrics } = binding('performance');

const kLoopStart = 4;
const names = ['nodeStart', 'v8Start', 'environment', 'bootstrapComplete', 'loopStart', 'loopExit'];

class PerformanceNodeTiming extends PerformanceEntry {
  constructor() {
    super(kInternal, 'node', 'node', 0, 0);
    const own = {
      name: { __proto__: null, enumerable: true, configurable: true, value: 'node' },
      entryType: { __proto__: null, enumerable: true, configurable: true, value: 'node' },
      startTime: { __proto__: null, enumerable: true, configurable: true, value: 0 },
      duration: { __proto__: null, enumerable: true, configurable: true, get: now },
    };
    names.forEach((name, index) => {
      own[name] = { __proto__: null, enumerable: true, configurable: true, get: () => milestones()[index] };
    });
    own.idleTime = { __proto__: null, enumerable: true, configurable: true, get: loopIdleTime };
    own.uvMetricsInfo = {
      __proto__: null,
      enumerable: false,
      configurable: true,
      get() {
        const [loopCount, events, eventsWaiting] = loopMetrics();
        return { loopCount, events, eventsWaiting };
      },
    };
    Object.defineProperties(this, own);
  }

  toJSON() {
    const json = { name: 'node', entryType: 'node', startTime: this.startTime, duration: this.duration };
    for (const name of names) json[name] = this[name];
    json.idleTime = this.idleTime;
    return json;
  }

  [customInspectSymbol](depth, options) {
    return require('#perf_hooks/entry').inspectAs('PerformanceNodeTiming', this, { ...this }, depth, options);
  }
}
Object.defineProperty(PerformanceNodeTiming.prototype, 'toJSON', kEnumerableProperty);

let nodeTiming;
const getNodeTiming = () => (nodeTiming ??= new PerformanceNodeTiming());

/**
 * How much of the time the loop was at work.
 * @param {{ idle: number, active: number }} [earlier] only since then
 * @param {{ idle: number, active: number }} [still] between the two
 */
function eventLoopUtilization(util1, util2) {
  return utilizationOf(milestones()[kLoopStart], loopIdleTime(), util1, util2);
}

function utilizationOf(loopStart, idle, util1, util2) {
  return utilizationFrom(loopStart <= 0 ? 0 : now() - loopStart, idle, util1, util2);
}

/** @param {number} total milliseconds since the loop began; 0 if it did not */
function utilizationFrom(total, idle, util1, util2) {
  if (total <= 0) return { idle: 0, active: 0, utilization: 0 };
  if (util2) {
    const between = { idle: util1.idle - util2.idle, active: util1.active - util2.active };
    return { ...between, utilization: between.active / (between.idle + between.active) };
  }
  const active = total - idle;
  if (!util1) return { idle, active, utilization: active / (idle + active) };
  const since = { idle: idle - util1.idle, active: active - util1.active };
  return { ...since, utilization: since.active / (since.idle + since.active) };
}

module.exports = { getNodeTiming, eventLoopUtilization, utilizationOf, utilizationFrom };
