'use strict';

// navigator.locks (Web Locks API): locks by name, over all threads of the process.

const native = binding('locks');
const { codes: { ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_THIS } } = require('#internal/errors');
const { validateFunction } = require('#internal/validators');
const { AsyncResource } = require('async_hooks');
const { makeEnumerable, setTag } = require('#web/event');
const { DOMException } = require('#web/dom_exception');
const { isAbortSignal } = require('#web/abort');

const kConstruct = Symbol('kConstruct');

// How a request that cannot be granted at once is treated, by the numbers of the native half.
const kWait = 0;
const kIfAvailable = 1;
const kSteal = 2;

/** Requests that the native half will tell something of, by number. */
const requests = new Map();

let clientId;
function thisClient() {
  if (clientId !== undefined) return clientId;
  native.listen((id, granted) => {
    const request = requests.get(id);
    if (request === undefined) return;
    if (granted) request.granted();
    else request.stolen();
  });
  const { threadId } = require('worker_threads');
  return clientId = `node-${process.pid}-${threadId}`;
}

class Lock {
  #name;
  #mode;

  constructor(secret = undefined, name = undefined, mode = undefined) {
    if (secret !== kConstruct) throw new ERR_ILLEGAL_CONSTRUCTOR();
    this.#name = name;
    this.#mode = mode;
  }

  get name() { return this.#name; }
  get mode() { return this.#mode; }
}

makeEnumerable(Lock.prototype, ['name', 'mode']);
setTag(Lock);

function typeError(message, code = 'ERR_INVALID_ARG_TYPE') {
  const error = new TypeError(message);
  error.code = code;
  return error;
}

function notSupported(message) {
  return new DOMException(message, 'NotSupportedError');
}

/** The options dictionary, checked as the standard orders it. */
function checkOptions(name, options) {
  if (options !== undefined && options !== null && typeof options !== 'object' && typeof options !== 'function') {
    throw typeError('Value cannot be converted to a dictionary');
  }
  const mode = options?.mode === undefined ? 'exclusive' : `${options.mode}`;
  if (mode !== 'exclusive' && mode !== 'shared') {
    throw typeError(`mode value '${mode}' is not a valid enum value of type LockMode.`, 'ERR_INVALID_ARG_VALUE');
  }
  const ifAvailable = !!options?.ifAvailable;
  const steal = !!options?.steal;
  const signal = options?.signal;
  if (signal !== undefined && !isAbortSignal(signal)) throw typeError('Value is not an object');
  if (name.startsWith('-')) throw notSupported('Lock name may not start with hyphen');
  if (ifAvailable && steal) throw notSupported('ifAvailable and steal are mutually exclusive');
  if (mode !== 'exclusive' && steal) throw notSupported(`mode: "${mode}" and steal are mutually exclusive`);
  if (signal !== undefined && (steal || ifAvailable)) {
    throw notSupported('signal cannot be used with steal or ifAvailable');
  }
  signal?.throwIfAborted();
  return { mode, policy: steal ? kSteal : ifAvailable ? kIfAvailable : kWait, signal };
}

/** Asks for a lock, holds it while the callback's promise is pending, and settles as that does. */
function run(name, { mode, policy, signal }, callback) {
  const result = Promise.withResolvers();
  const client = thisClient();
  const id = native.request(name, mode === 'shared', policy, client);
  const call = (lock) => new Promise((resolve) => resolve(callback(lock)));
  if (id === 0) {
    call(null).then(result.resolve, result.reject);
    return result.promise;
  }
  let isGranted = false;
  const onAbort = () => {
    if (isGranted || !native.withdraw(name, id)) return;
    requests.delete(id);
    result.reject(signal.reason);
  };
  requests.set(id, {
    granted() {
      isGranted = true;
      signal?.removeEventListener('abort', onAbort);
      call(new Lock(kConstruct, name, mode)).then(result.resolve, result.reject).then(() => {
        requests.delete(id);
        native.release(name, id);
      });
    },
    stolen() {
      requests.delete(id);
      result.reject(new DOMException('The operation was aborted', 'AbortError'));
    },
  });
  signal?.addEventListener('abort', onAbort, { once: true });
  return result.promise;
}

let isLockManager;

class LockManager {
  #brand = true;

  static {
    isLockManager = (value) => typeof value === 'object' && value !== null && #brand in value;
  }

  constructor(secret = undefined) {
    if (secret !== kConstruct) throw new ERR_ILLEGAL_CONSTRUCTOR();
  }

  async request(name, options, callback = undefined) {
    if (!isLockManager(this)) throw new ERR_INVALID_THIS('LockManager');
    if (callback === undefined) {
      callback = options;
      options = undefined;
    }
    name = `${name}`;
    validateFunction(callback, 'callback');
    return run(name, checkOptions(name, options), AsyncResource.bind(callback));
  }

  async query() {
    if (!isLockManager(this)) throw new ERR_INVALID_THIS('LockManager');
    const held = [];
    const pending = [];
    const rows = native.query();
    for (let i = 0; i < rows.length; i += 4) {
      const info = { name: rows[i], mode: rows[i + 1] ? 'shared' : 'exclusive', clientId: rows[i + 2] };
      (rows[i + 3] ? held : pending).push(info);
    }
    return { held, pending };
  }
}

makeEnumerable(LockManager.prototype, ['request', 'query']);
setTag(LockManager);

function createLockManager() {
  return new LockManager(kConstruct);
}

module.exports = { Lock, LockManager, createLockManager };
