'use strict';

// performance.timerify().

const {
  codes: { ERR_INVALID_ARG_TYPE },
} = require('#internal/errors');
const { validateFunction, validateObject } = require('#internal/validators');
const { PerformanceNodeEntry } = require('#perf_hooks/entry');
const timeline = require('#perf_hooks/timeline');
const { now } = binding('performance');

function done(name, start, args, histogram) {
  const duration = now() - start;
  if (histogram !== undefined) histogram.record(Math.max(1, Math.ceil(duration * 1e6)));
  if (!timeline.hasObserver('function')) return;
  const entry = new PerformanceNodeEntry(name, 'function', start, duration, args);
  // The arguments of the call are also the entry's elements.
  for (let n = 0; n < args.length; n++) entry[n] = args[n];
  timeline.enqueue(entry);
}

/** Wraps `fn` so that observers of 'function' are told of each call. */
function timerify(fn, options = {}) {
  validateFunction(fn, 'fn');
  validateObject(options, 'options');
  const { histogram } = options;
  if (histogram !== undefined) {
    const { isHistogram } = require('#perf_hooks/histogram');
    if (!isHistogram(histogram) || typeof histogram.record !== 'function') {
      throw new ERR_INVALID_ARG_TYPE('options.histogram', 'RecordableHistogram', histogram);
    }
  }

  function timerified(...args) {
    const isConstructorCall = new.target !== undefined;
    const start = now();
    const result = isConstructorCall ? Reflect.construct(fn, args, fn) : Reflect.apply(fn, this, args);
    if (!isConstructorCall && typeof result?.finally === 'function') {
      return result.finally(() => done(fn.name, start, args, histogram));
    }
    done(fn.name, start, args, histogram);
    return result;
  }

  Object.defineProperties(timerified, {
    length: { __proto__: null, configurable: false, enumerable: true, value: fn.length },
    name: { __proto__: null, configurable: false, enumerable: true, value: `timerified ${fn.name}` },
  });
  return timerified;
}

module.exports = { timerify };
