'use strict';

// Event and CustomEvent (DOM, clause 2.2). There is no tree, so an event's path is its target alone.

const { codes: { ERR_INVALID_THIS, ERR_MISSING_ARGS } } = require('#internal/errors');
const { validateObject } = require('#internal/validators');

/** Option of the Event constructor: the event comes from the platform, `isTrusted` is true. */
const kTrustEvent = Symbol('kTrustEvent');

const kAtTarget = 2;
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');
const nullableObject = { allowArray: true, nullable: true };

let performanceNow;
function timeStampNow() {
  if (performanceNow === undefined) {
    const { performance } = require('perf_hooks');
    const { now } = performance;
    performanceNow = () => now.call(performance);
  }
  return performanceNow();
}

function invalidThis(name) {
  throw new ERR_INVALID_THIS(name);
}

/** What the dispatch keeps of an event, and whether a value is one; both reach into Event's private state. */
let stateOf;
let isEvent;

class State {
  target = null;
  dispatching = false;
  inPassiveListener = false;
  stopImmediate = false;
  stopPropagation = false;
  canceled = false;
}

class Event {
  #type;
  #bubbles = false;
  #cancelable = false;
  #composed = false;
  #trusted = false;
  #timeStamp;
  #state = new State();

  static {
    stateOf = (event) => event.#state;
    isEvent = (value) => typeof value === 'object' && value !== null && #state in value;
  }

  constructor(type, options = undefined) {
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('type');
    if (options !== undefined && options !== null) {
      validateObject(options, 'options', nullableObject);
      this.#bubbles = !!options.bubbles;
      this.#cancelable = !!options.cancelable;
      this.#composed = !!options.composed;
      this.#trusted = !!options[kTrustEvent];
    }
    this.#type = `${type}`;
    this.#timeStamp = timeStampNow();
  }

  initEvent(type, bubbles = false, cancelable = false) {
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('type');
    if (!isEvent(this)) invalidThis('Event');
    if (this.#state.dispatching) return;
    this.#type = `${type}`;
    this.#bubbles = !!bubbles;
    this.#cancelable = !!cancelable;
  }

  stopImmediatePropagation() {
    if (!isEvent(this)) invalidThis('Event');
    this.#state.stopPropagation = true;
    this.#state.stopImmediate = true;
  }

  preventDefault() {
    if (!isEvent(this)) invalidThis('Event');
    if (this.#cancelable && !this.#state.inPassiveListener) this.#state.canceled = true;
  }

  get target() {
    return isEvent(this) ? this.#state.target : invalidThis('Event');
  }

  get currentTarget() {
    if (!isEvent(this)) invalidThis('Event');
    return this.#state.dispatching ? this.#state.target : null;
  }

  get srcElement() {
    return isEvent(this) ? this.#state.target : invalidThis('Event');
  }

  get type() {
    return isEvent(this) ? this.#type : invalidThis('Event');
  }

  get cancelable() {
    return isEvent(this) ? this.#cancelable : invalidThis('Event');
  }

  get defaultPrevented() {
    if (!isEvent(this)) invalidThis('Event');
    return this.#cancelable && this.#state.canceled;
  }

  get timeStamp() {
    return isEvent(this) ? this.#timeStamp : invalidThis('Event');
  }

  composedPath() {
    if (!isEvent(this)) invalidThis('Event');
    return this.#state.dispatching ? [this.#state.target] : [];
  }

  get returnValue() {
    if (!isEvent(this)) invalidThis('Event');
    return !this.#cancelable || !this.#state.canceled;
  }

  set returnValue(value) {
    if (!isEvent(this)) invalidThis('Event');
    if (!value) this.preventDefault();
  }

  get bubbles() {
    return isEvent(this) ? this.#bubbles : invalidThis('Event');
  }

  get composed() {
    return isEvent(this) ? this.#composed : invalidThis('Event');
  }

  get eventPhase() {
    if (!isEvent(this)) invalidThis('Event');
    return this.#state.dispatching ? kAtTarget : 0;
  }

  get cancelBubble() {
    return isEvent(this) ? this.#state.stopPropagation : invalidThis('Event');
  }

  set cancelBubble(value) {
    if (!isEvent(this)) invalidThis('Event');
    if (value) this.#state.stopPropagation = true;
  }

  stopPropagation() {
    if (!isEvent(this)) invalidThis('Event');
    this.#state.stopPropagation = true;
  }

  get isTrusted() {
    return isEvent(this) ? this.#trusted : invalidThis('Event');
  }

  [inspectSymbol](depth, options) {
    if (!isEvent(this)) invalidThis('Event');
    const name = this.constructor.name;
    if (depth < 0) return name;
    const { inspect } = require('util');
    const fields = {
      type: this.#type,
      defaultPrevented: this.defaultPrevented,
      cancelable: this.#cancelable,
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

module.exports = { Event, CustomEvent, isEvent, stateOf, kTrustEvent, makeEnumerable, setTag };
