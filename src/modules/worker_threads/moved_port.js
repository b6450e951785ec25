'use strict';

// moveMessagePortToContext: a port whose objects, and those of its messages, belong to a context of node:vm.

const messaging = require('#web/messaging');
const { setTransferMode, kTransferable } = require('#web/transferable');
const { codes: { ERR_CLOSED_MESSAGE_PORT, ERR_INVALID_ARG_TYPE } } = require('#internal/errors');

// Runs in the context, as a function of what makes its ports known on our side.
const source = `(function(adopt, nameOf) {
  'use strict';
  const { apply } = Reflect;
  class DOMException extends Error {
    #name;
    constructor(message, name) {
      super(message);
      this.#name = name;
    }
    get name() { return this.#name; }
    get code() { return this.#name === 'DataCloneError' ? 25 : 0; }
  }
  /** Errors of the other side become errors of this one. */
  function call(handle, method, args) {
    try {
      return apply(method, handle, args);
    } catch (error) {
      const [message, name, code] = nameOf(error);
      if (name === 'DataCloneError') throw new DOMException(message, name);
      const copy = name === 'TypeError' ? new TypeError(message) : new Error(message);
      if (code !== undefined) copy.code = code;
      throw copy;
    }
  }
  class MessagePort {
    #handle;
    #ports;
    static make(handle) {
      const port = new MessagePort(handle);
      adopt(port, handle);
      return port;
    }
    constructor(handle) {
      if (handle === undefined || handle === null || typeof handle.postMessage !== 'function') {
        throw new TypeError('Illegal constructor');
      }
      this.#handle = handle;
      handle.onmessage = (data, ports) => this.#deliver('message', data, ports);
      handle.onmessageerror = (data) => this.#deliver('messageerror', data, []);
    }
    #deliver(type, data, ports) {
      const listener = this['on' + type];
      if (typeof listener === 'function') apply(listener, this, [{ type, data, ports, target: this }]);
    }
    postMessage(...args) { call(this.#handle, this.#handle.postMessage, args); }
    start() { call(this.#handle, this.#handle.start, []); }
    ref() { call(this.#handle, this.#handle.ref, []); }
    unref() { call(this.#handle, this.#handle.unref, []); }
    hasRef() { return call(this.#handle, this.#handle.hasRef, []); }
    close() { call(this.#handle, this.#handle.close, []); }
  }
  const { make } = MessagePort;
  delete MessagePort.make;
  return make;
})`;

function nameOf(error) {
  return [String(error?.message ?? error), String(error?.name), error?.code];
}

/** Context object -> the function that makes its ports. */
const makers = new WeakMap();

function makerOf(context) {
  let maker = makers.get(context);
  if (maker === undefined) {
    const { runInContext } = require('vm');
    maker = runInContext(source, context, { filename: 'node:internal/moved_port' })((port, handle) => {
      setTransferMode(Object.getPrototypeOf(port), kTransferable);
      messaging.adoptPort(port, handle);
    }, nameOf);
    makers.set(context, maker);
  }
  return maker;
}

function moveMessagePortToContext(port, context) {
  const handle = messaging.handleOf(port);
  if (handle === undefined) {
    const error = new TypeError('The "port" argument must be a MessagePort instance');
    error.code = 'ERR_INVALID_ARG_TYPE';
    throw error;
  }
  if (handle.isDetached()) throw new ERR_CLOSED_MESSAGE_PORT();
  if (context === null || typeof context !== 'object' || !require('vm').isContext(context)) {
    throw new ERR_INVALID_ARG_TYPE('contextifiedSandbox', 'vm.Context', context);
  }
  return handle.moveTo(makerOf(context));
}

module.exports = { moveMessagePortToContext };
