'use strict';

// node:events. The emitter itself is here; what awaits or observes emitters is in waiters.js.

const {
  kCapture, kShapeMode, kRejection, kErrorMonitor, kMaxEventTargetListeners,
  kMaxEventTargetListenersWarned, kEnhanceStackBeforeInspector,
} = require('#events/symbols');
const {
  codes: { ERR_INVALID_ARG_TYPE, ERR_UNHANDLED_ERROR },
} = require('#internal/errors');
const {
  validateBoolean, validateFunction, validateNumber,
} = require('#internal/validators');

const {
  addAbortListener, once, on, getEventListeners, getMaxListeners,
} = require('#events/waiters');

let util;
const lazyInspect = () => (util ??= require('util')).inspect;

let defaultMaxListeners = 10;

/**
 * @class
 * @param {{ captureRejections?: boolean }} [opts]
 */
function EventEmitter(opts) {
  EventEmitter.init.call(this, opts);
}
module.exports = EventEmitter;

const proto = EventEmitter.prototype;

Object.assign(EventEmitter, { addAbortListener, once, on, getEventListeners, getMaxListeners });
EventEmitter.EventEmitter = EventEmitter;
EventEmitter.usingDomains = false;
EventEmitter.captureRejectionSymbol = kRejection;

Object.defineProperty(EventEmitter, 'captureRejections', {
  __proto__: null,
  get() {
    return proto[kCapture];
  },
  set(value) {
    validateBoolean(value, 'EventEmitter.captureRejections');
    proto[kCapture] = value;
  },
  enumerable: true,
});

let EventEmitterAsyncResource;
Object.defineProperty(EventEmitter, 'EventEmitterAsyncResource', {
  __proto__: null,
  enumerable: true,
  configurable: true,
  get: function lazyEventEmitterAsyncResource() {
    EventEmitterAsyncResource ??= require('#events/async_resource');
    return EventEmitterAsyncResource;
  },
  set: undefined,
});

EventEmitter.errorMonitor = kErrorMonitor;

// Keeps the defaults off instances that were never initialised (a subclass that forgot super()).
Object.defineProperty(proto, kCapture, {
  __proto__: null,
  value: false,
  writable: true,
  enumerable: false,
});

proto._events = undefined;
proto._eventsCount = 0;
proto._maxListeners = undefined;

Object.defineProperty(EventEmitter, 'defaultMaxListeners', {
  __proto__: null,
  enumerable: true,
  get() {
    return defaultMaxListeners;
  },
  set(value) {
    validateNumber(value, 'defaultMaxListeners', 0);
    defaultMaxListeners = value;
  },
});

Object.defineProperties(EventEmitter, {
  kMaxEventTargetListeners: {
    __proto__: null,
    value: kMaxEventTargetListeners,
    enumerable: false,
    configurable: false,
    writable: false,
  },
  kMaxEventTargetListenersWarned: {
    __proto__: null,
    value: kMaxEventTargetListenersWarned,
    enumerable: false,
    configurable: false,
    writable: false,
  },
});

/**
 * Sets the listener limit of the given emitters and event targets, or the default of all.
 * @param {number} [n]
 * @param {...(EventEmitter | EventTarget)} eventTargets
 */
EventEmitter.setMaxListeners = function(n = defaultMaxListeners, ...eventTargets) {
  validateNumber(n, 'setMaxListeners', 0);
  if (eventTargets.length === 0) {
    defaultMaxListeners = n;
    return;
  }
  const { isEventTarget } = require('#web/event_target');
  for (const target of eventTargets) {
    if (isEventTarget(target)) {
      target[kMaxEventTargetListeners] = n;
      target[kMaxEventTargetListenersWarned] = false;
    } else if (typeof target.setMaxListeners === 'function') {
      target.setMaxListeners(n);
    } else {
      throw new ERR_INVALID_ARG_TYPE('eventTargets', ['EventEmitter', 'EventTarget'], target);
    }
  }
};

// A subclass or domain may replace it; every constructor path goes through here.
EventEmitter.init = function(opts) {
  if (this._events === undefined || this._events === Object.getPrototypeOf(this)._events) {
    this._events = { __proto__: null };
    this._eventsCount = 0;
    this[kShapeMode] = false;
  } else {
    this[kShapeMode] = true;
  }
  this._maxListeners ||= undefined;
  if (opts?.captureRejections) {
    validateBoolean(opts.captureRejections, 'options.captureRejections');
    this[kCapture] = Boolean(opts.captureRejections);
  } else {
    this[kCapture] = proto[kCapture];
  }
};

/** Routes the rejection of an async listener to the emitter. */
function watchPromise(emitter, promise, type, args) {
  try {
    const { then } = promise;
    if (typeof then !== 'function') return;
    then.call(promise, undefined, (err) => {
      // On the next tick, so that throwing from there is an uncaught exception, not another rejection.
      process.nextTick(emitRejection, emitter, err, type, args);
    });
  } catch (err) {
    emitter.emit('error', err);
  }
}

function emitRejection(emitter, err, type, args) {
  if (typeof emitter[kRejection] === 'function') {
    emitter[kRejection](err, type, ...args);
    return;
  }
  // An async 'error' listener that rejects must not call itself for ever.
  const previous = emitter[kCapture];
  try {
    emitter[kCapture] = false;
    emitter.emit('error', err);
  } finally {
    emitter[kCapture] = previous;
  }
}

proto.setMaxListeners = function setMaxListeners(n) {
  validateNumber(n, 'setMaxListeners', 0);
  this._maxListeners = n;
  return this;
};

function maxListenersOf(emitter) {
  return emitter._maxListeners === undefined ? defaultMaxListeners : emitter._maxListeners;
}

proto.getMaxListeners = function getMaxListeners() {
  return maxListenersOf(this);
};

/** The lines of stack `own` up to where it joins `origin`, the stack of the error's creation. */
function stackUpToCommonCaller(own, origin) {
  for (let i = 0; i < own.length - 3; i++) {
    const start = origin.indexOf(own[i]);
    if (start === -1) continue;
    let length = 1;
    while (i + length < own.length && own[i + length] === origin[start + length]) length++;
    if (length > 3) {
      const skipped = length - 2;
      const note = `    [... lines matching original stack trace ...]`;
      return [...own.slice(0, i + 1), note, ...own.slice(i + 1 + skipped)];
    }
  }
  return own;
}

function enhanceStackTrace(err, own) {
  let name = '';
  try {
    const { name: ctorName } = this.constructor;
    if (ctorName !== 'EventEmitter') name = ` on ${ctorName} instance`;
  } catch {
    // A hostile constructor property only costs its name.
  }
  const separator = `\nEmitted 'error' event${name} at:\n`;
  const origin = String(err.stack).split('\n').slice(1);
  const lines = stackUpToCommonCaller(own.stack.split('\n').slice(1), origin);
  return err.stack + separator + lines.join('\n');
}

/** Throws for an 'error' event that has no listener. */
function throwUnhandled(emitter, er) {
  if (er instanceof Error) {
    try {
      const capture = {};
      Error.captureStackTrace(capture, proto.emit);
      Object.defineProperty(er, kEnhanceStackBeforeInspector, {
        __proto__: null,
        value: enhanceStackTrace.bind(emitter, er, capture),
        configurable: true,
      });
    } catch {
      // A frozen error keeps its own stack.
    }
    throw er; // Unhandled 'error' event
  }
  let text;
  try {
    text = lazyInspect()(er);
  } catch {
    text = er;
  }
  const err = new ERR_UNHANDLED_ERROR(text);
  err.context = er;
  throw err; // Unhandled 'error' event
}

/**
 * Calls the listeners of `type` in order.
 * @returns {boolean} whether there were any
 */
proto.emit = function emit(type, ...args) {
  const events = this._events;
  if (type === 'error') {
    if (events !== undefined && events[kErrorMonitor] !== undefined) this.emit(kErrorMonitor, ...args);
    if (events === undefined || events.error === undefined) throwUnhandled(this, args[0]);
  } else if (events === undefined) {
    return false;
  }

  const handler = events[type];
  if (handler === undefined) return false;

  // Optimised code passes the rest parameters on without making an array of them, as long as nothing else sees them.
  if (typeof handler === 'function') {
    const result = Reflect.apply(handler, this, args);
    if (result !== undefined && result !== null && this[kCapture]) watchPromise(this, result, type, args);
    return true;
  }

  if (handler.length === 2 && !this[kCapture]) {
    // The two listeners are read before either runs, which is all that a copy of the array is for.
    const first = handler[0];
    const second = handler[1];
    Reflect.apply(first, this, args);
    Reflect.apply(second, this, args);
    return true;
  }
  emitToMany(this, handler.slice(), type, args);
  return true;
};

function emitToMany(emitter, listeners, type, args) {
  for (let i = 0; i < listeners.length; i++) {
    const result = Reflect.apply(listeners[i], emitter, args);
    if (result !== undefined && result !== null && emitter[kCapture]) {
      watchPromise(emitter, result, type, args);
    }
  }
}

function warnOfLeak(target, type, existing, limit) {
  existing.warned = true;
  const w = new Error(
    `Possible EventEmitter memory leak detected. ${existing.length} ${String(type)} listeners ` +
    `added to ${lazyInspect()(target, { depth: -1 })}. MaxListeners is ${limit}. ` +
    'Use emitter.setMaxListeners() to increase limit');
  w.name = 'MaxListenersExceededWarning';
  w.emitter = target;
  w.type = type;
  w.count = existing.length;
  process.emitWarning(w);
}

function addTo(target, type, listener, prepend) {
  validateFunction(listener, 'listener');
  let events = target._events;
  let existing;
  if (events === undefined) {
    events = target._events = { __proto__: null };
    target._eventsCount = 0;
  } else {
    if (events.newListener !== undefined) {
      target.emit('newListener', type, listener.listener ?? listener);
      // A 'newListener' listener may have replaced or emptied the table.
      events = target._events;
    }
    existing = events[type];
  }

  if (existing === undefined) {
    events[type] = listener;
    ++target._eventsCount;
    return target;
  }
  if (typeof existing === 'function') {
    existing = events[type] = prepend ? [listener, existing] : [existing, listener];
  } else if (prepend) {
    existing.unshift(listener);
  } else {
    existing.push(listener);
  }
  const limit = maxListenersOf(target);
  if (limit > 0 && existing.length > limit && !existing.warned) {
    warnOfLeak(target, type, existing, limit);
  }
  return target;
}

proto.addListener = function addListener(type, listener) {
  return addTo(this, type, listener, false);
};

proto.on = proto.addListener;

proto.prependListener = function prependListener(type, listener) {
  return addTo(this, type, listener, true);
};

function onceWrapper() {
  if (this.fired) return undefined;
  this.target.removeListener(this.type, this.wrapFn);
  this.fired = true;
  if (arguments.length === 0) return this.listener.call(this.target);
  return Reflect.apply(this.listener, this.target, arguments);
}

function wrapOnce(target, type, listener) {
  const state = { fired: false, wrapFn: undefined, target, type, listener };
  const wrapped = onceWrapper.bind(state);
  wrapped.listener = listener;
  state.wrapFn = wrapped;
  return wrapped;
}

proto.once = function once(type, listener) {
  validateFunction(listener, 'listener');
  this.on(type, wrapOnce(this, type, listener));
  return this;
};

proto.prependOnceListener = function prependOnceListener(type, listener) {
  validateFunction(listener, 'listener');
  this.prependListener(type, wrapOnce(this, type, listener));
  return this;
};

/** Takes the only listener of `type` out of the table. */
function dropType(emitter, events, type) {
  emitter._eventsCount -= 1;
  if (emitter[kShapeMode]) {
    events[type] = undefined;
  } else if (emitter._eventsCount === 0) {
    emitter._events = { __proto__: null };
  } else {
    delete events[type];
  }
}

proto.removeListener = function removeListener(type, listener) {
  validateFunction(listener, 'listener');
  const events = this._events;
  if (events === undefined) return this;
  const list = events[type];
  if (list === undefined) return this;

  if (list === listener || list.listener === listener) {
    dropType(this, events, type);
    if (events.removeListener !== undefined) {
      this.emit('removeListener', type, list.listener || listener);
    }
    return this;
  }
  if (typeof list === 'function') return this;

  let position = list.length - 1;
  while (position >= 0 && list[position] !== listener && list[position].listener !== listener) position--;
  if (position < 0) return this;
  if (position === 0) {
    list.shift();
  } else if (position === list.length - 1) {
    list.pop();
  } else {
    list.splice(position, 1);
  }
  if (list.length === 1) events[type] = list[0];
  if (events.removeListener !== undefined) this.emit('removeListener', type, listener);
  return this;
};

proto.off = proto.removeListener;

proto.removeAllListeners = function removeAllListeners(type) {
  const events = this._events;
  if (events === undefined) return this;

  if (events.removeListener === undefined) {
    if (arguments.length === 0) {
      this._events = { __proto__: null };
      this._eventsCount = 0;
    } else if (events[type] !== undefined) {
      if (--this._eventsCount === 0) {
        this._events = { __proto__: null };
      } else {
        delete events[type];
      }
    }
    this[kShapeMode] = false;
    return this;
  }

  if (arguments.length === 0) {
    for (const key of Reflect.ownKeys(events)) {
      if (key !== 'removeListener') this.removeAllListeners(key);
    }
    this.removeAllListeners('removeListener');
    this._events = { __proto__: null };
    this._eventsCount = 0;
    this[kShapeMode] = false;
    return this;
  }

  const listeners = events[type];
  if (typeof listeners === 'function') {
    this.removeListener(type, listeners);
  } else if (listeners !== undefined) {
    for (let i = listeners.length - 1; i >= 0; i--) this.removeListener(type, listeners[i]);
  }
  return this;
};

const unwrap = (fn) => fn.listener ?? fn;

proto.listeners = function listeners(type) {
  const list = this._events?.[type];
  if (list === undefined) return [];
  return typeof list === 'function' ? [unwrap(list)] : list.map(unwrap);
};

proto.rawListeners = function rawListeners(type) {
  const list = this._events?.[type];
  if (list === undefined) return [];
  return typeof list === 'function' ? [list] : list.slice();
};

proto.listenerCount = function listenerCount(type, listener) {
  const list = this._events?.[type];
  if (list === undefined) return 0;
  const isWanted = (fn) => listener === undefined || listener === null ||
    fn === listener || fn.listener === listener;
  if (typeof list === 'function') return isWanted(list) ? 1 : 0;
  if (listener === undefined || listener === null) return list.length;
  let count = 0;
  for (const fn of list) if (isWanted(fn)) count++;
  return count;
};

proto.eventNames = function eventNames() {
  if (this._eventsCount <= 0) return [];
  const events = this._events;
  const keys = Reflect.ownKeys(events);
  return this[kShapeMode] ? keys.filter((key) => events[key] !== undefined) : keys;
};

/** Number of listeners of `type` on an emitter or event target. */
EventEmitter.listenerCount = function(emitter, type) {
  if (typeof emitter.listenerCount === 'function') return emitter.listenerCount(type);
  return proto.listenerCount.call(emitter, type);
};
