'use strict';

// What waits for or looks at emitters and event targets alike: once, on, getEventListeners, addAbortListener.

const { kMaxEventTargetListeners, kWatermarkData } = require('#events/symbols');
const {
  AbortError,
  codes: { ERR_INVALID_ARG_TYPE },
} = require('#internal/errors');
const {
  validateAbortSignal, validateFunction, validateInteger, validateObject,
} = require('#internal/validators');
const { FixedQueue } = require('#internal/fixed_queue');

// Set by readline and FileHandle#readLines, whose events carry one value that is the item itself.
const kFirstEventParam = Symbol('firstEventParam');

const kEmptyObject = Object.freeze({ __proto__: null });
const AsyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype);

let eventTarget;
const lazyEventTarget = () => (eventTarget ??= require('#web/event_target'));

/**
 * Options of the listeners by which Gyre itself hears of an abort: nothing the user does may silence them.
 */
function abortListenerOptions() {
  return { __proto__: null, once: true, [lazyEventTarget().kResistStopPropagation]: true };
}

/** Every listener for `type`, `once` wrappers undone. */
function getEventListeners(emitterOrTarget, type) {
  if (typeof emitterOrTarget?.listeners === 'function') return emitterOrTarget.listeners(type);
  const { isEventTarget, listenersOf } = lazyEventTarget();
  if (isEventTarget(emitterOrTarget)) return listenersOf(emitterOrTarget, type);
  throw new ERR_INVALID_ARG_TYPE('emitter', ['EventEmitter', 'EventTarget'], emitterOrTarget);
}

function getMaxListeners(emitterOrTarget) {
  if (typeof emitterOrTarget?.getMaxListeners === 'function') return emitterOrTarget.getMaxListeners();
  if (typeof emitterOrTarget?.[kMaxEventTargetListeners] === 'number') {
    return emitterOrTarget[kMaxEventTargetListeners];
  }
  throw new ERR_INVALID_ARG_TYPE('emitter', ['EventEmitter', 'EventTarget'], emitterOrTarget);
}

/**
 * Calls `listener` once when `signal` aborts, even where another listener stops the event.
 * @returns {Disposable} removes the listener
 */
function addAbortListener(signal, listener) {
  if (signal === undefined) throw new ERR_INVALID_ARG_TYPE('signal', 'AbortSignal', signal);
  validateAbortSignal(signal, 'signal');
  validateFunction(listener, 'listener');

  let removeEventListener;
  if (signal.aborted) {
    queueMicrotask(() => listener());
  } else {
    signal.addEventListener('abort', listener, abortListenerOptions());
    removeEventListener = () => signal.removeEventListener('abort', listener);
  }
  return {
    __proto__: null,
    [Symbol.dispose]() {
      removeEventListener?.();
    },
  };
}

function addListener(emitter, name, listener, flags) {
  if (typeof emitter.on === 'function') {
    if (flags?.once) emitter.once(name, listener);
    else emitter.on(name, listener);
  } else if (typeof emitter.addEventListener === 'function') {
    emitter.addEventListener(name, listener, flags);
  } else {
    throw new ERR_INVALID_ARG_TYPE('emitter', 'EventEmitter', emitter);
  }
}

function removeListener(emitter, name, listener, flags) {
  if (typeof emitter.removeListener === 'function') {
    emitter.removeListener(name, listener);
  } else if (typeof emitter.removeEventListener === 'function') {
    emitter.removeEventListener(name, listener, flags);
  } else {
    throw new ERR_INVALID_ARG_TYPE('emitter', 'EventEmitter', emitter);
  }
}

function checkSignal(options) {
  validateObject(options, 'options');
  const { signal } = options;
  validateAbortSignal(signal, 'options.signal');
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
  return signal;
}

/** Resolves with the arguments of the next `name` event; rejects on 'error' or abort. */
async function once(emitter, name, options = kEmptyObject) {
  const signal = checkSignal(options);
  return new Promise((resolve, reject) => {
    const errorListener = (err) => {
      emitter.removeListener(name, resolver);
      if (signal != null) removeListener(signal, 'abort', abortListener);
      reject(err);
    };
    const resolver = (...args) => {
      if (typeof emitter.removeListener === 'function') emitter.removeListener('error', errorListener);
      if (signal != null) removeListener(signal, 'abort', abortListener);
      resolve(args);
    };
    function abortListener() {
      removeListener(emitter, name, resolver);
      removeListener(emitter, 'error', errorListener);
      reject(new AbortError(undefined, { cause: signal?.reason }));
    }

    addListener(emitter, name, resolver, { __proto__: null, once: true });
    if (name !== 'error' && typeof emitter.once === 'function') emitter.once('error', errorListener);
    if (signal != null) addListener(signal, 'abort', abortListener, abortListenerOptions());
  });
}

const iterResult = (value, done) => ({ value, done });

/** The state behind one `on()` iterator: queued events, waiting consumers, the ways it may end. */
class EventQueue {
  constructor(emitter, high, low) {
    this.emitter = emitter;
    this.high = high;
    this.low = low;
    this.events = new FixedQueue();
    this.consumers = new FixedQueue();
    this.size = 0;
    this.paused = false;
    this.error = null;
    this.finished = false;
    this.listeners = [];
  }

  listen(emitter, name, listener, flags) {
    addListener(emitter, name, listener, flags);
    this.listeners.push([emitter, name, listener, flags]);
  }

  put(args) {
    if (!this.consumers.isEmpty()) {
      this.consumers.shift().resolve(iterResult(args, false));
      return;
    }
    this.size++;
    if (!this.paused && this.size > this.high) {
      this.paused = true;
      this.emitter.pause();
    }
    this.events.push(args);
  }

  take() {
    if (this.size > 0) {
      const value = this.events.shift();
      this.size--;
      if (this.paused && this.size < this.low) {
        this.emitter.resume();
        this.paused = false;
      }
      return Promise.resolve(iterResult(value, false));
    }
    if (this.error) {
      const rejected = Promise.reject(this.error);
      this.error = null;
      return rejected;
    }
    if (this.finished) return this.close();
    return new Promise((resolve, reject) => this.consumers.push({ resolve, reject }));
  }

  fail(err) {
    if (this.consumers.isEmpty()) this.error = err;
    else this.consumers.shift().reject(err);
    this.close();
  }

  close() {
    for (const entry of this.listeners) removeListener(...entry);
    this.listeners.length = 0;
    this.finished = true;
    const last = iterResult(undefined, true);
    while (!this.consumers.isEmpty()) this.consumers.shift().resolve(last);
    return Promise.resolve(last);
  }
}

/**
 * An async iterator over the `event` events of an emitter or event target.
 * @param {{ signal?: AbortSignal, close?: string[], highWaterMark?: number,
 *   lowWaterMark?: number }} [options]
 */
function on(emitter, event, options = kEmptyObject) {
  const signal = checkSignal(options);
  // Both spellings were public at one time.
  const high = options.highWaterMark ?? options.highWatermark ?? Number.MAX_SAFE_INTEGER;
  validateInteger(high, 'options.highWaterMark', 1);
  const low = options.lowWaterMark ?? options.lowWatermark ?? 1;
  validateInteger(low, 'options.lowWaterMark', 1);

  const queue = new EventQueue(emitter, high, low);
  const iterator = Object.setPrototypeOf({
    next() {
      return queue.take();
    },
    return() {
      return queue.close();
    },
    throw(err) {
      if (!err || !(err instanceof Error)) {
        throw new ERR_INVALID_ARG_TYPE('EventEmitter.AsyncIterator', 'Error', err);
      }
      queue.fail(err);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    [kWatermarkData]: {
      get size() { return queue.size; },
      get low() { return queue.low; },
      get high() { return queue.high; },
      get isPaused() { return queue.paused; },
    },
  }, AsyncIteratorPrototype);

  const firstArgument = options[kFirstEventParam];
  queue.listen(emitter, event, firstArgument ? (value) => queue.put(value) : (...args) => queue.put(args));
  if (event !== 'error' && typeof emitter.on === 'function') {
    queue.listen(emitter, 'error', (err) => queue.fail(err));
  }
  const closeEvents = options.close;
  if (closeEvents?.length) {
    for (const name of closeEvents) queue.listen(emitter, name, () => queue.close());
  }
  if (signal) {
    const abort = () => queue.fail(new AbortError(undefined, { cause: signal.reason }));
    queue.listen(signal, 'abort', abort, abortListenerOptions());
  }
  return iterator;
}

module.exports = {
  addAbortListener, once, on, getEventListeners, getMaxListeners, kFirstEventParam,
};
