'use strict';

// The marks, measures and resource timings that performance keeps, and the observers who are told of entries.

const {
  codes: {
    ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_THIS, ERR_MISSING_ARGS,
  },
} = require('#internal/errors');
const { validateFunction, validateObject } = require('#internal/validators');
const { customInspectSymbol, kEnumerableProperty } = require('#internal/util');
const { inspectAs, kInternal, PerformanceNodeEntry } = require('#perf_hooks/entry');
const { observeGc, now } = binding('performance');

const supportedEntryTypes = Object.freeze([
  'dns', 'function', 'gc', 'http', 'http2', 'mark', 'measure', 'net', 'resource',
]);
const supported = new Set(supportedEntryTypes);

const buffers = { mark: [], measure: [], resource: [] };
const resources = { secondary: [], limit: 250, fullPending: false };

// How many observers want each type.
const counts = { __proto__: null };
const observers = new Set();
const pending = new Set();
let dispatchQueued = false;

const byStart = (a, b) => a.startTime - b.startTime;

function hasObserver(type) {
  return counts[type] > 0;
}

function changeCount(type, step) {
  counts[type] = (counts[type] ?? 0) + step;
  if (type === 'http') require('#http/observer').setHttpObserverCount(counts.http);
  if (type !== 'gc') return;
  if (step > 0 && counts.gc === 1) observeGc(onGc);
  else if (step < 0 && counts.gc === 0) observeGc(undefined);
}

function onGc(start, duration, kind, flags) {
  const entry = new PerformanceNodeEntry('gc', 'gc', start, duration, { kind, flags });
  Object.defineProperties(entry, {
    kind: { __proto__: null, value: kind, configurable: true },
    flags: { __proto__: null, value: flags, configurable: true },
  });
  enqueue(entry);
}

function queueDispatch(observer) {
  pending.add(observer);
  if (dispatchQueued) return;
  dispatchQueued = true;
  require('timers').setImmediate(() => {
    dispatchQueued = false;
    const due = [...pending];
    pending.clear();
    for (const each of due) each[kDispatch]();
  });
}

const kDispatch = Symbol('kDispatch');
const kMaybeBuffer = Symbol('kMaybeBuffer');

/** Tells the observers of a new entry. */
function enqueue(entry) {
  for (const observer of observers) observer[kMaybeBuffer](entry);
}

/** Keeps a mark or measure, and tells of it. */
function keep(entry) {
  buffers[entry.entryType].push(entry);
  enqueue(entry);
}

/** Ends what startPerf began, for the observers of `type`. */
const kStarted = Symbol('kStarted');
function startPerf(target, key, context = {}) {
  target[key] = { ...context, [kStarted]: now() };
}
function stopPerf(target, key, context = {}) {
  const started = target[key];
  if (started === undefined) return;
  const start = started[kStarted];
  const { name, type, detail } = { ...started, ...context };
  enqueue(new PerformanceNodeEntry(name, type, start, now() - start,
    { ...started.detail, ...context.detail, ...(detail === started.detail ? undefined : detail) }));
  target[key] = undefined;
}

class PerformanceObserverEntryList {
  #buffer;

  constructor(key = undefined, entries = undefined) {
    if (key !== kInternal) throw new ERR_ILLEGAL_CONSTRUCTOR();
    this.#buffer = entries.sort(byStart);
  }

  static #check(value) {
    if (typeof value !== 'object' || value === null || !(#buffer in value)) {
      throw new ERR_INVALID_THIS('PerformanceObserverEntryList');
    }
  }

  getEntries() {
    PerformanceObserverEntryList.#check(this);
    return this.#buffer.slice();
  }

  getEntriesByType(type) {
    PerformanceObserverEntryList.#check(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('type');
    type = `${type}`;
    return this.#buffer.filter((entry) => entry.entryType === type);
  }

  getEntriesByName(name, type = undefined) {
    PerformanceObserverEntryList.#check(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('name');
    name = `${name}`;
    return this.#buffer.filter((entry) => entry.name === name && (type == null || entry.entryType === type));
  }

  [customInspectSymbol](depth, options) {
    return inspectAs('PerformanceObserverEntryList', this, this.#buffer, depth, options);
  }
}
Object.defineProperties(PerformanceObserverEntryList.prototype, {
  getEntries: kEnumerableProperty,
  getEntriesByType: kEnumerableProperty,
  getEntriesByName: kEnumerableProperty,
  [Symbol.toStringTag]: { __proto__: null, configurable: true, value: 'PerformanceObserverEntryList' },
});

class PerformanceObserver {
  #buffer = [];
  #types = new Set();
  #mode; // 'multiple' (entryTypes) or 'single' (type)
  #callback;

  constructor(callback) {
    validateFunction(callback, 'callback');
    this.#callback = callback;
  }

  observe(options = {}) {
    validateObject(options, 'options');
    const { entryTypes, type, buffered } = options;
    if (entryTypes === undefined && type === undefined) {
      throw new ERR_MISSING_ARGS('options.entryTypes', 'options.type');
    }
    if (entryTypes != null && type != null) {
      throw new ERR_INVALID_ARG_VALUE('options.entryTypes', entryTypes,
        'options.entryTypes can not set with options.type together');
    }
    const mode = entryTypes !== undefined ? 'multiple' : 'single';
    // The two forms do not mix on one observer.
    this.#mode ??= mode;
    if (this.#mode !== mode) {
      const { lazyDOMException } = require('#internal/util');
      throw lazyDOMException(this.#mode === 'single' ?
        'PerformanceObserver can not change to multiple observations' :
        'PerformanceObserver can not change to single observation', 'InvalidModificationError');
    }
    if (mode === 'multiple') this.#observeMany(entryTypes);
    else this.#observeOne(type, buffered);

    if (this.#types.size > 0) observers.add(this);
    else this.disconnect();
  }

  #observeMany(entryTypes) {
    if (!Array.isArray(entryTypes)) {
      throw new ERR_INVALID_ARG_TYPE('options.entryTypes', 'string[]', entryTypes);
    }
    for (const type of this.#types) changeCount(type, -1);
    this.#types = new Set(entryTypes.filter((type) => supported.has(type)));
    for (const type of this.#types) changeCount(type, 1);
  }

  #observeOne(type, buffered) {
    if (!supported.has(type)) return;
    if (!this.#types.has(type)) {
      this.#types.add(type);
      changeCount(type, 1);
    }
    if (buffered) {
      this.#buffer.push(...getEntriesByNameAndType(undefined, type));
      queueDispatch(this);
    }
  }

  disconnect() {
    for (const type of this.#types) changeCount(type, -1);
    observers.delete(this);
    pending.delete(this);
    this.#buffer = [];
    this.#types.clear();
    this.#mode = undefined;
  }

  takeRecords() {
    const list = this.#buffer;
    this.#buffer = [];
    return list;
  }

  static get supportedEntryTypes() {
    return supportedEntryTypes;
  }

  [kMaybeBuffer](entry) {
    if (!this.#types.has(entry.entryType)) return;
    this.#buffer.push(entry);
    queueDispatch(this);
  }

  [kDispatch]() {
    const entries = this.takeRecords();
    if (entries.length === 0) return;
    this.#callback(new PerformanceObserverEntryList(kInternal, entries), this);
  }

  [customInspectSymbol](depth, options) {
    return inspectAs('PerformanceObserver', this, {
      connected: observers.has(this),
      pending: pending.has(this),
      entryTypes: [...this.#types],
      buffer: this.#buffer,
    }, depth, options);
  }
}
Object.defineProperties(PerformanceObserver.prototype, {
  observe: kEnumerableProperty,
  disconnect: kEnumerableProperty,
  takeRecords: kEnumerableProperty,
  [Symbol.toStringTag]: { __proto__: null, configurable: true, value: 'PerformanceObserver' },
});

function getEntriesByNameAndType(name, type) {
  let list;
  if (type === undefined) list = [...buffers.mark, ...buffers.measure, ...buffers.resource];
  else list = Object.hasOwn(buffers, type) ? buffers[type].slice() : [];
  if (name !== undefined) list = list.filter((entry) => entry.name === name);
  return list.sort(byStart);
}

/** Forgets the entries of `type`, or those of one name. */
function clear(type, name) {
  buffers[type] = name === undefined ? [] : buffers[type].filter((entry) => entry.name !== name);
}

// --- resource timings, of which only so many are kept (Resource Timing, clause 3.3) ---

function keepResource(entry) {
  enqueue(entry);
  if (buffers.resource.length < resources.limit && !resources.fullPending) {
    buffers.resource.push(entry);
    return;
  }
  resources.secondary.push(entry);
  if (resources.fullPending) return;
  resources.fullPending = true;
  require('timers').setImmediate(onResourcesFull);
}

function onResourcesFull() {
  const { performance } = require('#perf_hooks/performance');
  while (resources.secondary.length > 0) {
    const before = resources.secondary.length;
    if (buffers.resource.length >= resources.limit) {
      performance.dispatchEvent(new Event('resourcetimingbufferfull'));
    }
    // A listener may have made room; what does not fit then is dropped.
    while (resources.secondary.length > 0 && buffers.resource.length < resources.limit) {
      buffers.resource.push(resources.secondary.shift());
    }
    if (resources.secondary.length >= before) resources.secondary.length = 0;
  }
  resources.fullPending = false;
}

function setResourceLimit(limit) {
  resources.limit = limit;
}

module.exports = {
  PerformanceObserver, PerformanceObserverEntryList, clear, enqueue, getEntriesByNameAndType, hasObserver,
  keep, keepResource, setResourceLimit, startPerf, stopPerf,
};
