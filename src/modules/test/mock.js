'use strict';

// Mocks: functions that record their calls, methods, accessors and properties that are replaced for a while.

const {
  codes: { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE },
} = require('#internal/errors');
const { validateBoolean, validateFunction, validateInteger, validateObject } =
  require('#internal/validators');
const { kEmptyObject } = require('#internal/util');

const isFunctionOrObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

let nextImplementation;
let addCall;

/** What is known about one mocked function: fn.mock. */
class MockFunctionContext {
  #calls = [];
  #implementation;
  #onces = new Map();
  #restore;
  #times;

  static {
    addCall = (context, call) => context.#calls.push(call);
    nextImplementation = (context) => context.#next();
  }

  constructor(implementation, restore, times) {
    this.#implementation = implementation;
    this.#restore = restore;
    this.#times = times;
  }

  get calls() {
    return this.#calls.slice();
  }

  callCount() {
    return this.#calls.length;
  }

  mockImplementation(implementation) {
    validateFunction(implementation, 'implementation');
    this.#implementation = implementation;
  }

  mockImplementationOnce(implementation, onCall) {
    validateFunction(implementation, 'implementation');
    const nextCall = this.#calls.length;
    const call = onCall ?? nextCall;
    validateInteger(call, 'onCall', nextCall);
    this.#onces.set(call, implementation);
  }

  restore() {
    const { descriptor, object, original, methodName } = this.#restore;
    if (typeof methodName === 'string' || typeof methodName === 'symbol') {
      Object.defineProperty(object, methodName, descriptor);
    } else {
      this.#implementation = original;
    }
    this.#onces.clear();
  }

  resetCalls() {
    this.#calls = [];
  }

  #next() {
    const count = this.#calls.length;
    const once = this.#onces.get(count);
    const implementation = once ?? this.#implementation;
    if (count + 1 === this.#times) this.restore();
    this.#onces.delete(count);
    return implementation;
  }
}

/** What is known about one mocked property. */
class MockPropertyContext {
  #object;
  #name;
  #value;
  #original;
  #descriptor;
  #accesses = [];
  #onces = new Map();

  constructor(object, name, value, hasValue) {
    this.#object = object;
    this.#name = name;
    this.#original = object[name];
    this.#value = hasValue ? value : this.#original;
    this.#descriptor = Object.getOwnPropertyDescriptor(object, name);
    if (!this.#descriptor) throw new ERR_INVALID_ARG_VALUE('propertyName', name, 'is not a property of the object');
    const { configurable, enumerable } = this.#descriptor;
    Object.defineProperty(object, name, {
      __proto__: null,
      configurable,
      enumerable,
      get: () => {
        const next = this.#next();
        this.#track({ __proto__: null, type: 'get', value: next, stack: new Error() });
        return next;
      },
      set: (value) => { this.mockImplementation(value); },
    });
  }

  #track(access) {
    this.#accesses.push(access);
  }

  #next() {
    const count = this.#accesses.length;
    if (!this.#onces.has(count)) return this.#value;
    const value = this.#onces.get(count);
    this.#onces.delete(count);
    return value;
  }

  get accesses() {
    return this.#accesses.slice();
  }

  accessCount() {
    return this.#accesses.length;
  }

  mockImplementation(value) {
    if (!this.#descriptor.writable) {
      throw new ERR_INVALID_ARG_VALUE('propertyName', this.#name, 'cannot be set');
    }
    this.#track({ __proto__: null, type: 'set', value, stack: new Error() });
    this.#value = value;
  }

  mockImplementationOnce(value, onAccess) {
    const nextAccess = this.#accesses.length;
    const access = onAccess ?? nextAccess;
    validateInteger(access, 'onAccess', nextAccess);
    this.#onces.set(access, value);
  }

  resetAccesses() {
    this.#accesses = [];
  }

  restore() {
    Object.defineProperty(this.#object, this.#name, {
      __proto__: null, ...this.#descriptor, value: this.#original,
    });
  }
}

function findDescriptor(object, name) {
  for (let holder = object; holder !== null; holder = Object.getPrototypeOf(holder)) {
    const descriptor = Object.getOwnPropertyDescriptor(holder, name);
    if (descriptor !== undefined) return descriptor;
  }
  return undefined;
}

function validateTimes(times, name) {
  if (times !== Infinity) validateInteger(times, name, 1);
}

function validateName(name, label) {
  if (typeof name !== 'string' && typeof name !== 'symbol') {
    throw new ERR_INVALID_ARG_TYPE(label, ['string', 'symbol'], name);
  }
}

/** What is known about one call. */
function makeCall(args, target, thisArg) {
  return { arguments: args, error: undefined, result: undefined, stack: new Error(), target, this: thisArg };
}

class MockTracker {
  #mocks = [];
  #timers;

  get timers() {
    this.#timers ??= new (require('#test/mock_timers').MockTimers)();
    return this.#timers;
  }

  fn(original = function() {}, implementation = original, options = kEmptyObject) {
    if (original !== null && typeof original === 'object') {
      options = original;
      original = function() {};
      implementation = original;
    } else if (implementation !== null && typeof implementation === 'object') {
      options = implementation;
      implementation = original;
    }
    validateFunction(original, 'original');
    validateFunction(implementation, 'implementation');
    validateObject(options, 'options');
    const { times = Infinity } = options;
    validateTimes(times, 'options.times');
    const context = new MockFunctionContext(implementation, { __proto__: null, original }, times);
    return this.#proxy(original, context);
  }

  method(object, methodName, implementation = undefined, options = kEmptyObject) {
    if (!isFunctionOrObject(object)) throw new ERR_INVALID_ARG_TYPE('objectOrFunction', ['Object', 'Function'], object);
    validateName(methodName, 'methodName');
    if (implementation !== null && typeof implementation === 'object') {
      options = implementation;
      implementation = undefined;
    }
    validateObject(options, 'options');
    const { getter = false, setter = false, times = Infinity } = options;
    validateBoolean(getter, 'options.getter');
    validateBoolean(setter, 'options.setter');
    validateTimes(times, 'options.times');
    if (setter && getter) {
      throw new ERR_INVALID_ARG_VALUE('options.setter', setter, "cannot be used with 'options.getter'");
    }
    const descriptor = findDescriptor(object, methodName);
    const original = getter ? descriptor?.get : setter ? descriptor?.set : descriptor?.value;
    if (typeof original !== 'function') {
      throw new ERR_INVALID_ARG_VALUE('methodName', original, 'must be a method');
    }
    implementation ??= original;
    validateFunction(implementation, 'implementation');
    const restore = { __proto__: null, descriptor, object, methodName };
    const mock = this.#proxy(original, new MockFunctionContext(implementation, restore, times));
    const { configurable, enumerable } = descriptor;
    const replacement = { __proto__: null, configurable, enumerable };
    if (getter) Object.assign(replacement, { get: mock, set: descriptor.set });
    else if (setter) Object.assign(replacement, { get: descriptor.get, set: mock });
    else Object.assign(replacement, { writable: descriptor.writable, value: mock });
    Object.defineProperty(object, methodName, replacement);
    return mock;
  }

  getter(object, methodName, implementation = undefined, options = kEmptyObject) {
    if (implementation !== null && typeof implementation === 'object') {
      options = implementation;
      implementation = undefined;
    } else {
      validateObject(options, 'options');
    }
    const { getter = true } = options;
    if (getter === false) throw new ERR_INVALID_ARG_VALUE('options.getter', getter, 'cannot be false');
    return this.method(object, methodName, implementation, { ...options, getter });
  }

  setter(object, methodName, implementation = undefined, options = kEmptyObject) {
    if (implementation !== null && typeof implementation === 'object') {
      options = implementation;
      implementation = undefined;
    } else {
      validateObject(options, 'options');
    }
    const { setter = true } = options;
    if (setter === false) throw new ERR_INVALID_ARG_VALUE('options.setter', setter, 'cannot be false');
    return this.method(object, methodName, implementation, { ...options, setter });
  }

  property(object, propertyName, value) {
    if (!isFunctionOrObject(object)) throw new ERR_INVALID_ARG_TYPE('object', ['Object', 'Function'], object);
    validateName(propertyName, 'propertyName');
    const context = new MockPropertyContext(object, propertyName, value, arguments.length > 2);
    this.#mocks.push(context);
    return new Proxy(object, {
      __proto__: null,
      get(target, property, receiver) {
        return property === 'mock' ? context : Reflect.get(target, property, receiver);
      },
    });
  }

  module(specifier, options) {
    const { getOptionValue } = require('#runtime/options');
    if (!getOptionValue('--experimental-test-module-mocks')) {
      const { codes: { ERR_INVALID_STATE } } = require('#internal/errors');
      throw new ERR_INVALID_STATE('mock.module() needs the option --experimental-test-module-mocks');
    }
    const context = require('#test/mock_module').create(specifier, options);
    this.#mocks.push(context);
    return context;
  }

  reset() {
    this.restoreAll();
    this.#timers?.reset();
    this.#mocks = [];
  }

  restoreAll() {
    for (const mock of this.#mocks) mock.restore();
  }

  #proxy(original, context) {
    const mock = new Proxy(original, {
      __proto__: null,
      apply(target, thisArg, args) {
        const fn = nextImplementation(context);
        const call = makeCall(args, undefined, thisArg);
        try {
          call.result = Reflect.apply(fn, thisArg, args);
          return call.result;
        } catch (error) {
          call.error = error;
          throw error;
        } finally {
          addCall(context, call);
        }
      },
      construct(target, args, newTarget) {
        const fn = nextImplementation(context);
        const call = makeCall(args, target, undefined);
        try {
          call.result = Reflect.construct(fn, args, newTarget);
          call.this = call.result;
          return call.result;
        } catch (error) {
          call.error = error;
          throw error;
        } finally {
          addCall(context, call);
        }
      },
      get(target, property, receiver) {
        return property === 'mock' ? context : Reflect.get(target, property, receiver);
      },
    });
    this.#mocks.push(context);
    return mock;
  }
}

module.exports = { MockTracker };
