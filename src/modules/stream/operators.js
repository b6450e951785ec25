'use strict';

// The iterator helpers of Readable: map, filter, forEach, toArray, ...

const {
  AbortError,
  codes: { ERR_INVALID_ARG_VALUE, ERR_MISSING_ARGS, ERR_OUT_OF_RANGE },
} = require('#internal/errors');
const {
  validateAbortSignal, validateFunction, validateInteger, validateObject,
} = require('#internal/validators');
const { isNodeStream, isWritable } = require('#stream/utils');

const kEmpty = Symbol('kEmpty');
const kEof = Symbol('kEof');

function checkOptions(options) {
  if (options != null) validateObject(options, 'options');
  if (options?.signal != null) validateAbortSignal(options.signal, 'options.signal');
}

const abortError = (signal) => new AbortError(undefined, { cause: signal.reason });

function throwIfAborted(options) {
  if (options?.signal?.aborted) throw abortError(options.signal);
}

function compose(stream, options) {
  checkOptions(options);
  if (isNodeStream(stream) && !isWritable(stream)) {
    throw new ERR_INVALID_ARG_VALUE('stream', stream, 'must be writable');
  }
  const composedStream = require('#stream/compose')(this, stream);
  if (options?.signal) {
    require('#stream/add_abort_signal').addAbortSignalNoValidate(options.signal, composedStream);
  }
  return composedStream;
}

function map(fn, options) {
  validateFunction(fn, 'fn');
  checkOptions(options);
  let concurrency = 1;
  if (options?.concurrency != null) concurrency = Math.floor(options.concurrency);
  let highWaterMark = concurrency - 1;
  if (options?.highWaterMark != null) highWaterMark = Math.floor(options.highWaterMark);
  validateInteger(concurrency, 'options.concurrency', 1);
  validateInteger(highWaterMark, 'options.highWaterMark', 0);
  return mapConcurrently(this, fn, options?.signal, concurrency, highWaterMark + concurrency);
}

/**
 * Calls `fn` on up to `concurrency` chunks at once, and keeps up to `limit` results, in the order of the
 * chunks.
 */
async function* mapConcurrently(stream, fn, outerSignal, concurrency, limit) {
  const signal = AbortSignal.any([outerSignal].filter(Boolean));
  const signalOptions = { signal };
  const queue = [];
  let wakeConsumer; // waits for a result
  let wakeProducer; // waits for room
  let done = false;
  let running = 0;

  const onCatch = () => {
    done = true;
    afterItem();
  };
  function afterItem() {
    running -= 1;
    maybeResume();
  }
  function maybeResume() {
    if (wakeProducer && !done && running < concurrency && queue.length < limit) {
      wakeProducer();
      wakeProducer = null;
    }
  }
  function put(item) {
    queue.push(item);
    if (wakeConsumer) {
      wakeConsumer();
      wakeConsumer = null;
    }
  }

  async function produce() {
    try {
      for await (let val of stream) {
        if (done) return;
        if (signal.aborted) throw new AbortError(undefined, { cause: signal.reason });
        try {
          val = fn(val, signalOptions);
          if (val === kEmpty) continue;
          val = Promise.resolve(val);
        } catch (err) {
          val = Promise.reject(err);
        }
        running += 1;
        val.then(afterItem, onCatch);
        put(val);
        if (!done && (queue.length >= limit || running >= concurrency)) {
          await new Promise((resolve) => { wakeProducer = resolve; });
        }
      }
      queue.push(kEof);
    } catch (err) {
      const val = Promise.reject(err);
      val.then(afterItem, onCatch);
      queue.push(val);
    } finally {
      done = true;
      if (wakeConsumer) {
        wakeConsumer();
        wakeConsumer = null;
      }
    }
  }
  produce();

  try {
    while (true) {
      while (queue.length > 0) {
        const val = await queue[0];
        if (val === kEof) return;
        if (signal.aborted) throw new AbortError();
        if (val !== kEmpty) yield val;
        queue.shift();
        maybeResume();
      }
      await new Promise((resolve) => { wakeConsumer = resolve; });
    }
  } finally {
    done = true;
    if (wakeProducer) {
      wakeProducer();
      wakeProducer = null;
    }
  }
}

function filter(fn, options) {
  validateFunction(fn, 'fn');
  return map.call(this, async (value, opts) => (await fn(value, opts) ? value : kEmpty), options);
}

function flatMap(fn, options) {
  const values = map.call(this, fn, options);
  return (async function* () {
    for await (const val of values) yield* val;
  })();
}

function toWholeNumber(number) {
  // Coerced as iterator helpers do.
  number = Number(number);
  if (Number.isNaN(number)) return 0;
  if (number < 0) throw new ERR_OUT_OF_RANGE('number', '>= 0', number);
  return number;
}

function drop(number, options = undefined) {
  checkOptions(options);
  number = toWholeNumber(number);
  const stream = this;
  return (async function* () {
    throwIfAborted(options);
    for await (const val of stream) {
      throwIfAborted(options);
      if (number-- <= 0) yield val;
    }
  })();
}

function take(number, options = undefined) {
  checkOptions(options);
  number = toWholeNumber(number);
  const stream = this;
  return (async function* () {
    throwIfAborted(options);
    for await (const val of stream) {
      throwIfAborted(options);
      if (number-- > 0) yield val;
      // Does not wait for one more chunk to see that it is not wanted.
      if (number <= 0) return;
    }
  })();
}

async function some(fn, options = undefined) {
  for await (const unused of filter.call(this, fn, options)) return true;
  return false;
}

async function every(fn, options = undefined) {
  validateFunction(fn, 'fn');
  return !(await some.call(this, async (...args) => !(await fn(...args)), options));
}

async function find(fn, options) {
  for await (const result of filter.call(this, fn, options)) return result;
  return undefined;
}

async function forEach(fn, options) {
  validateFunction(fn, 'fn');
  async function forEachFn(value, opts) {
    await fn(value, opts);
    return kEmpty;
  }
  for await (const unused of map.call(this, forEachFn, options));
}

function missingInitialValue() {
  const error = new ERR_MISSING_ARGS('reduce');
  error.message = 'Reduce of an empty stream requires an initial value';
  return error;
}

async function reduce(reducer, initialValue, options) {
  validateFunction(reducer, 'reducer');
  checkOptions(options);
  let hasInitialValue = arguments.length > 1;
  if (options?.signal?.aborted) {
    const err = abortError(options.signal);
    this.once('error', () => {}); // the error is thrown here
    await require('#stream/end_of_stream').finished(this.destroy(err)).catch(() => {});
    throw err;
  }
  const controller = new AbortController();
  const { signal } = controller;
  if (options?.signal) {
    options.signal.addEventListener('abort', () => controller.abort(), {
      once: true,
      [require('#web/event_target').kWeakHandler]: this,
      [require('#web/event_target').kResistStopPropagation]: true,
    });
  }
  let gotAny = false;
  try {
    for await (const value of this) {
      gotAny = true;
      if (options?.signal?.aborted) throw new AbortError();
      if (!hasInitialValue) {
        initialValue = value;
        hasInitialValue = true;
      } else {
        initialValue = await reducer(initialValue, value, { signal });
      }
    }
    if (!gotAny && !hasInitialValue) throw missingInitialValue();
  } finally {
    controller.abort();
  }
  return initialValue;
}

async function toArray(options) {
  checkOptions(options);
  const result = [];
  for await (const val of this) {
    if (options?.signal?.aborted) throw abortError(options.signal);
    result.push(val);
  }
  return result;
}

module.exports = {
  streamReturningOperators: { drop, filter, flatMap, map, take, compose },
  promiseReturningOperators: { every, forEach, reduce, toArray, some, find },
};
