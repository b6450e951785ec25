'use strict';

// Histograms, over the native ones of histogram.h.

const {
  codes: {
    ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_THIS, ERR_OUT_OF_RANGE,
  },
} = require('#internal/errors');
const { validateInteger, validateNumber, validateObject } = require('#internal/validators');
const { customInspectSymbol } = require('#internal/util');
const transferable = require('#web/transferable');
const native = binding('performance');

const kInternal = Symbol('kInternal');
const kMaxInt64 = 2n ** 63n - 1n;

let handleOf;

class Histogram {
  #handle;

  constructor(key = undefined, handle = undefined) {
    if (key !== kInternal) throw new ERR_ILLEGAL_CONSTRUCTOR();
    this.#handle = handle;
  }

  static {
    handleOf = (value) => {
      if (!isHistogram(value)) throw new ERR_INVALID_THIS('Histogram');
      return value.#handle;
    };
  }

  static has(value) {
    return typeof value === 'object' && value !== null && #handle in value;
  }

  get count() { return Number(handleOf(this).count()); }
  get countBigInt() { return handleOf(this).count(); }
  get min() { return Number(handleOf(this).min()); }
  get minBigInt() { return handleOf(this).min(); }
  get max() { return Number(handleOf(this).max()); }
  get maxBigInt() { return handleOf(this).max(); }
  get mean() { return handleOf(this).mean(); }
  get exceeds() { return Number(handleOf(this).exceeds()); }
  get exceedsBigInt() { return handleOf(this).exceeds(); }
  get stddev() { return handleOf(this).stddev(); }

  percentile(percentile) {
    return Number(this.percentileBigInt(percentile));
  }

  percentileBigInt(percentile) {
    const handle = handleOf(this);
    validateNumber(percentile, 'percentile');
    if (Number.isNaN(percentile) || percentile <= 0 || percentile > 100) {
      throw new ERR_OUT_OF_RANGE('percentile', '> 0 && <= 100', percentile);
    }
    return handle.percentile(percentile);
  }

  get percentiles() {
    return new Map([...this.percentilesBigInt].map(([percentile, value]) => [percentile, Number(value)]));
  }

  get percentilesBigInt() {
    const list = handleOf(this).percentiles();
    const map = new Map();
    for (let i = 0; i < list.length; i += 2) map.set(list[i], list[i + 1]);
    return map;
  }

  reset() {
    handleOf(this).reset();
  }

  toJSON() {
    return {
      count: this.count,
      min: this.min,
      max: this.max,
      mean: this.mean,
      exceeds: this.exceeds,
      stddev: this.stddev,
      percentiles: Object.fromEntries(this.percentiles),
    };
  }

  [customInspectSymbol](depth, options) {
    if (depth < 0) return `[${this.constructor.name}]`;
    const inner = { ...options, depth: options.depth == null ? null : options.depth - 1 };
    return `Histogram ${require('util').inspect({
      min: this.min,
      max: this.max,
      mean: this.mean,
      exceeds: this.exceeds,
      stddev: this.stddev,
      count: this.count,
      percentiles: this.percentiles,
    }, inner)}`;
  }
}
const isHistogram = Histogram.has;
delete Histogram.has;

// A clone shows the same histogram, and records into it if the original could.
transferable.setTransferMode(Histogram.prototype, transferable.kCloneable);
Object.defineProperty(Histogram.prototype, transferable.clone, {
  __proto__: null,
  configurable: true,
  value() {
    const state = { number: String(handleOf(this).share()), isRecordable: this instanceof RecordableHistogram };
    return ['Histogram', state];
  },
});

function deserialize({ number, isRecordable }) {
  const handle = new native.Histogram(number);
  return isRecordable ? new RecordableHistogram(kInternal, handle) : new Histogram(kInternal, handle);
}

class RecordableHistogram extends Histogram {
  record(val) {
    const handle = handleOf(this);
    if (typeof val === 'bigint') {
      if (val < 1n || val > kMaxInt64) throw new ERR_OUT_OF_RANGE('val', '> 0 && <= 2^63 - 1', val);
      handle.record(Number(val));
      return;
    }
    if (!Number.isInteger(val)) throw new ERR_INVALID_ARG_TYPE('val', ['integer', 'bigint'], val);
    if (val < 1 || val > Number.MAX_SAFE_INTEGER) {
      throw new ERR_OUT_OF_RANGE('val', 'a safe integer greater than 0', val);
    }
    handle.record(val);
  }

  recordDelta() {
    handleOf(this).recordDelta();
  }

  add(other) {
    const handle = handleOf(this);
    if (!isHistogram(other)) throw new ERR_INVALID_ARG_TYPE('other', 'Histogram', other);
    handle.add(handleOf(other));
  }
}

/** What monitorEventLoopDelay gives. */
class ELDHistogram extends Histogram {
  #enabled = false;

  enable() {
    if (this.#enabled) return false;
    this.#enabled = true;
    handleOf(this).start(true);
    return true;
  }

  disable() {
    if (!this.#enabled) return false;
    this.#enabled = false;
    handleOf(this).stop();
    return true;
  }

  [Symbol.dispose]() {
    this.disable();
  }
}

/** @param {{ lowest?: number | bigint, highest?: number | bigint, figures?: number }} [options] */
function createHistogram(options = {}) {
  validateObject(options, 'options');
  const { lowest = 1, highest = Number.MAX_SAFE_INTEGER, figures = 3 } = options;
  if (typeof lowest !== 'bigint') validateInteger(lowest, 'options.lowest', 1, Number.MAX_SAFE_INTEGER);
  if (typeof highest !== 'bigint') {
    validateInteger(highest, 'options.highest', 2 * Number(lowest), Number.MAX_SAFE_INTEGER);
  } else if (highest < 2n * BigInt(lowest)) {
    throw new ERR_INVALID_ARG_VALUE.RangeError('options.highest', highest);
  }
  validateInteger(figures, 'options.figures', 1, 5);
  return new RecordableHistogram(kInternal, new native.Histogram(Number(lowest), Number(highest), figures));
}

/** @param {{ resolution?: number }} [options] milliseconds between samples */
function monitorEventLoopDelay(options = {}) {
  validateObject(options, 'options');
  const { resolution = 10 } = options;
  validateInteger(resolution, 'options.resolution', 1);
  return new ELDHistogram(kInternal, new native.LoopDelay(resolution));
}

module.exports = {
  Histogram, RecordableHistogram, createHistogram, deserialize, isHistogram, monitorEventLoopDelay,
};
