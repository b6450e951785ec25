'use strict';

// MessageChannel, MessagePort, BroadcastChannel and structuredClone (HTML, "Channel messaging"). The native half keeps
// the queues; a MessagePort here is an event target around a native handle.

const native = binding('messaging');
const { setHook } = binding('realm');
const {
  codes: {
    ERR_CONSTRUCT_CALL_INVALID, ERR_CONSTRUCT_CALL_REQUIRED, ERR_INVALID_THIS, ERR_MISSING_ARGS,
  },
} = require('#internal/errors');
const {
  Event, EventTarget, NodeEventTarget, defineEventHandler, dispatch, kCreateEvent, kNewListener, kRemoveListener,
} = require('#web/event_target');
const { makeEnumerable } = require('#web/event');
const { DOMException } = require('#web/dom_exception');
const { inspectFields, inspectSymbol } = require('#web/inspect');
const transferable = require('#web/transferable');

const lazyMessageEvent = () => require('#web/message_event').createFastMessageEvent;

class MessagePortCloseEvent extends Event {
  constructor() {
    super('close');
  }
}

/** A TypeError of code ERR_INVALID_ARG_TYPE with a message of its own. */
function typeError(message) {
  const error = new TypeError(message);
  error.code = 'ERR_INVALID_ARG_TYPE';
  return error;
}

/** The members of a sequence; anything that is none throws a TypeError with `message`. */
function sequence(value, message) {
  const method = typeof value === 'object' && value !== null ? value[Symbol.iterator] : undefined;
  if (typeof method !== 'function') throw typeError(message);
  const iterator = Reflect.apply(method, value, []);
  const isIterator = typeof iterator === 'object' && iterator !== null && typeof iterator.next === 'function';
  if (!isIterator) throw typeError(message);
  const members = [];
  for (let result = iterator.next(); !result.done; result = iterator.next()) members.push(result.value);
  return members;
}

/** The transfer list out of the second argument of postMessage: a sequence, or a dictionary with one. */
function transferListOf(options) {
  if (options === undefined || options === null) return undefined;
  const noIterable = 'Optional transferList argument must be an iterable';
  if (typeof options !== 'object' && typeof options !== 'function') throw typeError(noIterable);
  if (options[Symbol.iterator] !== undefined) return sequence(options, noIterable);
  const { transfer } = options;
  if (transfer === undefined) return undefined;
  return sequence(transfer, 'Optional options.transfer argument must be an iterable');
}

let handleOf;
let createPort;
/** Ports of other contexts, which are no instances of our class. @type {WeakMap<object, object>} */
const moved = new WeakMap();

/** Tells async_hooks of a new port. */
function announce(port) {
  const hooks = require('#async_hooks/hooks');
  if (hooks.initHooksExist()) {
    hooks.emitInit(hooks.newAsyncId(), 'MESSAGEPORT', hooks.getDefaultTriggerAsyncId(), port);
  }
}

/** What a MessagePort is. */
class PortTarget extends NodeEventTarget {
  #handle;

  static {
    handleOf = (value) => {
      if (typeof value !== 'object' || value === null) return undefined;
      return #handle in value ? value.#handle : moved.get(value);
    };
    createPort = (handle) => {
      const port = new PortTarget();
      port.#handle = handle;
      announce(port);
      handle.onmessage = (value, ports) => port.#receive('message', value, ports);
      handle.onmessageerror = (error) => port.#receive('messageerror', error, []);
      handle.onclose = () => {
        handle.onmessage = handle.onmessageerror = handle.onclose = undefined;
        port.dispatchEvent(new MessagePortCloseEvent());
      };
      return port;
    };
  }

  #ports = [];

  #receive(type, value, ports) {
    this.#ports = ports;
    dispatch(this, type, value, undefined);
    this.#ports = [];
  }

  [kCreateEvent](value, type) {
    if (type !== 'message' && type !== 'messageerror') return super[kCreateEvent](value, type);
    const createMessageEvent = lazyMessageEvent();
    return createMessageEvent(type, { data: value, ports: this.#ports });
  }

  [kNewListener](size, type, ...rest) {
    super[kNewListener](size, type, ...rest);
    if (type !== 'message' || size !== 1) return;
    this.ref();
    this.start();
  }

  [kRemoveListener](size, type, ...rest) {
    super[kRemoveListener](size, type, ...rest);
    if (type !== 'message' || size !== 0) return;
    this.#handle?.unref();
    this.#handle?.stop();
  }

  postMessage(message) {
    if (handleOf(this) === undefined) throw new TypeError('Illegal invocation');
    if (arguments.length === 0) {
      const error = new TypeError('Not enough arguments to MessagePort.postMessage');
      error.code = 'ERR_MISSING_ARGS';
      throw error;
    }
    // The list is optional, which `length` is to show.
     
    const result = this.#handle.postMessage(message, transferListOf(arguments[1]));
    if (result !== 'lost') return result;
    process.emitWarning('The target port was posted to itself, and the communication channel was lost');
    return undefined;
  }

  start() {
    if (handleOf(this) === undefined) throw new TypeError('Illegal invocation');
    this.#handle.start();
  }

  ref() {
    if (handleOf(this) === undefined) throw new TypeError('Illegal invocation');
    this.#handle.ref();
  }

  unref() {
    if (handleOf(this) === undefined) throw new TypeError('Illegal invocation');
    this.#handle.unref();
  }

  hasRef() {
    if (handleOf(this) === undefined) throw new TypeError('Illegal invocation');
    return this.#handle.hasRef();
  }

  close(callback) {
    if (handleOf(this) === undefined) throw new TypeError('Illegal invocation');
    if (typeof callback === 'function') this.once('close', callback);
    this.#handle.close();
  }

  [inspectSymbol](depth, options) {
    const handle = handleOf(this);
    const fields = handle === undefined ? {} : { active: !handle.isDetached(), refed: handle.hasRef() };
    return inspectFields('MessagePort [EventTarget]', fields, depth, options);
  }
}

/** The public constructor: a function, because a call without `new` gets an error of its own, and always throws. */
function MessagePort() {
  throw new ERR_CONSTRUCT_CALL_INVALID();
}
MessagePort.prototype = PortTarget.prototype;
Object.defineProperty(MessagePort.prototype, 'constructor', {
  __proto__: null, value: MessagePort, configurable: true, writable: true,
});
Object.setPrototypeOf(MessagePort, NodeEventTarget);

makeEnumerable(MessagePort.prototype, ['postMessage', 'start', 'ref', 'unref', 'hasRef', 'close']);
defineEventHandler(MessagePort.prototype, 'message');
defineEventHandler(MessagePort.prototype, 'messageerror');
transferable.setTransferMode(MessagePort.prototype, transferable.kTransferable);

/** @constructor */
function MessageChannel() {
  if (new.target === undefined) throw new ERR_CONSTRUCT_CALL_REQUIRED('MessageChannel');
  const [first, second] = native.createChannel();
  this.port1 = createPort(first);
  this.port2 = createPort(second);
}

function isMessagePort(value) {
  return handleOf(value) !== undefined;
}

/** worker_threads.receiveMessageOnPort */
function receiveMessageOnPort(port) {
  let handle = handleOf(port);
  if (handle === undefined) handle = broadcastHandleOf(port);
  if (handle === undefined) throw typeError('The "port" argument must be a MessagePort instance');
  const received = handle.receive();
  return received === undefined ? undefined : { message: received[0] };
}

let broadcastHandleOf;

class BroadcastChannel extends EventTarget {
  #name;
  #handle;

  static {
    broadcastHandleOf = (value) => (
      typeof value === 'object' && value !== null && #handle in value ? value.#handle : undefined);
  }

  static #check(value) {
    if (typeof value !== 'object' || value === null || !(#name in value)) {
      throw new ERR_INVALID_THIS('BroadcastChannel');
    }
  }

  constructor(name) {
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('name');
    super();
    this.#name = `${name}`;
    this.#handle = native.joinBroadcast(this.#name);
    this.#handle.onmessage = (value, ports) => this.#receive('message', value, ports);
    this.#handle.onmessageerror = (error) => this.#receive('messageerror', error, []);
    this.#handle.ref();
    this.#handle.start();
  }

  #receive(type, data, ports) {
    const createMessageEvent = lazyMessageEvent();
    this.dispatchEvent(createMessageEvent(type, { data, ports }));
  }

  get name() {
    BroadcastChannel.#check(this);
    return this.#name;
  }

  close() {
    BroadcastChannel.#check(this);
    if (this.#handle === undefined) return;
    this.#handle.close();
    this.#handle = undefined;
  }

  postMessage(message) {
    BroadcastChannel.#check(this);
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('message');
    if (this.#handle === undefined) throw new DOMException('BroadcastChannel is closed.', 'InvalidStateError');
    if (this.#handle.postMessage(message) === undefined) {
      throw new DOMException('Message could not be posted.', 'DataCloneError');
    }
  }

  ref() {
    BroadcastChannel.#check(this);
    this.#handle?.ref();
    return this;
  }

  unref() {
    BroadcastChannel.#check(this);
    this.#handle?.unref();
    return this;
  }

  [inspectSymbol](depth, options) {
    BroadcastChannel.#check(this);
    if (depth < 0) return 'BroadcastChannel';
    const fields = { name: this.#name, active: this.#handle !== undefined };
    return inspectFields('BroadcastChannel', fields, depth, options);
  }
}

makeEnumerable(BroadcastChannel.prototype, ['name', 'close', 'postMessage']);
defineEventHandler(BroadcastChannel.prototype, 'message');
defineEventHandler(BroadcastChannel.prototype, 'messageerror');

/** The global structuredClone. */
function structuredClone(value, options) {
  if (arguments.length === 0) throw new ERR_MISSING_ARGS('The value argument must be specified');
  let list;
  if (options !== undefined && options !== null) {
    if (typeof options !== 'object' && typeof options !== 'function') {
      throw typeError("Failed to execute 'structuredClone': Options cannot be converted to a dictionary");
    }
    const { transfer } = options;
    if (transfer !== undefined) {
      list = sequence(
        transfer, "Failed to execute 'structuredClone': transfer in Options can not be converted to sequence.");
    }
  }
  if (list === undefined && (value === null || (typeof value !== 'object' && typeof value !== 'function' &&
      typeof value !== 'symbol'))) {
    return value;
  }
  return native.structuredClone(value, list);
}

function markAsUntransferable(object) {
  if ((typeof object !== 'object' && typeof object !== 'function') || object === null) return;
  native.mark(object, 'untransferable');
}

function isMarkedAsUntransferable(object) {
  if (object === null || typeof object !== 'object') return false;
  return native.isMarked(object, 'untransferable');
}

function markAsUncloneable(object) {
  if ((typeof object !== 'object' && typeof object !== 'function') || object === null) return;
  native.mark(object, 'uncloneable');
}

/** What the native half calls while it serialises and deserialises. */
const protocol = {
  transferMode: transferable.transferMode,
  portHandle: handleOf,
  createPort,
  // What has no way of its own (process.env) is copied as a plain object.
  clone: (object) => object[transferable.clone]?.() ?? ['Plain', { ...object }],
  transfer: (object) => object[transferable.transfer](),
  transferList: (object) => object[transferable.transferList]?.(),
  deserialize(kind, state) {
    const deserialize = transferable.deserializers[kind];
    if (deserialize === undefined) throw new DOMException(`Unknown kind of object '${kind}'`, 'DataCloneError');
    return deserialize(state);
  },
};

/** Makes a port of a context of node:vm known. */
function adoptPort(port, handle) {
  moved.set(port, handle);
}

setHook('messagePort', protocol);

module.exports = {
  BroadcastChannel,
  MessageChannel,
  MessagePort,
  adoptPort,
  createPort,
  handleOf,
  isMarkedAsUntransferable,
  isMessagePort,
  markAsUncloneable,
  markAsUntransferable,
  receiveMessageOnPort,
  structuredClone,
};
