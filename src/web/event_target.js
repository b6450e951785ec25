'use strict';

// EventTarget (DOM, clause 2.7), NodeEventTarget (with EventEmitter's names, the base of MessagePort) and handler
// attributes such as `onabort`.

const {
  codes: {
    ERR_EVENT_RECURSION, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_THIS, ERR_MISSING_ARGS,
  },
} = require('#internal/errors');
const { validateAbortSignal, validateObject } = require('#internal/validators');
const { kMaxEventTargetListeners, kMaxEventTargetListenersWarned } = require('#events/symbols');
const { Event, CustomEvent, isEvent, dispatching, kTrustEvent, makeEnumerable, setTag } = require('#web/event');

// Options of addEventListener that only core modules use: the listener is held weakly, as long as the option's value
// lives; the listener is called although the propagation was stopped.
const kWeakHandler = Symbol('kWeak');
const kResistStopPropagation = Symbol('kResistStopPropagation');

// Methods that a subclass may override: called when the number of listeners of a type changed; makes an event of a
// value.
const kNewListener = Symbol('kNewListener');
const kRemoveListener = Symbol('kRemoveListener');
const kCreateEvent = Symbol('kCreateEvent');

const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');
const anyObject = { allowArray: true, allowFunction: true };

class Listener {
  constructor(callback, options, nodeStyle) {
    this.weak = options.weak !== undefined;
    this.callback = this.weak ? new WeakRef(callback) : callback;
    this.capture = options.capture;
    this.once = options.once;
    this.passive = options.passive;
    this.resistStop = options.resistStop;
    this.nodeStyle = nodeStyle;
    this.removed = false;
  }

  get() { return this.weak ? this.callback.deref() : this.callback; }
}

/** The listeners of one type, in order. `items` is copied before a change while a dispatch walks it. */
class ListenerList {
  items = [];
  walkers = 0;

  writable() {
    if (this.walkers > 0) {
      this.items = this.items.slice();
      this.walkers = 0;
    }
    return this.items;
  }

  find(callback, capture) {
    const { items } = this;
    for (let i = 0; i < items.length; i++) {
      const item = items[i];
      if (item.capture === capture && item.get() === callback) return item;
    }
    return undefined;
  }

  remove(listener) {
    const index = this.items.indexOf(listener);
    if (index < 0) return;
    listener.removed = true;
    if (index === 0 && this.walkers === 0) this.items.shift();
    else this.writable().splice(index, 1);
  }
}

// Listeners held weakly: the holder keeps the callback alive, and a collected callback leaves its list.
let weakState;
function holdWeakly(holder, target, type, listener, callback) {
  weakState ??= {
    held: new WeakMap(),
    registry: new FinalizationRegistry(({ targetRef, type: name, listener: gone }) => {
      const live = targetRef.deref();
      if (live !== undefined) removeListener(live, name, gone);
    }),
  };
  const held = weakState.held.get(holder);
  if (held === undefined) weakState.held.set(holder, new Set([callback]));
  else held.add(callback);
  weakState.registry.register(callback, { targetRef: new WeakRef(target), type, listener }, listener);
}

/** @returns {Map<string, ListenerList>} of a target; set by EventTarget's static block, as is `isEventTarget`. */
let listsOf;
let isEventTarget;

function listenerOptions(options) {
  if (options === undefined || options === null) return { capture: false, once: false, passive: false };
  if (typeof options === 'boolean') return { capture: options, once: false, passive: false };
  validateObject(options, 'options', anyObject);
  return {
    capture: !!options.capture,
    once: !!options.once,
    passive: !!options.passive,
    signal: options.signal,
    weak: options[kWeakHandler],
    resistStop: !!options[kResistStopPropagation],
  };
}

function captureOption(options) {
  return typeof options === 'object' && options !== null ? !!options.capture : typeof options === 'boolean' && options;
}

/** Whether a value can be a listener; null and undefined are ignored, anything else throws. */
function checkListener(listener) {
  if (typeof listener === 'function' || (typeof listener === 'object' && listener !== null)) return true;
  if (listener === null || listener === undefined) return false;
  throw new ERR_INVALID_ARG_TYPE('listener', 'EventListener', listener);
}

function typeString(type) {
  if (typeof type === 'symbol') throw new ERR_INVALID_ARG_VALUE('value', type);
  return `${type}`;
}

function warnIgnored(target, type, listener) {
  const warning = new Error(`addEventListener called with ${listener} which has no effect.`);
  warning.name = 'AddEventListenerArgumentTypeWarning';
  warning.target = target;
  warning.type = type;
  process.emitWarning(warning);
}

function warnLeak(target, type, count, limit) {
  const { inspect } = require('util');
  const warning = new Error(`Possible EventTarget memory leak detected. ${count} ${type} listeners added to ` +
    `${inspect(target, { depth: -1 })}. MaxListeners is ${limit}. Use events.setMaxListeners() to increase limit`);
  warning.name = 'MaxListenersExceededWarning';
  warning.target = target;
  warning.type = type;
  warning.count = count;
  process.emitWarning(warning);
}

function addListener(target, type, callback, options, nodeStyle) {
  const lists = listsOf(target);
  let list = lists.get(type);
  if (list === undefined) lists.set(type, list = new ListenerList());
  else if (list.find(callback, options.capture) !== undefined) return;
  const listener = new Listener(callback, options, nodeStyle);
  if (options.weak !== undefined) holdWeakly(options.weak, target, type, listener, callback);
  const items = list.writable();
  items.push(listener);
  target[kNewListener](items.length, type, callback, options.once, options.capture, options.passive, options.weak);
}

function removeListener(target, type, listener) {
  if (listener.removed) return;
  const lists = listsOf(target);
  const list = lists.get(type);
  if (list === undefined) return;
  list.remove(listener);
  const size = list.items.length;
  if (size === 0) lists.delete(type);
  if (listener.weak) weakState.registry.unregister(listener);
  target[kRemoveListener](size, type, listener.get(), listener.capture);
}

/** Removes a listener when a signal aborts, without keeping the target alive. */
function removeOnAbort(target, type, callback, options) {
  options.signal.addEventListener('abort', () => {
    target.removeEventListener(type, callback, { capture: options.capture });
  }, { once: true, [kWeakHandler]: target, [kResistStopPropagation]: true });
}

function throwLater(error) {
  process.nextTick(() => { throw error; });
}

function callListener(target, callback, argument) {
  try {
    const result = typeof callback === 'function' ? callback.call(target, argument) : callback.handleEvent(argument);
    // An async listener's rejection is an uncaught exception, as a throw is.
    if (typeof result === 'object' && result !== null && typeof result.then === 'function') {
      result.then(undefined, throwLater);
    }
  } catch (error) {
    throwLater(error);
  }
}

/**
 * Calls the listeners of a type: node-style ones with `value`, the others with the event, which is made of the value
 * when first needed.
 */
function dispatch(target, type, value, event) {
  if (event !== undefined) dispatching.begin(event, target);
  const list = listsOf(target).get(type);
  if (list === undefined) {
    if (event !== undefined) dispatching.end(event);
    return event;
  }
  const { items } = list;
  list.walkers++;
  for (let i = 0; i < items.length; i++) {
    const listener = items[i];
    if (listener.removed) continue;
    const callback = listener.get();
    if (event !== undefined && !listener.resistStop && dispatching.isStopped(event)) continue;
    if (listener.once) removeListener(target, type, listener);
    if (callback === undefined) continue;
    if (listener.nodeStyle) {
      callListener(target, callback, value);
      continue;
    }
    if (event === undefined) {
      event = target[kCreateEvent](value, type);
      dispatching.begin(event, target);
    }
    if (listener.passive) {
      dispatching.enterPassive(event);
      callListener(target, callback, event);
      dispatching.leavePassive(event);
    } else {
      callListener(target, callback, event);
    }
  }
  if (list.items === items && list.walkers > 0) list.walkers--;
  if (event !== undefined) dispatching.end(event);
  return event;
}

class EventTarget {
  #lists = new Map();
  #handlers;
  #maxListeners;
  #warned = false;

  static {
    listsOf = (target) => target.#lists;
    isEventTarget = (value) => value !== null && (typeof value === 'object' || typeof value === 'function') &&
      #lists in value;
  }

  addEventListener(type, listener, options = undefined) {
    if (!isEventTarget(this)) throw new ERR_INVALID_THIS('EventTarget');
    if (arguments.length < 2) throw new ERR_MISSING_ARGS('type', 'listener');
    const parsed = listenerOptions(options);
    validateAbortSignal(parsed.signal, 'options.signal');
    const name = typeString(type);
    if (!checkListener(listener)) {
      warnIgnored(this, type, listener);
      return;
    }
    if (parsed.signal !== undefined) {
      if (parsed.signal.aborted) return;
      removeOnAbort(this, name, listener, parsed);
    }
    addListener(this, name, listener, parsed, false);
  }

  removeEventListener(type, listener, options = undefined) {
    if (!isEventTarget(this)) throw new ERR_INVALID_THIS('EventTarget');
    if (arguments.length < 2) throw new ERR_MISSING_ARGS('type', 'listener');
    if (!checkListener(listener)) return;
    const name = typeString(type);
    const found = this.#lists.get(name)?.find(listener, captureOption(options));
    if (found !== undefined) removeListener(this, name, found);
  }

  dispatchEvent(event) {
    if (!isEventTarget(this)) throw new ERR_INVALID_THIS('EventTarget');
    if (arguments.length < 1) throw new ERR_MISSING_ARGS('event');
    if (!isEvent(event)) throw new ERR_INVALID_ARG_TYPE('event', 'Event', event);
    const { type } = event;
    if (dispatching.isOn(event)) throw new ERR_EVENT_RECURSION(type);
    dispatch(this, type, event, event);
    return !event.defaultPrevented;
  }

  [kNewListener](size, type) {
    if (size <= 10 && this.#maxListeners === undefined) return;
    const limit = this[kMaxEventTargetListeners];
    if (limit > 0 && size > limit && !this.#warned) {
      this.#warned = true;
      warnLeak(this, type, size, limit);
    }
  }

  [kRemoveListener]() {}

  [kCreateEvent](value, type) {
    return new CustomEvent(type, { detail: value });
  }

  get [kMaxEventTargetListeners]() {
    return this.#maxListeners ?? require('events').defaultMaxListeners;
  }

  set [kMaxEventTargetListeners](limit) { this.#maxListeners = limit; }
  get [kMaxEventTargetListenersWarned]() { return this.#warned; }
  set [kMaxEventTargetListenersWarned](warned) { this.#warned = warned; }

  /** The values of handler attributes such as `onmessage`, by event type. */
  static handlers(target) {
    return target.#handlers ??= new Map();
  }

  [inspectSymbol](depth, options) {
    if (!isEventTarget(this)) throw new ERR_INVALID_THIS('EventTarget');
    const { name } = this.constructor;
    if (depth < 0) return name;
    const { inspect } = require('util');
    const inner = { ...options, depth: Number.isInteger(options.depth) ? options.depth - 1 : options.depth };
    return `${name} ${inspect({}, inner)}`;
  }
}

// By this symbol libraries tell an EventTarget from an EventEmitter.
EventTarget[Symbol.for('nodejs.event_target')] = true;
const handlersOf = EventTarget.handlers;
delete EventTarget.handlers;
makeEnumerable(EventTarget.prototype, ['addEventListener', 'removeEventListener', 'dispatchEvent']);
setTag(EventTarget);

const once = { capture: false, once: true, passive: false };
const always = { capture: false, once: false, passive: false };

/** An EventTarget with the names of EventEmitter; listeners added by those get values rather than events. */
class NodeEventTarget extends EventTarget {
  setMaxListeners(n) {
    if (!isNodeEventTarget(this)) throw new ERR_INVALID_THIS('NodeEventTarget');
    require('events').setMaxListeners(n, this);
  }

  getMaxListeners() {
    if (!isNodeEventTarget(this)) throw new ERR_INVALID_THIS('NodeEventTarget');
    return this[kMaxEventTargetListeners];
  }

  eventNames() {
    if (!isNodeEventTarget(this)) throw new ERR_INVALID_THIS('NodeEventTarget');
    return [...listsOf(this).keys()];
  }

  listenerCount(type) {
    if (!isNodeEventTarget(this)) throw new ERR_INVALID_THIS('NodeEventTarget');
    return listsOf(this).get(`${type}`)?.items.length ?? 0;
  }

  off(type, listener, options) {
    if (!isNodeEventTarget(this)) throw new ERR_INVALID_THIS('NodeEventTarget');
    this.removeEventListener(type, listener, options);
    return this;
  }

  removeListener(type, listener, options) {
    if (!isNodeEventTarget(this)) throw new ERR_INVALID_THIS('NodeEventTarget');
    this.removeEventListener(type, listener, options);
    return this;
  }

  on(type, listener) {
    if (!isNodeEventTarget(this)) throw new ERR_INVALID_THIS('NodeEventTarget');
    if (checkListener(listener)) addListener(this, typeString(type), listener, always, true);
    return this;
  }

  addListener(type, listener) {
    if (!isNodeEventTarget(this)) throw new ERR_INVALID_THIS('NodeEventTarget');
    if (checkListener(listener)) addListener(this, typeString(type), listener, always, true);
    return this;
  }

  emit(type, arg) {
    if (!isNodeEventTarget(this)) throw new ERR_INVALID_THIS('NodeEventTarget');
    const name = typeString(type);
    const had = this.listenerCount(name) > 0;
    dispatch(this, name, arg, undefined);
    return had;
  }

  once(type, listener) {
    if (!isNodeEventTarget(this)) throw new ERR_INVALID_THIS('NodeEventTarget');
    if (checkListener(listener)) addListener(this, typeString(type), listener, once, true);
    return this;
  }

  removeAllListeners(type) {
    if (!isNodeEventTarget(this)) throw new ERR_INVALID_THIS('NodeEventTarget');
    const types = type === undefined ? [...listsOf(this).keys()] : [`${type}`];
    for (const name of types) {
      for (const listener of listsOf(this).get(name)?.items.slice() ?? []) removeListener(this, name, listener);
    }
    return this;
  }
}

makeEnumerable(NodeEventTarget.prototype, [
  'setMaxListeners', 'getMaxListeners', 'eventNames', 'listenerCount', 'off', 'removeListener', 'on', 'addListener',
  'emit', 'once', 'removeAllListeners',
]);
Object.defineProperty(NodeEventTarget, 'defaultMaxListeners', { __proto__: null, value: 10, enumerable: true });

function isNodeEventTarget(value) {
  return value instanceof NodeEventTarget && isEventTarget(value);
}

/**
 * Defines the attribute `onNAME`, which stands in the order of listeners at the place where it was first set.
 * @param {object} prototype
 * @param {string} name
 * @param {string} [event] the event's type, when it is not `name`
 * @param {{enumerable?: boolean}} [options]
 */
function defineEventHandler(prototype, name, event = name, { enumerable = true } = {}) {
  const property = `on${name}`;
  const accessors = {
    get [property]() {
      if (!isEventTarget(this)) throw new ERR_INVALID_THIS('EventTarget');
      return handlersOf(this).get(event)?.handler ?? null;
    },
    set [property](value) {
      if (!isEventTarget(this)) throw new ERR_INVALID_THIS('EventTarget');
      const handlers = handlersOf(this);
      const handler = typeof value === 'function' || (typeof value === 'object' && value !== null) ? value : null;
      const slot = handlers.get(event);
      if (slot !== undefined) {
        if (handler === null) {
          handlers.delete(event);
          this.removeEventListener(event, slot.listener);
        } else {
          slot.handler = handler;
        }
        return;
      }
      if (handler === null) return;
      const added = {
        handler,
        listener(argument) {
          return typeof added.handler === 'function' ? added.handler.call(this, argument) : undefined;
        },
      };
      handlers.set(event, added);
      this.addEventListener(event, added.listener);
    },
  };
  Object.defineProperty(prototype, property, {
    ...Object.getOwnPropertyDescriptor(accessors, property), __proto__: null, enumerable, configurable: true,
  });
}

/** The callbacks for a type, for `events.getEventListeners`. */
function listenersOf(target, type) {
  const callbacks = [];
  for (const listener of listsOf(target).get(`${type}`)?.items ?? []) {
    const callback = listener.get();
    if (callback !== undefined) callbacks.push(callback);
  }
  return callbacks;
}

module.exports = {
  Event,
  CustomEvent,
  EventTarget,
  NodeEventTarget,
  defineEventHandler,
  dispatch,
  isEventTarget,
  listenersOf,
  kCreateEvent,
  kNewListener,
  kRemoveListener,
  kResistStopPropagation,
  kTrustEvent,
  kWeakHandler,
};
