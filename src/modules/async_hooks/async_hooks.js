'use strict';

// node:async_hooks.

const {
  kAsyncId, kTriggerAsyncId, symbols, newAsyncId, executionAsyncId, triggerAsyncId, executionAsyncResource,
  getDefaultTriggerAsyncId, emitInit, emitBefore, emitAfter, emitDestroy, registerDestroyHook,
  initHooksExist, destroyHooksExist, enabledHooksExist, enableHook, disableHook,
} = require('#async_hooks/hooks');
const context = require('#async_hooks/context');
const { providers } = require('#async_hooks/providers');
const {
  codes: { ERR_ASYNC_CALLBACK, ERR_ASYNC_TYPE, ERR_INVALID_ASYNC_ID },
} = require('#internal/errors');
const { validateFunction, validateString } = require('#internal/validators');
const { deprecate } = require('#internal/util');

const kContextFrame = Symbol('context_frame');
const kDestroyed = Symbol('destroyed');

class AsyncHook {
  constructor({ init, before, after, destroy, promiseResolve }) {
    this[symbols.init] = init;
    this[symbols.before] = before;
    this[symbols.after] = after;
    this[symbols.destroy] = destroy;
    this[symbols.promiseResolve] = promiseResolve;
    this[symbols.kNoPromiseHook] = false;
  }

  enable() {
    enableHook(this);
    return this;
  }

  disable() {
    disableHook(this);
    return this;
  }
}

/**
 * @param {{ init?: Function, before?: Function, after?: Function, destroy?: Function,
 *   promiseResolve?: Function }} fns
 */
function createHook(fns) {
  for (const name of ['init', 'before', 'after', 'destroy', 'promiseResolve']) {
    const fn = fns[name];
    if (fn !== undefined && typeof fn !== 'function') throw new ERR_ASYNC_CALLBACK(`hook.${name}`);
  }
  return new AsyncHook(fns);
}

class AsyncResource {
  constructor(type, options = {}) {
    validateString(type, 'type');
    let triggerId = options;
    let requireManualDestroy = false;
    if (typeof options !== 'number') {
      triggerId = options.triggerAsyncId === undefined ? getDefaultTriggerAsyncId() : options.triggerAsyncId;
      requireManualDestroy = !!options.requireManualDestroy;
    }
    if (!Number.isSafeInteger(triggerId) || triggerId < -1) {
      throw new ERR_INVALID_ASYNC_ID('triggerAsyncId', triggerId);
    }

    this[kContextFrame] = context.snapshot();
    const asyncId = newAsyncId();
    this[kAsyncId] = asyncId;
    this[kTriggerAsyncId] = triggerId;

    if (initHooksExist()) {
      if (enabledHooksExist() && type.length === 0) throw new ERR_ASYNC_TYPE(type);
      emitInit(asyncId, type, triggerId, this);
    }
    if (!requireManualDestroy && destroyHooksExist()) {
      // A separate object, since the registry must not keep the resource itself alive.
      const state = { destroyed: false };
      this[kDestroyed] = state;
      registerDestroyHook(this, asyncId, state);
    }
  }

  runInAsyncScope(fn, thisArg, ...args) {
    const asyncId = this[kAsyncId];
    emitBefore(asyncId, this[kTriggerAsyncId], this);
    const previous = context.exchange(this[kContextFrame]);
    try {
      return Reflect.apply(fn, thisArg, args);
    } finally {
      context.exchange(previous);
      emitAfter(asyncId);
    }
  }

  emitDestroy() {
    if (this[kDestroyed] !== undefined) this[kDestroyed].destroyed = true;
    emitDestroy(this[kAsyncId]);
    return this;
  }

  asyncId() {
    return this[kAsyncId];
  }

  triggerAsyncId() {
    return this[kTriggerAsyncId];
  }

  bind(fn, thisArg) {
    validateFunction(fn, 'fn');
    let bound;
    if (thisArg === undefined) {
      const resource = this;
      bound = function(...args) {
        return Reflect.apply(resource.runInAsyncScope, resource, [fn, this, ...args]);
      };
    } else {
      bound = this.runInAsyncScope.bind(this, fn, thisArg);
    }
    let self = this;
    Object.defineProperties(bound, {
      length: { __proto__: null, configurable: true, enumerable: false, value: fn.length, writable: false },
      asyncResource: {
        __proto__: null,
        configurable: true,
        enumerable: true,
        get: deprecate(function() {
          return self;
        }, 'The asyncResource property on bound functions is deprecated', 'DEP0172'),
        set: deprecate(function(value) {
          self = value;
        }, 'The asyncResource property on bound functions is deprecated', 'DEP0172'),
      },
    });
    return bound;
  }

  static bind(fn, type, thisArg) {
    type ||= fn.name;
    return (new AsyncResource(type || 'bound-anonymous-fn')).bind(fn, thisArg);
  }
}

module.exports = {
  get AsyncLocalStorage() {
    return require('#async_hooks/local_storage').AsyncLocalStorage;
  },
  createHook,
  executionAsyncId,
  triggerAsyncId,
  executionAsyncResource,
  asyncWrapProviders: Object.freeze(providers),
  AsyncResource,
};
