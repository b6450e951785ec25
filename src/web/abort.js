'use strict';

// AbortController and AbortSignal (DOM, clause 3).

const {
  codes: { ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_THIS },
  hideStackFrames,
} = require('#internal/errors');
const { validateAbortSignal, validateUint32 } = require('#internal/validators');
const { kMaxEventTargetListeners } = require('#events/symbols');
const {
  Event, EventTarget, defineEventHandler, kNewListener, kRemoveListener, kTrustEvent,
} = require('#web/event_target');
const { makeEnumerable, setTag } = require('#web/event');
const { DOMException } = require('#web/dom_exception');
const { inspectFields, inspectSymbol } = require('#web/inspect');

/** What only this file can pass to the constructor of AbortSignal. */
const kConstruct = Symbol('kConstruct');

// Signals that a timer or another signal will abort are kept alive while somebody listens to them.
const listenedTo = new Set();
const kDependantSignals = Symbol('kDependantSignals');

// Made when first needed: a start-up snapshot cannot hold them.
let sourceRegistry;
let dependentRegistry;

let abortSignal;
const kAborted = Symbol('kAborted');
const kReason = Symbol('kReason');
let isAbortSignal;
let compose;
let setTransferred;

function defaultReason() {
  return new DOMException('This operation was aborted', 'AbortError');
}

class AbortSignal extends EventTarget {
  // Symbols, not private names: programs hand signals on behind proxies.
  [kAborted] = false;
  [kReason] = undefined;
  // A composite signal follows sources, which refer to it weakly; see `any`.
  #composite = false;
  #hasTimer = false;
  #sources;

  static {
    abortSignal = (signal, reason = defaultReason()) => signal.#abort(reason);
    isAbortSignal = (value) => typeof value === 'object' && value !== null && typeof value[kAborted] === 'boolean';
    compose = (signals) => AbortSignal.#compose(signals);
    setTransferred = (signal) => { signal.#hasTimer = true; };
  }

  constructor(secret = undefined) {
    if (secret !== kConstruct) throw new ERR_ILLEGAL_CONSTRUCTOR();
    super();
    this[kMaxEventTargetListeners] = 0;
  }

  get aborted() {
    if (!isAbortSignal(this)) throw new ERR_INVALID_THIS('AbortSignal');
    return this[kAborted];
  }

  get reason() {
    if (!isAbortSignal(this)) throw new ERR_INVALID_THIS('AbortSignal');
    return this[kReason];
  }

  throwIfAborted() {
    if (!isAbortSignal(this)) throw new ERR_INVALID_THIS('AbortSignal');
    if (this[kAborted]) throw this[kReason];
  }

  static abort(reason = defaultReason()) {
    const signal = new AbortSignal(kConstruct);
    signal[kAborted] = true;
    signal[kReason] = reason;
    return signal;
  }

  static timeout(delay) {
    validateUint32(delay, 'delay', false);
    const signal = new AbortSignal(kConstruct);
    signal.#hasTimer = true;
    startTimer(signal, delay);
    return signal;
  }

  static any(signals) {
    return AbortSignal.#compose(sequenceOfSignals(signals));
  }

  static #compose(signals) {
    const result = new AbortSignal(kConstruct);
    result.#composite = true;
    for (const signal of signals) {
      if (signal[kAborted]) {
        result[kAborted] = true;
        result[kReason] = signal[kReason];
        return result;
      }
    }
    result.#sources = new Set();
    for (const signal of signals) {
      if (!signal.#composite) {
        result.#follow(signal);
        continue;
      }
      for (const ref of signal.#sources ?? []) {
        const source = ref.deref();
        if (source !== undefined) result.#follow(source);
      }
    }
    return result;
  }

  #follow(source) {
    source[kDependantSignals] ??= new DependentSet();
    if (!source[kDependantSignals].add(this)) return;
    const ref = new WeakRef(source);
    this.#sources.add(ref);
    sourceRegistry ??= new FinalizationRegistry(({ dependent, source: gone }) => {
      const live = dependent.deref();
      if (live === undefined || live.#sources === undefined) return;
      live.#sources.delete(gone);
      // Nothing can abort it any more.
      if (live.#sources.size === 0) listenedTo.delete(live);
    });
    sourceRegistry.register(source, { dependent: new WeakRef(this), source: ref });
  }

  #abort(reason) {
    if (this[kAborted]) return;
    this[kAborted] = true;
    this[kReason] = reason;
    // The state of all dependents changes before any event is heard (DOM: "signal abort").
    const dependents = [];
    for (const dependent of this[kDependantSignals]?.live() ?? []) {
      if (dependent[kAborted]) continue;
      dependent[kAborted] = true;
      dependent[kReason] = reason;
      dependents.push(dependent);
    }
    if (this[kDependantSignals] !== undefined) this[kDependantSignals] = undefined;
    this.#announce();
    for (const dependent of dependents) dependent.#announce();
  }

  #announce() {
    this.dispatchEvent(new Event('abort', { [kTrustEvent]: true }));
    listenedTo.delete(this);
    this.#sources = undefined;
  }

  [kNewListener](size, type, listener, once, capture, passive, weak) {
    super[kNewListener](size, type, listener, once, capture, passive, weak);
    const awaited = this.#hasTimer || (this.#composite && this.#sources !== undefined);
    if (awaited && type === 'abort' && !this[kAborted] && !weak && size === 1) listenedTo.add(this);
  }

  [kRemoveListener](size, type, listener, capture) {
    super[kRemoveListener](size, type, listener, capture);
    if (size === 0 && type === 'abort') listenedTo.delete(this);
  }

  [inspectSymbol](depth, options) {
    return inspectFields('AbortSignal', { aborted: this.aborted }, depth, options);
  }
}

/** The signals that follow another one, referred to weakly; collected ones leave the set. */
class DependentSet {
  #refs = new Set();
  #members = new WeakSet();

  get size() { return this.#refs.size; }

  add(signal) {
    if (this.#members.has(signal)) return false;
    this.#members.add(signal);
    const ref = new WeakRef(signal);
    this.#refs.add(ref);
    dependentRegistry ??= new FinalizationRegistry(({ refs, ref: gone }) => refs.deref()?.delete(gone));
    dependentRegistry.register(signal, { refs: new WeakRef(this.#refs), ref });
    return true;
  }

  * live() {
    for (const ref of this.#refs) {
      const signal = ref.deref();
      if (signal !== undefined) yield signal;
    }
  }
}

// The timer refers to its signal weakly, so that an unreachable one can go, and its timer with it.
let timerRegistry;
function startTimer(signal, delay) {
  const { setTimeout, clearTimeout } = require('timers');
  timerRegistry ??= new FinalizationRegistry(clearTimeout);
  const ref = new WeakRef(signal);
  const timer = setTimeout(() => {
    const live = ref.deref();
    if (live === undefined) return;
    timerRegistry.unregister(live);
    abortSignal(live, new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  }, delay);
  timer.unref();
  timerRegistry.register(signal, timer, signal);
}

const validateSignal = hideStackFrames((value, name) => {
  if (!isAbortSignal(value)) {
    const { codes: { ERR_INVALID_ARG_TYPE } } = require('#internal/errors');
    throw new ERR_INVALID_ARG_TYPE(name, 'AbortSignal', value);
  }
  validateAbortSignal(value, name);
});

/** Web IDL's sequence<AbortSignal>. */
function sequenceOfSignals(value) {
  const iterable = (typeof value === 'object' && value !== null) || typeof value === 'function';
  if (!iterable || typeof value[Symbol.iterator] !== 'function') {
    const error = new TypeError('signals can not be converted to sequence.');
    error.code = 'ERR_INVALID_ARG_TYPE';
    throw error;
  }
  const signals = [];
  for (const signal of value) {
    validateSignal(signal, `signals[${signals.length}]`);
    signals.push(signal);
  }
  return signals;
}

makeEnumerable(AbortSignal.prototype, ['aborted']);
setTag(AbortSignal);
defineEventHandler(AbortSignal.prototype, 'abort');

class AbortController {
  #signal;

  get signal() {
    return this.#signal ??= new AbortSignal(kConstruct);
  }

  abort(reason = defaultReason()) {
    abortSignal(this.#signal ??= new AbortSignal(kConstruct), reason);
  }

  [inspectSymbol](depth, options) {
    if (depth < 0) return 'AbortController {}';
    return inspectFields('AbortController', { signal: this.signal }, depth, options);
  }
}

makeEnumerable(AbortController.prototype, ['signal', 'abort']);
setTag(AbortController);

/** A signal that only core modules abort, by `abortSignal`. */
function createAbortSignal() {
  return new AbortSignal(kConstruct);
}

module.exports = {
  AbortController,
  AbortSignal,
  abortSignal,
  compose,
  createAbortSignal,
  isAbortSignal,
  setTransferred,
};
