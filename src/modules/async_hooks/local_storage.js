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
    context.removeStore(this);
  }

  enterWith(data) {
    context.set(context.withStore(context.snapshot(), this, data));
  }

  run(data, fn, ...args) {
    // Nothing to enter, nothing to leave.
    if (Object.is(data, this.getStore())) return fn(...args);
    return context.runWith(this, data, fn, args);
  }

  exit(fn, ...args) {
    return this.run(undefined, fn, ...args);
  }

  getStore() {
    return context.read(this, this.#defaultValue);
  }
}

module.exports = { AsyncLocalStorage };
