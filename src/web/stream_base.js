'use strict';

// What the classes of the Streams Standard share: queues with sizes, promises with their functions, strategies.

const {
  codes: {
    ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_STATE, ERR_MISSING_OPTION,
  },
} = require('#internal/errors');
const { validateObject } = require('#internal/validators');
const { makeEnumerable, setTag } = require('#web/event');
const { inspectFields, inspectSymbol } = require('#web/inspect');

/** The internal state of a stream, reader, writer or controller ("internal slots"). */
const kState = Symbol('kState');
/** What only these files can pass to constructors that programs must not call. */
const kConstruct = Symbol('kConstruct');

// By these symbols node:stream asks about a web stream.
const kIsDisturbed = Symbol.for('nodejs.stream.disturbed');
const kIsErrored = Symbol.for('nodejs.stream.errored');
const kIsReadable = Symbol.for('nodejs.stream.readable');
const kIsWritable = Symbol.for('nodejs.stream.writable');
const kIsClosedPromise = Symbol.for('nodejs.webstream.isClosedPromise');
const kControllerErrorFunction = Symbol.for('nodejs.webstream.controllerErrorFunction');

/** A first-in first-out queue whose entries have sizes ("queue-with-sizes"). */
class SizedQueue {
  #values = [];
  #sizes = [];
  #head = 0;
  total = 0;

  get length() { return this.#values.length - this.#head; }

  push(value, size) {
    size = Number(size);
    if (typeof size !== 'number' || Number.isNaN(size) || size < 0 || size === Infinity) {
      throw new ERR_INVALID_ARG_VALUE.RangeError('size', size);
    }
    this.#values.push(value);
    this.#sizes.push(size);
    this.total += size;
  }

  shift() {
    const value = this.#values[this.#head];
    this.total -= this.#sizes[this.#head];
    if (this.total < 0) this.total = 0;
    this.#values[this.#head] = undefined;
    if (++this.#head === this.#values.length) {
      this.#values = [];
      this.#sizes = [];
      this.#head = 0;
    } else if (this.#head > 1024 && this.#head * 2 > this.#values.length) {
      this.#values = this.#values.slice(this.#head);
      this.#sizes = this.#sizes.slice(this.#head);
      this.#head = 0;
    }
    return value;
  }

  peek() { return this.#values[this.#head]; }

  clear() {
    this.#values = [];
    this.#sizes = [];
    this.#head = 0;
    this.total = 0;
  }
}

function nop() {}

const promiseThen = Promise.prototype.then;

/** `promise.then`, whatever a program has put in its place: the standard's steps must not be seen. */
function then(promise, onFulfilled, onRejected) {
  return Reflect.apply(promiseThen, promise, [onFulfilled, onRejected]);
}

/** A promise whose rejection nobody need handle. */
function handled(promise) {
  then(promise, undefined, nop);
  return promise;
}

/** A promise with its functions, which knows whether it has been settled. */
class Deferred {
  promise;
  settled = false;
  #resolve;
  #reject;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  resolve(value) {
    this.settled = true;
    this.#resolve(value);
  }

  reject(error) {
    this.settled = true;
    this.#reject(error);
  }
}

function deferred() {
  return new Deferred();
}

function resolvedDeferred(value) {
  return { promise: Promise.resolve(value), settled: true, resolve: nop, reject: nop };
}

function rejectedDeferred(error) {
  return { promise: handled(Promise.reject(error)), settled: true, resolve: nop, reject: nop };
}

/** Runs steps when a promise settles; what they throw is a bug of ours and becomes an uncaught exception. */
function uponPromise(promise, onFulfilled, onRejected) {
  then(then(promise, onFulfilled, onRejected), undefined, (error) => {
    process.nextTick(() => { throw error; });
  });
}

/**
 * Calls a method of an underlying source or sink; a throw becomes a rejection. The promise is always a new one, as Web
 * IDL makes it of what a method returns: that decides which of two things that happen together comes first.
 */
function callAsync(method, receiver, ...args) {
  return new Promise((resolve) => resolve(Reflect.apply(method, receiver, args)));
}

/** A method of an underlying object as a function of promises, or undefined if it has none. */
function methodOf(object, name, owner) {
  const method = object?.[name];
  if (method === undefined) return undefined;
  if (typeof method !== 'function') throw new ERR_INVALID_ARG_TYPE(`${owner}.${name}`, 'function', method);
  return method;
}

const nullableObject = { allowArray: true, allowFunction: true, nullable: true };

function highWaterMarkOf(strategy, byDefault) {
  if (strategy?.highWaterMark === undefined) return byDefault;
  const value = +strategy.highWaterMark;
  if (Number.isNaN(value) || value < 0) {
    throw new ERR_INVALID_ARG_VALUE.RangeError('strategy.highWaterMark', value);
  }
  return value;
}

const one = () => 1;

function sizeOf(strategy) {
  const size = strategy?.size;
  if (size === undefined) return one;
  if (typeof size !== 'function') throw new ERR_INVALID_ARG_TYPE('strategy.size', 'function', size);
  return (chunk) => Reflect.apply(size, undefined, [chunk]);
}

function invalidState(message) {
  return new ERR_INVALID_STATE.TypeError(message);
}

/** Gives a class its look in util.inspect. */
function defineInspect(constructor, fieldsOf) {
  Object.defineProperty(constructor.prototype, inspectSymbol, {
    __proto__: null,
    configurable: true,
    writable: true,
    value(depth, options) { return inspectFields(constructor.name, fieldsOf(this), depth, options); },
  });
}

/** The last touches of a class: enumerable members, tag, inspection. */
function finish(constructor, members, fieldsOf = () => ({})) {
  makeEnumerable(constructor.prototype, members);
  setTag(constructor);
  defineInspect(constructor, fieldsOf);
}

function checkInit(init) {
  validateObject(init, 'init', { allowFunction: true });
  if (init.highWaterMark === undefined) throw new ERR_MISSING_OPTION('init.highWaterMark');
  return +init.highWaterMark;
}

const byteLengthSize = Object.defineProperty((chunk) => chunk.byteLength, 'name', {
  __proto__: null, value: 'size',
});
const countSize = Object.defineProperty(() => 1, 'name', { __proto__: null, value: 'size' });

class ByteLengthQueuingStrategy {
  #highWaterMark;
  #byteSizeFunction = byteLengthSize;

  constructor(init) {
    this.#highWaterMark = checkInit(init);
  }

  get highWaterMark() { return this.#highWaterMark; }
  get size() { return this.#byteSizeFunction; }
}

class CountQueuingStrategy {
  #highWaterMark;
  #countSizeFunction = countSize;

  constructor(init) {
    this.#highWaterMark = checkInit(init);
  }

  get highWaterMark() { return this.#highWaterMark; }
  get size() { return this.#countSizeFunction; }
}

for (const constructor of [ByteLengthQueuingStrategy, CountQueuingStrategy]) {
  finish(constructor, ['highWaterMark', 'size'], (strategy) => ({ highWaterMark: strategy.highWaterMark }));
}

module.exports = {
  ByteLengthQueuingStrategy,
  CountQueuingStrategy,
  SizedQueue,
  callAsync,
  deferred,
  finish,
  handled,
  highWaterMarkOf,
  invalidState,
  kConstruct,
  kControllerErrorFunction,
  kIsClosedPromise,
  kIsDisturbed,
  kIsErrored,
  kIsReadable,
  kIsWritable,
  kState,
  methodOf,
  nop,
  nullableObject,
  rejectedDeferred,
  resolvedDeferred,
  sizeOf,
  then,
  uponPromise,
};
