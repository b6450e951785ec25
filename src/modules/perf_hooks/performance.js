'use strict';

// The global `performance`.

const {
  codes: {
    ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_THIS, ERR_MISSING_ARGS, ERR_PERFORMANCE_INVALID_TIMESTAMP,
    ERR_PERFORMANCE_MEASURE_INVALID_OPTIONS,
  },
} = require('#internal/errors');
const { validateString } = require('#internal/validators');
const { EventTarget, defineEventHandler } = require('#web/event_target');
const {
  customInspectSymbol, kEnumerableProperty, lazyDOMException,
} = require('#internal/util');
const { inspectAs, makeMeasure, milestoneNames, PerformanceMark } = require('#perf_hooks/entry');
const timeline = require('#perf_hooks/timeline');
const { getNodeTiming, eventLoopUtilization } = require('#perf_hooks/node_timing');
const { markResourceTiming } = require('#perf_hooks/resource_timing');
const { timerify } = require('#perf_hooks/timerify');
const native = binding('performance');

const { now } = native;
const kKey = Symbol('kPerformance');
const marks = new Map(); // start time of the last mark of each name

/** The time that a mark's name or a number means in measure(). */
function timeOf(mark) {
  if (mark === undefined) return undefined;
  if (typeof mark === 'number') {
    if (mark < 0) throw new ERR_PERFORMANCE_INVALID_TIMESTAMP(mark);
    return mark;
  }
  const name = `${mark}`;
  if (milestoneNames.has(name)) return getNodeTiming()[name];
  const time = marks.get(name);
  if (time === undefined) {
    throw lazyDOMException(`The "${name}" performance mark has not been set`, 'SyntaxError');
  }
  return time;
}

function checkMeasureOptions({ start, end, duration }, endMark) {
  if (endMark !== undefined) {
    throw new ERR_PERFORMANCE_MEASURE_INVALID_OPTIONS('endMark must not be specified');
  }
  if (start === undefined && end === undefined) {
    throw new ERR_PERFORMANCE_MEASURE_INVALID_OPTIONS('One of options.start or options.end is required');
  }
  if (start !== undefined && end !== undefined && duration !== undefined) {
    throw new ERR_PERFORMANCE_MEASURE_INVALID_OPTIONS(
      'Must not have options.start, options.end, and options.duration specified');
  }
}

/** User Timing, clause 3.1.3. */
function measureRange(startOrOptions, endMark) {
  const options = typeof startOrOptions === 'object' && startOrOptions !== null ? startOrOptions : {};
  const { start, end, duration } = options;
  const asked = start !== undefined || end !== undefined || duration !== undefined;
  if (asked) checkMeasureOptions(options, endMark);

  let endTime;
  if (endMark !== undefined) endTime = timeOf(endMark);
  else if (end !== undefined) endTime = timeOf(end);
  else if (start !== undefined && duration !== undefined) endTime = timeOf(start) + timeOf(duration);
  else endTime = now();

  let startTime;
  if (start !== undefined) startTime = timeOf(start);
  else if (end !== undefined && duration !== undefined) startTime = timeOf(end) - timeOf(duration);
  else if (typeof startOrOptions === 'string') startTime = timeOf(startOrOptions);
  else startTime = 0;
  return [startTime, endTime - startTime];
}

class Performance extends EventTarget {
  #brand;

  constructor(key = undefined) {
    if (key !== kKey) throw new ERR_ILLEGAL_CONSTRUCTOR();
    super();
  }

  static #check(value) {
    if (typeof value !== 'object' || value === null || !(#brand in value)) {
      throw new ERR_INVALID_THIS('Performance');
    }
  }

  clearMarks(name = undefined) {
    Performance.#check(this);
    if (name !== undefined) name = `${name}`;
    if (name === undefined) marks.clear();
    else marks.delete(name);
    timeline.clear('mark', name);
  }

  clearMeasures(name = undefined) {
    Performance.#check(this);
    timeline.clear('measure', name === undefined ? undefined : `${name}`);
  }

  clearResourceTimings(name = undefined) {
    Performance.#check(this);
    timeline.clear('resource', name === undefined ? undefined : `${name}`);
  }

  getEntries() {
    Performance.#check(this);
    return timeline.getEntriesByNameAndType();
  }

  getEntriesByName(name, type = undefined) {
    Performance.#check(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('name');
    return timeline.getEntriesByNameAndType(`${name}`, type === undefined ? undefined : `${type}`);
  }

  getEntriesByType(type) {
    Performance.#check(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('type');
    return timeline.getEntriesByNameAndType(undefined, `${type}`);
  }

  mark(name, options = undefined) {
    Performance.#check(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('name');
    const mark = new PerformanceMark(name, options);
    marks.set(mark.name, mark.startTime);
    timeline.keep(mark);
    return mark;
  }

  measure(name, startOrMeasureOptions = undefined, endMark = undefined) {
    Performance.#check(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('name');
    validateString(name, 'name');
    const [start, duration] = measureRange(startOrMeasureOptions, endMark);
    let detail = startOrMeasureOptions?.detail;
    detail = detail != null ? structuredClone(detail) : null;
    const measure = makeMeasure(name, start, duration, detail);
    timeline.keep(measure);
    return measure;
  }

  now() {
    Performance.#check(this);
    return now();
  }

  setResourceTimingBufferSize(maxSize) {
    Performance.#check(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('maxSize');
    timeline.setResourceLimit(maxSize >>> 0);
  }

  get timeOrigin() {
    Performance.#check(this);
    return native.timeOriginTimestamp();
  }

  toJSON() {
    Performance.#check(this);
    return {
      nodeTiming: this.nodeTiming,
      timeOrigin: this.timeOrigin,
      eventLoopUtilization: this.eventLoopUtilization(),
    };
  }

  [customInspectSymbol](depth, options) {
    return inspectAs('Performance', this, { nodeTiming: this.nodeTiming, timeOrigin: this.timeOrigin }, depth,
      options);
  }
}

const enumerable = {};
for (const name of ['clearMarks', 'clearMeasures', 'clearResourceTimings', 'getEntries', 'getEntriesByName',
  'getEntriesByType', 'mark', 'measure', 'now', 'setResourceTimingBufferSize', 'timeOrigin', 'toJSON']) {
  enumerable[name] = kEnumerableProperty;
}
Object.defineProperties(Performance.prototype, {
  ...enumerable,
  eventLoopUtilization: {
    __proto__: null, configurable: true, enumerable: false, writable: true, value: eventLoopUtilization,
  },
  nodeTiming: {
    __proto__: null,
    configurable: true,
    enumerable: false,
    // Made when asked for: its values are those of this process.
    get() {
      return getNodeTiming();
    },
    set(value) {
      Object.defineProperty(this, 'nodeTiming', {
        __proto__: null, configurable: true, enumerable: false, writable: true, value,
      });
    },
  },
  markResourceTiming: {
    __proto__: null, configurable: true, enumerable: false, writable: true, value: markResourceTiming,
  },
  timerify: { __proto__: null, configurable: true, enumerable: false, writable: true, value: timerify },
  [Symbol.toStringTag]: { __proto__: null, configurable: true, value: 'Performance' },
});
defineEventHandler(Performance.prototype, 'resourcetimingbufferfull');

module.exports = { Performance, performance: new Performance(kKey) };
