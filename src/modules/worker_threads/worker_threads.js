'use strict';

// node:worker_threads

const messaging = require('#web/messaging');
const options = require('#runtime/options');
const { Worker, SHARE_ENV } = require('#worker_threads/worker');
const state = require('#worker_threads/state');
const messages = require('#worker_threads/messaging');
const environment = require('#worker_threads/environment_data');

module.exports = {
  BroadcastChannel: messaging.BroadcastChannel,
  MessageChannel: messaging.MessageChannel,
  MessagePort: messaging.MessagePort,
  Worker,
  SHARE_ENV,
  getEnvironmentData: environment.getEnvironmentData,
  setEnvironmentData: environment.setEnvironmentData,
  isMarkedAsUntransferable: messaging.isMarkedAsUntransferable,
  markAsUncloneable: messaging.markAsUncloneable,
  markAsUntransferable: messaging.markAsUntransferable,
  moveMessagePortToContext(port, context) {
    return require('#worker_threads/moved_port').moveMessagePortToContext(port, context);
  },
  postMessageToThread: messages.postMessageToThread,
  receiveMessageOnPort: messaging.receiveMessageOnPort,
};

// What depends on the thread is read when asked for: the snapshot is made for all of them.
const perThread = {
  isInternalThread: () => state.isInternal,
  locks: () => globalThis.navigator.locks,
  isMainThread: () => options.all().isMainThread,
  threadId: () => options.all().threadId,
  threadName: () => state.threadName ?? (options.all().isMainThread ? '' : 'WorkerThread'),
  parentPort: () => state.parentPort,
  workerData: () => state.workerData,
  resourceLimits: () => (options.all().isMainThread ? {} : require('#worker_threads/limits').current()),
};
for (const [name, get] of Object.entries(perThread)) {
  Object.defineProperty(module.exports, name, {
    __proto__: null,
    get,
    set(value) {
      Object.defineProperty(module.exports, name, {
        __proto__: null, value, writable: true, enumerable: true, configurable: true,
      });
    },
    enumerable: true,
    configurable: true,
  });
}
