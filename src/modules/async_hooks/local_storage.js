'use strict';

// AsyncLocalStorage over the frames of context.js.

const context = require('#async_hooks/context');
const { validateObject } = require('#internal/validators');

class AsyncLocalStorage {
  #defaultValue;
  #name;

  static bind(fn) {
    return require('async_hooks').AsyncResource.bind(fn);
  }

  static snapshot() {
    return AsyncLocalStorage.bind((fn, ...args) => fn(...args));
  }

  /** @param {{ defaultValue?: unknown, name?: string }} [options] */
  constructor(options = {}) {
    validateObject(options, 'options');
    this.#defaultValue = options.defaultValue;
    if (options.name !== undefined) this.#name = `${options.name}`;
  }

  get name() {
    return this.#name || '';
  }

  disable() {
    const frame = context.snapshot();
    if (frame !== undefined) context.set(context.withoutStore(frame, this));
  }

  enterWith(data) {
    context.set(context.withStore(context.snapshot(), this, data));
  }

  run(data, fn, ...args) {
    const previous = context.snapshot();
    context.set(context.withStore(previous, this, data));
    try {
      return fn(...args);
    } finally {
      context.set(previous);
    }
  }

  exit(fn, ...args) {
    return this.run(undefined, fn, ...args);
  }

  getStore() {
    return context.read(this, this.#defaultValue);
  }
}

module.exports = { AsyncLocalStorage };
