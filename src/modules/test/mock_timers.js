'use strict';

// mock.timers: timers and Date on a clock that moves only when told to.

const {
  AbortError, codes: { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_STATE },
} = require('#internal/errors');
const { validateAbortSignal, validateNumber, validateStringArray } = require('#internal/validators');
const { emitExperimentalWarning, kEmptyObject } = require('#internal/util');

const kMaxTimeout = 2 ** 31 - 1;
const kApis = ['setTimeout', 'setInterval', 'setImmediate', 'Date', 'scheduler.wait', 'AbortSignal.timeout'];
const kDefaultApis = ['setTimeout', 'setInterval', 'setImmediate', 'Date', 'scheduler.wait'];

/** What a mocked setTimeout() returns. */
class Timeout {
  #timers;
  #item;
  constructor(timers, item) {
    this.#timers = timers;
    this.#item = item;
    this.id = item.id;
    this.runAt = item.runAt;
    this.interval = item.interval;
    this.args = item.args;
  }

  hasRef() {
    return this.#item.isRef;
  }

  ref() {
    this.#item.isRef = true;
    return this;
  }

  unref() {
    this.#item.isRef = false;
    return this;
  }

  refresh() {
    this.#timers.refresh(this.#item);
    return this;
  }

  close() {
    this.#timers.clear(this.#item);
    return this;
  }

  [Symbol.toPrimitive]() {
    return this.#item.id;
  }

  [Symbol.dispose]() {
    this.close();
  }
}

class MockTimers {
  #enabled = false;
  #apis = [];
  #now = 0;
  #nextId = 1;
  /** @type {Map<number, object>} */
  #queue = new Map();
  #undo = [];

  // --- the queue ---

  #add(isInterval, callback, delay, args, isImmediate = false) {
    delay = +delay;
    if (!(delay >= 1 && delay <= kMaxTimeout)) delay = isImmediate ? 0 : 1;
    const item = {
      __proto__: null, id: this.#nextId++, callback, delay, runAt: this.#now + delay,
      interval: isInterval ? delay : undefined, args, isRef: true, isImmediate,
    };
    this.#queue.set(item.id, item);
    return item;
  }

  clear(timer) {
    if (timer === null || timer === undefined) return;
    const id = typeof timer === 'object' ? timer.id : Number(timer);
    this.#queue.delete(id);
  }

  refresh(item) {
    item.runAt = this.#now + item.delay;
    this.#queue.delete(item.id);
    this.#queue.set(item.id, item);
  }

  #first() {
    let first;
    for (const item of this.#queue.values()) {
      if (first === undefined || item.runAt < first.runAt ||
          (item.runAt === first.runAt && item.isImmediate && !first.isImmediate)) {
        first = item;
      }
    }
    return first;
  }

  #runUntil(time) {
    for (let item = this.#first(); item !== undefined && item.runAt <= time; item = this.#first()) {
      this.#now = Math.max(this.#now, item.runAt);
      if (item.interval !== undefined) {
        item.runAt += item.interval;
        this.#queue.delete(item.id);
        this.#queue.set(item.id, item);
      } else {
        this.#queue.delete(item.id);
      }
      Reflect.apply(item.callback, undefined, item.args);
    }
    this.#now = time;
  }

  // --- what replaces the real functions ---

  #replace(object, name, value) {
    const descriptor = Object.getOwnPropertyDescriptor(object, name);
    Object.defineProperty(object, name, { __proto__: null, value, writable: true, configurable: true,
      enumerable: descriptor?.enumerable ?? true });
    this.#undo.push(() => {
      if (descriptor === undefined) delete object[name];
      else Object.defineProperty(object, name, descriptor);
    });
  }

  #replaceTimer(names, fns) {
    const timers = require('timers');
    for (let i = 0; i < names.length; i++) {
      this.#replace(globalThis, names[i], fns[i]);
      this.#replace(timers, names[i], fns[i]);
    }
  }

  /** A promise for a timer, for timers/promises. */
  #promiseTimer(delay, value, options, isImmediate = false) {
    const { promise, resolve, reject } = Promise.withResolvers();
    const signal = options?.signal;
    try {
      if (signal !== undefined) validateAbortSignal(signal, 'options.signal');
    } catch (error) {
      return Promise.reject(error);
    }
    const cancelled = () => new AbortError(undefined, { cause: signal.reason });
    if (signal?.aborted) return Promise.reject(cancelled());
    const onAbort = () => {
      this.clear(item);
      reject(cancelled());
    };
    const item = this.#add(false, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve(value);
    }, delay, [], isImmediate);
    signal?.addEventListener('abort', onAbort, { once: true });
    return promise;
  }

  async* #intervals(delay, value, options) {
    const signal = options?.signal;
    if (signal !== undefined) validateAbortSignal(signal, 'options.signal');
    if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
    let ticks = 0;
    let wake;
    const item = this.#add(true, () => {
      ticks++;
      wake?.();
    }, delay, []);
    const onAbort = () => wake?.();
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      for (;;) {
        if (ticks === 0) {
          const { promise, resolve } = Promise.withResolvers();
          wake = resolve;
          await promise;
        }
        if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
        for (; ticks > 0; ticks--) yield value;
      }
    } finally {
      this.clear(item);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #install = {
    'setTimeout': () => {
      const setTimeout = (callback, delay, ...args) => new Timeout(this, this.#add(false, callback, delay, args));
      const clearTimeout = (timer) => this.clear(timer);
      this.#replaceTimer(['setTimeout', 'clearTimeout'], [setTimeout, clearTimeout]);
      this.#replace(require('timers/promises'), 'setTimeout',
        (delay, value, options) => this.#promiseTimer(delay, value, options));
    },
    'setInterval': () => {
      const setInterval = (callback, delay, ...args) => new Timeout(this, this.#add(true, callback, delay, args));
      const clearInterval = (timer) => this.clear(timer);
      this.#replaceTimer(['setInterval', 'clearInterval'], [setInterval, clearInterval]);
      this.#replace(require('timers/promises'), 'setInterval',
        (delay, value, options) => this.#intervals(delay, value, options));
    },
    'setImmediate': () => {
      const setImmediate = (callback, ...args) => new Timeout(this, this.#add(false, callback, 0, args, true));
      const clearImmediate = (timer) => this.clear(timer);
      this.#replaceTimer(['setImmediate', 'clearImmediate'], [setImmediate, clearImmediate]);
      this.#replace(require('timers/promises'), 'setImmediate',
        (value, options) => this.#promiseTimer(0, value, options, true));
    },
    'Date': () => this.#replace(globalThis, 'Date', this.#makeDate()),
    'scheduler.wait': () => {
      const { scheduler } = require('timers/promises');
      this.#replace(scheduler, 'wait', (delay, options) => this.#promiseTimer(delay, undefined, options));
    },
    'AbortSignal.timeout': () => {
      this.#replace(AbortSignal, 'timeout', (delay) => {
        const controller = new AbortController();
        this.#add(false, () => controller.abort(
          new DOMException('The operation was aborted due to timeout', 'TimeoutError')), delay, []);
        return controller.signal;
      });
    },
  };

  #makeDate() {
    const RealDate = globalThis.Date;
    const timers = this;
    function MockDate(year, month, date, hours, minutes, seconds, ms) {
      if (new.target === undefined) return new RealDate(timers.#now).toString();
      switch (arguments.length) {
        case 0: return Reflect.construct(RealDate, [timers.#now], new.target === MockDate ? RealDate : new.target);
        default: return Reflect.construct(RealDate, [...arguments], new.target === MockDate ? RealDate : new.target);
      }
    }
    for (const key of Reflect.ownKeys(RealDate)) {
      if (key === 'prototype' || key === 'now' || key === 'length' || key === 'name') continue;
      Object.defineProperty(MockDate, key, Object.getOwnPropertyDescriptor(RealDate, key));
    }
    Object.defineProperties(MockDate, {
      prototype: { __proto__: null, value: RealDate.prototype },
      name: { __proto__: null, value: 'Date', configurable: true },
      length: { __proto__: null, value: 7, configurable: true },
      now: { __proto__: null, value: { now: () => timers.#now }.now, writable: true, configurable: true },
      isMock: { __proto__: null, value: true, enumerable: true },
    });
    MockDate.toString = () => RealDate.toString();
    return MockDate;
  }

  // --- public ---

  enable(options = kEmptyObject) {
    if (this.#enabled) throw new ERR_INVALID_STATE('MockTimers is already enabled!');
    if (globalThis.Date.isMock) throw new ERR_INVALID_STATE('Date is already being mocked!');
    if (options === null || typeof options !== 'object' || Array.isArray(options)) {
      throw new ERR_INVALID_ARG_TYPE('options', 'Object', options);
    }
    let { apis = kDefaultApis, now = 0 } = options;
    if (now instanceof Date) now = now.getTime();
    if (typeof now !== 'number' || Number.isNaN(now) || now < 0) {
      if (typeof now === 'number') {
        throw new ERR_INVALID_ARG_VALUE('now', now,
          'epoch must be a positive integer received by mock.timers.enable()');
      }
      validateNumber(now, 'options.now');
    }
    validateStringArray(apis, 'options.apis');
    for (const api of apis) {
      if (!kApis.includes(api)) throw new ERR_INVALID_ARG_VALUE('options.apis', api, `option ${api} is not supported`);
    }
    emitExperimentalWarning('The MockTimers API');
    this.#apis = apis.length === 0 ? kDefaultApis : apis;
    this.#now = now;
    this.#enabled = true;
    for (const api of this.#apis) this.#install[api]();
  }

  #assertEnabled(what) {
    if (!this.#enabled) {
      throw new ERR_INVALID_STATE(`You should enable MockTimers first by calling the .enable function${what ?? ''}`);
    }
  }

  tick(time = 1) {
    this.#assertEnabled();
    if (time < 0) throw new ERR_INVALID_ARG_VALUE('time', 'positive integer', time);
    this.#runUntil(this.#now + time);
  }

  runAll() {
    this.#assertEnabled();
    let last = this.#now;
    for (const item of this.#queue.values()) last = Math.max(last, item.runAt);
    if (this.#queue.size > 0) this.#runUntil(last);
  }

  setTime(time = 0) {
    validateNumber(time, 'time');
    this.#assertEnabled();
    if (time < 0) throw new ERR_INVALID_ARG_VALUE('time', 'positive integer', time);
    this.#now = time;
  }

  reset() {
    if (!this.#enabled) return;
    for (const undo of this.#undo.reverse()) undo();
    this.#undo = [];
    this.#apis = [];
    this.#queue = new Map();
    this.#nextId = 1;
    this.#enabled = false;
  }

  [Symbol.dispose]() {
    this.reset();
  }
}

module.exports = { MockTimers };
