'use strict';

// node:inspector: sessions with V8's own debugger, profiler and heap tools, inside the program.

const EventEmitter = require('events');
const {
  codes: {
    ERR_INSPECTOR_ALREADY_ACTIVATED,
    ERR_INSPECTOR_ALREADY_CONNECTED,
    ERR_INSPECTOR_CLOSED,
    ERR_INSPECTOR_COMMAND,
    ERR_INSPECTOR_NOT_ACTIVE,
    ERR_INSPECTOR_NOT_AVAILABLE,
    ERR_INSPECTOR_NOT_CONNECTED,
    ERR_INSPECTOR_NOT_WORKER,
  },
} = require('#internal/errors');
const { getEngineConsole, wrapConsole } = require('#inspector/console_watch');
const { validateFunction, validateInt32, validateObject, validateString } = require('#internal/validators');

/** The program's context as tools show it. */
function contextName() {
  const { isMainThread, threadId } = require('worker_threads');
  return isMainThread ? `${process.argv0}[${process.pid}]` : `Worker[${threadId}]`;
}

class Session extends EventEmitter {
  #connection = null;
  #nextId = 1;
  #callbacks = new Map();

  /** Connects to this thread's own inspector. */
  connect() {
    if (this.#connection) throw new ERR_INSPECTOR_ALREADY_CONNECTED('The inspector session');
    const { Connection } = binding('inspector');
    wrapConsole();
    this.#connection = new Connection((text) => this.#onMessage(text), contextName());
  }

  connectToMainThread() {
    if (require('worker_threads').isMainThread) throw new ERR_INSPECTOR_NOT_WORKER();
    if (this.#connection) throw new ERR_INSPECTOR_ALREADY_CONNECTED('The inspector session');
    throw new ERR_INSPECTOR_NOT_AVAILABLE();
  }

  #onMessage(text) {
    const message = JSON.parse(text);
    try {
      if (message.id) {
        const callback = this.#callbacks.get(message.id);
        this.#callbacks.delete(message.id);
        if (!callback) return;
        if (message.error) callback(new ERR_INSPECTOR_COMMAND(message.error.code, message.error.message));
        else callback(null, message.result);
      } else {
        this.emit(message.method, message);
        this.emit('inspectorNotification', message);
      }
    } catch (error) {
      process.emitWarning(error);
    }
  }

  /** @param {string} method @param {object} [params] @param {(error: Error | null, result?: object) => void} [callback] */
  post(method, params, callback) {
    validateString(method, 'method');
    if (!callback && typeof params === 'function') {
      callback = params;
      params = null;
    }
    if (params) validateObject(params, 'params');
    if (callback) validateFunction(callback, 'callback');
    if (!this.#connection) throw new ERR_INSPECTOR_NOT_CONNECTED();
    const id = this.#nextId++;
    const message = { id, method };
    if (params) message.params = params;
    if (callback) this.#callbacks.set(id, callback);
    this.#connection.dispatch(JSON.stringify(message));
  }

  disconnect() {
    if (!this.#connection) return;
    this.#connection.disconnect();
    this.#connection = null;
    for (const callback of this.#callbacks.values()) process.nextTick(callback, new ERR_INSPECTOR_CLOSED());
    this.#callbacks.clear();
    this.#nextId = 1;
  }
}

const remote = () => require('#inspector/remote');

function isLoopback(host) {
  const text = host.toLowerCase();
  return text === 'localhost' || text.startsWith('127.') || text.startsWith('[::1]') || text === '::1' ||
    text.startsWith('[0:0:0:0:0:0:0:1]');
}

function warnOfPublicAddress() {
  process.emitWarning(
    'Binding the inspector to a public IP with an open port is insecure, as it allows external hosts to connect to the ' +
      'inspector and perform a remote code execution attack. ' +
      'Documentation can be found at https://nodejs.org/api/cli.html#--inspecthostport',
    'SecurityWarning',
  );
}

/**
 * Listens for tools from outside.
 * @param {number} [port] @param {string} [host] @param {boolean} [wait] until one has connected
 */
function open(port, host, wait) {
  if (remote().isActive()) throw new ERR_INSPECTOR_ALREADY_ACTIVATED();
  if (port !== undefined) validateInt32(port, 'port', 0, 65535);
  if (host && !isLoopback(host)) warnOfPublicAddress();
  const error = remote().listen(host || remote().kDefaultHost, port ?? remote().kDefaultPort);
  if (error !== 0) {
    const [, text] = require('util').getSystemErrorMap().get(error) ?? ['', 'unknown error'];
    process._rawDebug(`Starting inspector on ${host || remote().kDefaultHost}:${port ?? remote().kDefaultPort} failed: ${text}`);
    return undefined;
  }
  wrapConsole();
  if (wait) remote().waitForDebugger();
  return { __proto__: null, [Symbol.dispose]: close };
}

function close() {
  remote().close();
}

/** @returns {string | undefined} where tools connect */
function url() {
  return remote().url();
}

function waitForDebugger() {
  if (!remote().isActive()) throw new ERR_INSPECTOR_NOT_ACTIVE();
  remote().waitForDebugger();
}

module.exports = {
  open,
  close,
  url,
  waitForDebugger,
  get console() {
    return getEngineConsole();
  },
  set console(value) {
    Object.defineProperty(module.exports, 'console', {
      __proto__: null, value, writable: true, enumerable: true, configurable: true,
    });
  },
  Session,
};
