'use strict';

// Event and CustomEvent (DOM, clause 2.2). There is no tree, so an event's path is its target alone.

const { codes: { ERR_INVALID_THIS, ERR_MISSING_ARGS } } = require('#internal/errors');
const { validateObject } = require('#internal/validators');

/** Option of the Event constructor: the event comes from the platform, `isTrusted` is true. */
const kTrustEvent = Symbol('kTrustEvent');

const kAtTarget = 2;
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');
const nullableObject = { allowArray: true, nullable: true };

const { now } = binding('performance');

function invalidThis(name) {
  throw new ERR_INVALID_THIS(name);
}

// The flags of an event.
const kBubbles = 1;
const kCancelable = 2;
const kComposed = 4;
const kTrusted = 8;
const kDispatching = 16;
const kInPassiveListener = 32;
const kStopImmediate = 64;
const kStopPropagation = 128;
const kCanceled = 256;

/** Whether a value is an event. */
let isEvent;
/** How a dispatch reaches into an event; set by Event's static block. */
const dispatching = {};

class Event {
  #type;
  #timeStamp;
  #target = null;
  #flags = 0;

  static {
    isEvent = (value) => typeof value === 'object' && value !== null && #flags in value;
    dispatching.begin = (event, target) => {
      event.#target = target;
      event.#flags |= kDispatching;
    };
    dispatching.end = (event) => { event.#flags &= ~(kDispatching | kStopImmediate | kStopPropagation); };
    dispatching.isOn = (event) => (event.#flags & kDispatching) !== 0;
    dispatching.isStopped = (event) => (event.#flags & kStopImmediate) !== 0;
    dispatching.enterPassive = (event) => { event.#flags |= kInPassiveListener; };
    dispatching.leavePassive = (event) => { event.#flags &= ~kInPassiveListener; };
  }

  constructor(type, options = undefined) {
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('type');
    if (options !== undefined && options !== null) {
      validateObject(options, 'options', nullableObject);
      this.#flags = (options.bubbles ? kBubbles : 0) | (options.cancelable ? kCancelable : 0) |
        (options.composed ? kComposed : 0) | (options[kTrustEvent] ? kTrusted : 0);
    }
    this.#type = `${type}`;
    this.#timeStamp = now();
  }

  initEvent(type, bubbles = false, cancelable = false) {
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('type');
    if (!isEvent(this)) invalidThis('Event');
    if (this.#flags & kDispatching) return;
    this.#type = `${type}`;
    this.#flags = (this.#flags & ~(kBubbles | kCancelable)) | (bubbles ? kBubbles : 0) | (cancelable ? kCancelable : 0);
  }

  stopImmediatePropagation() {
    if (!isEvent(this)) invalidThis('Event');
    this.#flags |= kStopPropagation | kStopImmediate;
  }

  preventDefault() {
    if (!isEvent(this)) invalidThis('Event');
    if ((this.#flags & (kCancelable | kInPassiveListener)) === kCancelable) this.#flags |= kCanceled;
  }

  get target() {
    return isEvent(this) ? this.#target : invalidThis('Event');
  }

  get currentTarget() {
    if (!isEvent(this)) invalidThis('Event');
    return this.#flags & kDispatching ? this.#target : null;
  }

  get srcElement() {
    return isEvent(this) ? this.#target : invalidThis('Event');
  }

  get type() {
    return isEvent(this) ? this.#type : invalidThis('Event');
  }

  get cancelable() {
    return isEvent(this) ? (this.#flags & kCancelable) !== 0 : invalidThis('Event');
  }

  get defaultPrevented() {
    if (!isEvent(this)) invalidThis('Event');
    return (this.#flags & kCancelable) !== 0 && (this.#flags & kCanceled) !== 0;
  }

  get timeStamp() {
    return isEvent(this) ? this.#timeStamp : invalidThis('Event');
  }

  composedPath() {
    if (!isEvent(this)) invalidThis('Event');
    return this.#flags & kDispatching ? [this.#target] : [];
  }

  get returnValue() {
    if (!isEvent(this)) invalidThis('Event');
    return (this.#flags & kCancelable) === 0 || (this.#flags & kCanceled) === 0;
  }

  set returnValue(value) {
    if (!isEvent(this)) invalidThis('Event');
    if (!value) this.preventDefault();
  }

  get bubbles() {
    return isEvent(this) ? (this.#flags & kBubbles) !== 0 : invalidThis('Event');
  }

  get composed() {
    return isEvent(this) ? (this.#flags & kComposed) !== 0 : invalidThis('Event');
  }

  get eventPhase() {
    if (!isEvent(this)) invalidThis('Event');
    return this.#flags & kDispatching ? kAtTarget : 0;
  }

  get cancelBubble() {
    return isEvent(this) ? (this.#flags & kStopPropagation) !== 0 : invalidThis('Event');
  }

  set cancelBubble(value) {
    if (!isEvent(this)) invalidThis('Event');
    if (value) this.#flags |= kStopPropagation;
  }

  stopPropagation() {
    if (!isEvent(this)) invalidThis('Event');
    this.#flags |= kStopPropagation;
  }

  get isTrusted() {
    return isEvent(this) ? (this.#flags & kTrusted) !== 0 : invalidThis('Event');
  }

  [inspectSymbol](depth, options) {
    if (!isEvent(this)) invalidThis('Event');
    const name = this.constructor.name;
    if (depth < 0) return name;
    const { inspect } = require('util');
    const fields = {
      type: this.#type,
      defaultPrevented: this.defaultPrevented,
      cancelable: this.cancelable,
      timeStamp: this.#timeStamp,
    };
    const inner = { ...options, depth: Number.isInteger(options.depth) ? options.depth - 1 : options.depth };
    return `${name} ${inspect(fields, inner)}`;
  }
}

/** Makes the named members of a prototype enumerable, as Web IDL wants them. */
function makeEnumerable(prototype, names) {
  for (const name of names) Object.defineProperty(prototype, name, { __proto__: null, enumerable: true });
}

function setTag(constructor) {
  Object.defineProperty(constructor.prototype, Symbol.toStringTag, {
    __proto__: null, configurable: true, value: constructor.name,
  });
}

makeEnumerable(Event.prototype, [
  'initEvent', 'stopImmediatePropagation', 'preventDefault', 'target', 'currentTarget', 'srcElement', 'type',
  'cancelable', 'defaultPrevented', 'timeStamp', 'composedPath', 'returnValue', 'bubbles', 'composed', 'eventPhase',
  'cancelBubble', 'stopPropagation', 'isTrusted',
]);
Object.defineProperty(Event.prototype, 'isTrusted', { __proto__: null, configurable: false });
setTag(Event);
for (const [name, value] of [['NONE', 0], ['CAPTURING_PHASE', 1], ['AT_TARGET', 2], ['BUBBLING_PHASE', 3]]) {
  Object.defineProperty(Event, name, { __proto__: null, value, enumerable: true });
}

class CustomEvent extends Event {
  #detail;

  constructor(type, options = undefined) {
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('type');
    super(type, options);
    this.#detail = options?.detail ?? null;
  }

  get detail() {
    return typeof this === 'object' && this !== null && #detail in this ? this.#detail : invalidThis('CustomEvent');
  }
}

makeEnumerable(CustomEvent.prototype, ['detail']);
setTag(CustomEvent);

module.exports = { Event, CustomEvent, isEvent, dispatching, kTrustEvent, makeEnumerable, setTag };
