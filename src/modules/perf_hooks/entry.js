'use strict';

// PerformanceEntry and what derives from it, except resource timings.

const {
  codes: {
    ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_ARG_VALUE, ERR_INVALID_THIS, ERR_MISSING_ARGS,
    ERR_PERFORMANCE_INVALID_TIMESTAMP,
  },
} = require('#internal/errors');
const { validateNumber } = require('#internal/validators');
const { customInspectSymbol, kEnumerableProperty } = require('#internal/util');
const { now } = binding('performance');

// Given to constructors that programs may not call.
const kInternal = Symbol('kInternal');

const milestoneNames = new Set([
  'nodeStart', 'v8Start', 'environment', 'loopStart', 'loopExit', 'bootstrapComplete',
]);

function inspectAs(name, entry, shown, depth, options) {
  if (depth < 0) return entry;
  const inner = { ...options, depth: options.depth == null ? null : options.depth - 1 };
  return `${name} ${require('util').inspect(shown, inner)}`;
}

class PerformanceEntry {
  #name;
  #entryType;
  #startTime;
  #duration;

  constructor(key = undefined, name, type, start, duration) {
    if (key !== kInternal) throw new ERR_ILLEGAL_CONSTRUCTOR();
    this.#name = name;
    this.#entryType = type;
    this.#startTime = start;
    this.#duration = duration;
  }

  static #check(value) {
    if (typeof value !== 'object' || value === null || !(#name in value)) {
      throw new ERR_INVALID_THIS('PerformanceEntry');
    }
  }

  get name() {
    PerformanceEntry.#check(this);
    return this.#name;
  }

  get entryType() {
    PerformanceEntry.#check(this);
    return this.#entryType;
  }

  get startTime() {
    PerformanceEntry.#check(this);
    return this.#startTime;
  }

  get duration() {
    PerformanceEntry.#check(this);
    return this.#duration;
  }

  toJSON() {
    PerformanceEntry.#check(this);
    return {
      name: this.#name,
      entryType: this.#entryType,
      startTime: this.#startTime,
      duration: this.#duration,
    };
  }

  [customInspectSymbol](depth, options) {
    return inspectAs(this.constructor.name, this, this.toJSON(), depth, options);
  }
}
Object.defineProperties(PerformanceEntry.prototype, {
  name: kEnumerableProperty,
  entryType: kEnumerableProperty,
  startTime: kEnumerableProperty,
  duration: kEnumerableProperty,
  toJSON: kEnumerableProperty,
});

function tag(constructor) {
  Object.defineProperties(constructor.prototype, {
    detail: kEnumerableProperty,
    [Symbol.toStringTag]: { __proto__: null, configurable: true, value: constructor.name },
  });
}

class PerformanceMark extends PerformanceEntry {
  #detail;

  constructor(name, options = undefined) {
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('name');
    name = `${name}`;
    if (milestoneNames.has(name)) throw new ERR_INVALID_ARG_VALUE('name', name);
    if (options != null && typeof options !== 'object') {
      const { codes: { ERR_INVALID_ARG_TYPE } } = require('#internal/errors');
      throw new ERR_INVALID_ARG_TYPE('options', 'Object', options);
    }
    const startTime = options?.startTime ?? now();
    validateNumber(startTime, 'startTime');
    if (startTime < 0) throw new ERR_PERFORMANCE_INVALID_TIMESTAMP(startTime);
    let detail = options?.detail;
    detail = detail != null ? structuredClone(detail) : null;
    super(kInternal, name, 'mark', startTime, 0);
    this.#detail = detail;
  }

  get detail() {
    if (typeof this !== 'object' || this === null || !(#detail in this)) {
      throw new ERR_INVALID_THIS('PerformanceMark');
    }
    return this.#detail;
  }

  toJSON() {
    return { ...super.toJSON(), detail: this.detail };
  }
}
tag(PerformanceMark);

class PerformanceMeasure extends PerformanceEntry {
  #detail;

  constructor(key = undefined, name = undefined, type = undefined, start = undefined, duration = undefined,
    detail = undefined) {
    super(key, name, type, start, duration);
    this.#detail = detail;
  }

  get detail() {
    if (typeof this !== 'object' || this === null || !(#detail in this)) {
      throw new ERR_INVALID_THIS('PerformanceMeasure');
    }
    return this.#detail;
  }

  toJSON() {
    return { ...super.toJSON(), detail: this.detail };
  }
}
Object.defineProperty(PerformanceMeasure, 'length', { __proto__: null, value: 0, configurable: true });
tag(PerformanceMeasure);

/** Entries of Node's own kinds: gc, function, http, net, dns. Their detail has the shape of the kind. */
class PerformanceNodeEntry extends PerformanceEntry {
  #detail;

  constructor(name, type, start, duration, detail) {
    super(kInternal, name, type, start, duration);
    this.#detail = detail;
  }

  get detail() {
    return this.#detail;
  }

  toJSON() {
    return { ...super.toJSON(), detail: this.#detail };
  }
}
Object.defineProperty(PerformanceNodeEntry.prototype, 'detail', kEnumerableProperty);
Object.defineProperty(PerformanceNodeEntry, 'name', { __proto__: null, value: 'PerformanceEntry' });

/** @returns {PerformanceMeasure} */
function makeMeasure(name, start, duration, detail) {
  return new PerformanceMeasure(kInternal, name, 'measure', start, duration, detail);
}

module.exports = {
  kInternal, milestoneNames, inspectAs, PerformanceEntry, PerformanceMark, PerformanceMeasure,
  PerformanceNodeEntry, makeMeasure,
};
