'use strict';

// module.register() and --experimental-loader: hooks that run on a thread of their own. The loaders here are synchronous:
// they send a request and wait until the thread, where hooks may take their time, has answered.

const { receiveMessageOnPort, MessageChannel } = require('#web/messaging');
const { sharedBuffer } = require('#process/cwd');

/** What a thread of the process needs to ask the hooks' thread. @type {Client | undefined} */
let client;

class Client {
  #port;
  #lock;

  /** @param {Int32Array} lock counts the answers */
  constructor(port, lock) {
    this.#port = port;
    this.#lock = lock;
    port.unref();
  }

  request(method, args, transferList = []) {
    const answers = Atomics.load(this.#lock, 0);
    this.#port.postMessage({ method, args }, transferList);
    let received;
    while ((received = receiveMessageOnPort(this.#port)) === undefined) Atomics.wait(this.#lock, 0, answers);
    return settle(received.message, method);
  }

  resolve(specifier, { parentURL, importAttributes, conditions }) {
    return this.request('resolve', [specifier, { parentURL, importAttributes, conditions: [...conditions] }]);
  }

  load(url, { format, importAttributes }) {
    return this.request('load', [url, { format, importAttributes }]);
  }
}

/** An answer as a value or an error. */
function settle(message, method) {
  if (message.exit !== undefined) process.exit(message.exit);
  if (message.stalled) {
    const { codes: { ERR_ASYNC_LOADER_REQUEST_NEVER_SETTLED } } = require('#internal/errors');
    throw new ERR_ASYNC_LOADER_REQUEST_NEVER_SETTLED(method);
  }
  if (message.failed) throw message.text === undefined ? withProperties(message) : textual(message.text);
  return message.result;
}

function withProperties({ error, properties }) {
  if (typeof error === 'object' && error !== null && properties) Object.assign(error, properties);
  return error;
}

/** Something thrown that cannot leave its thread: an object that shows the same text. */
function textual(text) {
  const { customInspectSymbol } = require('#internal/util');
  return Object.defineProperty({}, customInspectSymbol, { __proto__: null, value: () => text });
}

function start() {
  const { Worker, kInternalEntry } = require('#worker_threads/worker');
  const { port1, port2 } = new MessageChannel();
  const lock = new Int32Array(sharedBuffer(4));
  const worker = new Worker('', {
    [kInternalEntry]: '#module/hooks_worker', name: 'loader', workerData: { port: port2, lock }, transferList: [port2],
    trackUnmanagedFds: false,
  });
  worker.unref();
  // What goes wrong there is answered; what goes wrong besides ends the program, as an error of its own would.
  worker.on('error', (error) => require('#process/task_queues').triggerUncaughtException(error, false));
  client = new Client(port1, lock);
}

/** @returns {Client} made when first asked for */
function getClient() {
  if (client === undefined) start();
  return client;
}

/** The port and lock for a worker, whose loads the same hooks see; undefined without hooks. */
function portForWorker() {
  if (client === undefined) return undefined;
  const { port1, port2 } = new MessageChannel();
  const lock = new Int32Array(sharedBuffer(4));
  client.request('attach', [port2, lock], [port2]);
  return { port: port1, lock };
}

function adopt({ port, lock }) {
  client = new Client(port, lock);
}

/** module.register(specifier, parentURL, options) */
function register(specifier, parentURL = undefined, options = undefined) {
  if (parentURL !== null && typeof parentURL === 'object' && !(parentURL instanceof URL)) {
    options = parentURL;
    ({ parentURL } = options);
  }
  const onHooksThread = require('#worker_threads/state').registerHooks;
  const parent = `${parentURL ?? 'data:'}`;
  if (onHooksThread !== undefined) onHooksThread(`${specifier}`, parent, options?.data);
  else getClient().request('register', [`${specifier}`, parent, options?.data], options?.transferList);
  require('#module/esm_resolve').forgetResolutions();
}

/** --experimental-loader, before anything is loaded. */
function registerFromCommandLine() {
  const { values } = require('#runtime/options').all();
  const loaders = [...(values['--loader'] ?? []), ...(values['--experimental-loader'] ?? [])];
  if (loaders.length === 0) return;
  process.emitWarning('`--experimental-loader` may be removed in the future; instead use `register()`:\n' +
    `--import 'data:text/javascript,import { register } from "node:module"; import { pathToFileURL } from "node:url"; ${
      loaders.map((loader) => `register(${JSON.stringify(loader)}, pathToFileURL("./"))`).join('; ')};'`,
                      'ExperimentalWarning');
  const parent = require('url').pathToFileURL(`${process.cwd()}/`).href;
  for (const loader of loaders) getClient().request('register', [loader, parent, undefined]);
}

module.exports = { current: () => client, portForWorker, adopt, register, registerFromCommandLine };
