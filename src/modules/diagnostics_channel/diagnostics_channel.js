'use strict';

// node:diagnostics_channel. A channel without subscribers has the plain class, whose publish does nothing;
// the first subscriber turns it into an ActiveChannel.

const {
  codes: { ERR_INVALID_ARG_TYPE },
} = require('#internal/errors');
const { validateFunction } = require('#internal/validators');

let uncaught;
/** What a subscriber throws is an uncaught exception of its own: the publisher does not see it. */
function throwLater(err) {
  process.nextTick(() => {
    uncaught ??= require('#process/task_queues').triggerUncaughtException;
    uncaught(err, false);
  });
}

// Channels by name, held weakly while nobody subscribes. The holders are made when first needed: a start-up
// snapshot cannot carry weak references.
let channels;
class ChannelMap extends Map {
  #registry = new FinalizationRegistry((name) => {
    if (super.get(name)?.ref.deref() === undefined) this.delete(name);
  });

  find(name) {
    return super.get(name)?.ref.deref();
  }

  add(name, channel) {
    this.#registry.register(channel, name);
    super.set(name, { ref: new WeakRef(channel), strong: null, uses: 0 });
  }

  hold(channel) {
    const entry = super.get(channel.name);
    if (entry === undefined) return;
    entry.uses++;
    entry.strong = channel;
  }

  release(channel) {
    const entry = super.get(channel.name);
    if (entry !== undefined && --entry.uses === 0) entry.strong = null;
  }
}

class StoreMap extends Map {}
Object.defineProperty(StoreMap, 'name', { __proto__: null, value: 'SafeMap' });

function markActive(channel) {
  Object.setPrototypeOf(channel, ActiveChannel.prototype);
  channel._subscribers = [];
  channel._stores = new StoreMap();
}

function maybeMarkInactive(channel) {
  if (channel._subscribers.length > 0 || channel._stores.size > 0) return;
  Object.setPrototypeOf(channel, Channel.prototype);
  channel._subscribers = undefined;
  channel._stores = undefined;
}

const identity = (value) => value;

/** Calls `next` with `store` holding what `transform` makes of `data`. */
function wrapStoreRun(store, data, next, transform = identity) {
  return () => {
    let context;
    try {
      context = transform(data);
    } catch (err) {
      throwLater(err);
      return next();
    }
    return store.run(context, next);
  };
}

class ActiveChannel {
  subscribe(subscription) {
    validateFunction(subscription, 'subscription');
    // A new array, since one may be being published to.
    this._subscribers = this._subscribers.slice();
    this._subscribers.push(subscription);
    channels?.hold(this);
  }

  unsubscribe(subscription) {
    const index = this._subscribers.indexOf(subscription);
    if (index === -1) return false;
    this._subscribers = this._subscribers.toSpliced(index, 1);
    channels?.release(this);
    maybeMarkInactive(this);
    return true;
  }

  bindStore(store, transform) {
    const replacing = this._stores.has(store);
    if (!replacing) channels?.hold(this);
    this._stores.set(store, transform);
  }

  unbindStore(store) {
    if (!this._stores.has(store)) return false;
    this._stores.delete(store);
    channels?.release(this);
    maybeMarkInactive(this);
    return true;
  }

  get hasSubscribers() {
    return true;
  }

  publish(data) {
    const subscribers = this._subscribers;
    for (let i = 0; i < (subscribers?.length || 0); i++) {
      try {
        const onMessage = subscribers[i];
        onMessage(data, this.name);
      } catch (err) {
        throwLater(err);
      }
    }
  }

  runStores(data, fn, thisArg, ...args) {
    let run = () => {
      this.publish(data);
      return Reflect.apply(fn, thisArg, args);
    };
    for (const [store, transform] of this._stores.entries()) run = wrapStoreRun(store, data, run, transform);
    return run();
  }
}

class Channel {
  constructor(name) {
    this._subscribers = undefined;
    this._stores = undefined;
    this.name = name;
    channels ??= new ChannelMap();
    channels.add(name, this);
  }

  static [Symbol.hasInstance](instance) {
    const prototype = Object.getPrototypeOf(instance);
    return prototype === Channel.prototype || prototype === ActiveChannel.prototype;
  }

  subscribe(subscription) {
    markActive(this);
    this.subscribe(subscription);
  }

  unsubscribe() {
    return false;
  }

  bindStore(store, transform) {
    markActive(this);
    this.bindStore(store, transform);
  }

  unbindStore() {
    return false;
  }

  get hasSubscribers() {
    return false;
  }

  publish() {}

  runStores(data, fn, thisArg, ...args) {
    return Reflect.apply(fn, thisArg, args);
  }
}

/** @param {string | symbol} name */
function channel(name) {
  const existing = channels?.find(name);
  if (existing) return existing;
  if (typeof name !== 'string' && typeof name !== 'symbol') {
    throw new ERR_INVALID_ARG_TYPE('channel', ['string', 'symbol'], name);
  }
  return new Channel(name);
}

function subscribe(name, subscription) {
  return channel(name).subscribe(subscription);
}

function unsubscribe(name, subscription) {
  return channel(name).unsubscribe(subscription);
}

function hasSubscribers(name) {
  const existing = channels?.find(name);
  return existing ? existing.hasSubscribers : false;
}

const traceEvents = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];

function tracingChannelFrom(nameOrChannels, name) {
  if (typeof nameOrChannels === 'string') return channel(`tracing:${nameOrChannels}:${name}`);
  if (typeof nameOrChannels === 'object' && nameOrChannels !== null) {
    const given = nameOrChannels[name];
    if (given instanceof Channel) return given;
    throw new ERR_INVALID_ARG_TYPE(`nameOrChannels.${name}`, ['Channel'], given);
  }
  throw new ERR_INVALID_ARG_TYPE('nameOrChannels', ['string', 'object', 'TracingChannel'], nameOrChannels);
}

class TracingChannel {
  constructor(nameOrChannels) {
    for (const name of traceEvents) {
      Object.defineProperty(this, name, { __proto__: null, value: tracingChannelFrom(nameOrChannels, name) });
    }
  }

  get hasSubscribers() {
    return this.start?.hasSubscribers || this.end?.hasSubscribers || this.asyncStart?.hasSubscribers ||
      this.asyncEnd?.hasSubscribers || this.error?.hasSubscribers;
  }

  subscribe(handlers) {
    for (const name of traceEvents) {
      if (handlers[name]) this[name]?.subscribe(handlers[name]);
    }
  }

  unsubscribe(handlers) {
    let done = true;
    for (const name of traceEvents) {
      if (!handlers[name]) continue;
      if (!this[name]?.unsubscribe(handlers[name])) done = false;
    }
    return done;
  }

  traceSync(fn, context = {}, thisArg, ...args) {
    if (!this.hasSubscribers) return Reflect.apply(fn, thisArg, args);
    const { start, end, error } = this;
    return start.runStores(context, () => {
      try {
        const result = Reflect.apply(fn, thisArg, args);
        context.result = result;
        return result;
      } catch (err) {
        context.error = err;
        error.publish(context);
        throw err;
      } finally {
        end.publish(context);
      }
    });
  }

  tracePromise(fn, context = {}, thisArg, ...args) {
    if (!this.hasSubscribers) return Reflect.apply(fn, thisArg, args);
    const { start, end, asyncStart, asyncEnd, error } = this;

    function reject(err) {
      context.error = err;
      error.publish(context);
      asyncStart.publish(context);
      asyncEnd.publish(context);
      return Promise.reject(err);
    }
    function resolve(result) {
      context.result = result;
      asyncStart.publish(context);
      asyncEnd.publish(context);
      return result;
    }
    return start.runStores(context, () => {
      try {
        let promise = Reflect.apply(fn, thisArg, args);
        // Whatever is no promise of ours becomes one.
        if (!(promise instanceof Promise)) promise = Promise.resolve(promise);
        return promise.then(resolve, reject);
      } catch (err) {
        context.error = err;
        error.publish(context);
        throw err;
      } finally {
        end.publish(context);
      }
    });
  }

  traceCallback(fn, position = -1, context = {}, thisArg, ...args) {
    if (!this.hasSubscribers) return Reflect.apply(fn, thisArg, args);
    const { start, end, asyncStart, asyncEnd, error } = this;

    function wrappedCallback(err, result) {
      if (err) {
        context.error = err;
        error.publish(context);
      } else {
        context.result = result;
      }
      // The callback runs in the stores that asyncStart binds.
      asyncStart.runStores(context, () => {
        try {
          return Reflect.apply(callback, this, arguments);
        } finally {
          asyncEnd.publish(context);
        }
      });
    }

    const callback = args.at(position);
    validateFunction(callback, 'callback');
    args.splice(position, 1, wrappedCallback);
    return start.runStores(context, () => {
      try {
        return Reflect.apply(fn, thisArg, args);
      } catch (err) {
        context.error = err;
        error.publish(context);
        throw err;
      } finally {
        end.publish(context);
      }
    });
  }
}

function tracingChannel(nameOrChannels) {
  return new TracingChannel(nameOrChannels);
}

module.exports = { channel, hasSubscribers, subscribe, tracingChannel, unsubscribe, Channel };
