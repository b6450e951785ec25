'use strict';

// node:timers/promises.

const { Timeout, insert } = require('#timers/lists');
const { Immediate, clearImmediate } = require('#timers/immediates');
const { clearTimeout, clearInterval } = require('timers');
const {
  AbortError,
  codes: { ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_THIS },
} = require('#internal/errors');
const {
  validateAbortSignal, validateBoolean, validateNumber, validateObject,
} = require('#internal/validators');

const kScheduler = Symbol('kScheduler');
const kEmptyObject = Object.freeze({ __proto__: null });

let kResistStopPropagation;
function listenForAbort(signal, listener) {
  kResistStopPropagation ??= require('#web/event_target').kResistStopPropagation;
  signal.addEventListener('abort', listener, { __proto__: null, [kResistStopPropagation]: true });
}

/** Ends the wait of one timer when its signal aborts. */
function abortWith(clear, reject, signal) {
  clear();
  reject(new AbortError(undefined, { cause: signal.reason }));
}

function checkOptions(options) {
  validateObject(options, 'options');
  if (typeof options.signal !== 'undefined') validateAbortSignal(options.signal, 'options.signal');
  if (typeof options.ref !== 'undefined') validateBoolean(options.ref, 'options.ref');
}

const aborted = (signal) => Promise.reject(new AbortError(undefined, { cause: signal.reason }));

/** A promise for `value`, made by `begin(resolve)`, whose result `clear` stops. */
function wait(value, signal, begin, clear) {
  let onAbort;
  const promise = new Promise((resolve, reject) => {
    const handle = begin(resolve, value);
    if (signal) {
      onAbort = () => {
        if (!handle._destroyed) abortWith(() => clear(handle), reject, signal);
      };
      listenForAbort(signal, onAbort);
    }
  });
  if (onAbort === undefined) return promise;
  return promise.finally(() => signal.removeEventListener('abort', onAbort));
}

function setTimeout(after, value, options = kEmptyObject) {
  try {
    if (typeof after !== 'undefined') validateNumber(after, 'delay');
    checkOptions(options);
  } catch (err) {
    return Promise.reject(err);
  }
  const { signal, ref = true } = options;
  if (signal?.aborted) return aborted(signal);
  return wait(value, signal, (resolve) => {
    const timeout = new Timeout(resolve, after, [value], false, ref);
    insert(timeout, timeout._idleTimeout);
    return timeout;
  }, clearTimeout);
}

function setImmediate(value, options = kEmptyObject) {
  try {
    checkOptions(options);
  } catch (err) {
    return Promise.reject(err);
  }
  const { signal, ref = true } = options;
  if (signal?.aborted) return aborted(signal);
  return wait(value, signal, (resolve) => {
    const immediate = new Immediate(resolve, [value]);
    if (!ref) immediate.unref();
    return immediate;
  }, clearImmediate);
}

async function* setInterval(after, value, options = kEmptyObject) {
  if (typeof after !== 'undefined') validateNumber(after, 'delay');
  checkOptions(options);
  const { signal, ref = true } = options;
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });

  let onAbort;
  let interval;
  try {
    let notYielded = 0;
    let wake;
    interval = new Timeout(() => {
      notYielded++;
      if (wake) {
        wake();
        wake = undefined;
      }
    }, after, undefined, true, ref);
    insert(interval, interval._idleTimeout);
    if (signal) {
      onAbort = () => {
        clearInterval(interval);
        wake?.(aborted(signal));
        wake = undefined;
      };
      signal.addEventListener('abort', onAbort, { once: true });
    }

    while (!signal?.aborted) {
      if (notYielded === 0) await new Promise((resolve) => { wake = resolve; });
      for (; notYielded > 0; notYielded--) yield value;
    }
    throw new AbortError(undefined, { cause: signal?.reason });
  } finally {
    clearInterval(interval);
    signal?.removeEventListener('abort', onAbort);
  }
}

class Scheduler {
  constructor() {
    throw new ERR_ILLEGAL_CONSTRUCTOR();
  }

  /** @returns {Promise<void>} on the next turn */
  yield() {
    if (!this[kScheduler]) throw new ERR_INVALID_THIS('Scheduler');
    return setImmediate();
  }

  /** @param {number} delay @param {{ signal?: AbortSignal, ref?: boolean }} [options] */
  wait(delay, options) {
    if (!this[kScheduler]) throw new ERR_INVALID_THIS('Scheduler');
    return setTimeout(delay, undefined, options);
  }
}

function makeScheduler() {
  const scheduler = Object.create(Scheduler.prototype);
  scheduler[kScheduler] = true;
  return scheduler;
}

module.exports = { setTimeout, setImmediate, setInterval, scheduler: makeScheduler() };
