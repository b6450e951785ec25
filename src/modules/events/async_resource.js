'use strict';

// EventEmitterAsyncResource: an emitter whose listeners run in an async context of its own.

const EventEmitter = require('events');
const { AsyncResource } = require('async_hooks');
const {
  codes: { ERR_INVALID_THIS },
} = require('#internal/errors');
const { validateString } = require('#internal/validators');

const kEventEmitter = Symbol('kEventEmitter');

class EventEmitterReferencingAsyncResource extends AsyncResource {
  constructor(emitter, type, options) {
    super(type, options);
    this[kEventEmitter] = emitter;
  }

  get eventEmitter() {
    if (this[kEventEmitter] === undefined) throw new ERR_INVALID_THIS('EventEmitterReferencingAsyncResource');
    return this[kEventEmitter];
  }
}

class EventEmitterAsyncResource extends EventEmitter {
  #asyncResource;

  /** @param {{ name?: string, triggerAsyncId?: number, requireManualDestroy?: boolean }} [options] */
  constructor(options = undefined) {
    let name;
    if (typeof options === 'string') {
      name = options;
      options = undefined;
    } else {
      if (new.target === EventEmitterAsyncResource) validateString(options?.name, 'options.name');
      name = options?.name || new.target.name;
    }
    super(options);
    this.#asyncResource = new EventEmitterReferencingAsyncResource(this, name, options);
  }

  emit(event, ...args) {
    return this.#asyncResource.runInAsyncScope(super.emit, this, event, ...args);
  }

  emitDestroy() {
    this.#asyncResource.emitDestroy();
  }

  get asyncId() {
    return this.#asyncResource.asyncId();
  }

  get triggerAsyncId() {
    return this.#asyncResource.triggerAsyncId();
  }

  get asyncResource() {
    return this.#asyncResource;
  }
}

module.exports = EventEmitterAsyncResource;
