'use strict';

// node:worker_threads

const messaging = require('#web/messaging');
const options = require('#runtime/options');
const { Worker, SHARE_ENV } = require('#worker_threads/worker');
const state = require('#worker_threads/state');
const environment = require('#worker_threads/environment_data');

module.exports = {
  BroadcastChannel: messaging.BroadcastChannel,
  MessageChannel: messaging.MessageChannel,
  MessagePort: messaging.MessagePort,
  Worker,
  SHARE_ENV,
  getEnvironmentData: environment.getEnvironmentData,
  setEnvironmentData: environment.setEnvironmentData,
  isInternalThread: false,
  isMarkedAsUntransferable: messaging.isMarkedAsUntransferable,
  markAsUncloneable: messaging.markAsUncloneable,
  markAsUntransferable: messaging.markAsUntransferable,
  moveMessagePortToContext() {
    const { codes: { ERR_METHOD_NOT_IMPLEMENTED } } = require('#internal/errors');
    throw new ERR_METHOD_NOT_IMPLEMENTED('moveMessagePortToContext()');
  },
  async postMessageToThread() {
    const { codes: { ERR_METHOD_NOT_IMPLEMENTED } } = require('#internal/errors');
    throw new ERR_METHOD_NOT_IMPLEMENTED('postMessageToThread()');
  },
  receiveMessageOnPort: messaging.receiveMessageOnPort,
};

// What depends on the thread is read when asked for: the snapshot is made for all of them.
const perThread = {
  isMainThread: () => options.all().isMainThread,
  threadId: () => options.all().threadId,
  threadName: () => state.threadName ?? (options.all().isMainThread ? '' : 'WorkerThread'),
  parentPort: () => state.parentPort,
  workerData: () => state.workerData,
  resourceLimits: () => (options.all().isMainThread ? {} : require('#worker_threads/limits').current()),
};
for (const [name, get] of Object.entries(perThread)) {
  Object.defineProperty(module.exports, name, {
    get,
    set(value) {
      Object.defineProperty(module.exports, name, { value, writable: true, enumerable: true, configurable: true });
    },
    enumerable: true,
    configurable: true,
  });
}
