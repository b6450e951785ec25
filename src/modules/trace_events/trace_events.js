'use strict';

// node:trace_events: which categories are enabled. Gyre writes no trace file; its own traces are in
// src/insight.

const {
  codes: { ERR_TRACE_EVENTS_CATEGORY_REQUIRED, ERR_TRACE_EVENTS_UNAVAILABLE },
} = require('#internal/errors');
const { validateObject, validateStringArray } = require('#internal/validators');
const { customInspectSymbol } = require('#internal/util');
const tracing = require('#trace_events/tracing');

// A worker cannot say what the process traces.
if (!require('worker_threads').isMainThread) throw new ERR_TRACE_EVENTS_UNAVAILABLE();

// How many enabled Tracing objects want each category.
const counts = new Map();
const enabledObjects = new Set();
const kMaxTracingCount = 10;

class Tracing {
  #categories;
  #enabled = false;

  constructor(categories) {
    this.#categories = categories;
  }

  enable() {
    if (this.#enabled) return;
    this.#enabled = true;
    for (const category of this.#categories) counts.set(category, (counts.get(category) ?? 0) + 1);
    enabledObjects.add(this);
    update();
    if (enabledObjects.size > kMaxTracingCount) {
      process.emitWarning('Possible trace_events memory leak detected. There are more than ' +
        `${kMaxTracingCount} enabled Tracing objects.`);
    }
  }

  disable() {
    if (!this.#enabled) return;
    this.#enabled = false;
    for (const category of this.#categories) {
      const left = counts.get(category) - 1;
      if (left === 0) counts.delete(category);
      else counts.set(category, left);
    }
    enabledObjects.delete(this);
    update();
  }

  get enabled() {
    return this.#enabled;
  }

  get categories() {
    return this.#categories.join(',');
  }

  [customInspectSymbol](depth, options) {
    if (typeof depth === 'number' && depth < 0) return this;
    const inner = { ...options, depth: options.depth == null ? null : options.depth - 1 };
    const shown = { enabled: this.enabled, categories: this.categories };
    return `Tracing ${require('util').inspect(shown, inner)}`;
  }
}

/** @param {{ categories: string[] }} options */
function createTracing(options) {
  validateObject(options, 'options');
  validateStringArray(options.categories, 'options.categories');
  if (options.categories.length <= 0) throw new ERR_TRACE_EVENTS_CATEGORY_REQUIRED();
  return new Tracing(options.categories);
}

function enabledCategories() {
  return [...new Set([...(tracing.fromCommandLine() ?? []), ...counts.keys()])].sort();
}

function update() {
  tracing.setCategories(enabledCategories());
}

function getEnabledCategories() {
  const all = enabledCategories();
  return all.length === 0 ? undefined : all.join(',');
}

module.exports = { createTracing, getEnabledCategories };
