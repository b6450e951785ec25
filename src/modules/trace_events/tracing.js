'use strict';

// What the JavaScript halves trace, and which categories are on. `isOn.<name>` are plain booleans for hot
// paths.

const native = binding('trace_events');
const { getOptionValue } = require('#runtime/options');

const kBegin = 'b'; // nestable asynchronous events of one id
const kEnd = 'e';
const kInstant = 'n';
const kCounter = 'C';
const kMetadata = 'M';

const kDefaultCategories = ['v8', 'node', 'node.async_hooks'];

const isOn = {
  asyncHooks: false, console: false, promises: false, usertiming: false, bootstrap: false, environment: false,
};
let started = false;
let hook;

/** Adds an event. @param {string} phase one of those above @param {object} [args] what JSON can hold */
function trace(phase, category, name, id = 0, args = undefined) {
  native.trace(phase, category, name, id, args === undefined ? '' : JSON.stringify(args));
}

function traceMetadata() {
  const { versions, arch, platform, release } = process;
  trace(kMetadata, '__metadata', 'process_name', 0, { name: process.title });
  trace(kMetadata, '__metadata', 'thread_name', 0, { name: 'JavaScriptMainThread' });
  trace(kMetadata, '__metadata', 'version', 0, { node: versions.node });
  trace(kMetadata, '__metadata', 'node', 0, {
    process: { versions, arch, platform, release: { name: release.name, lts: release.lts } },
  });
}

/** Names the thread of a worker, if the process traces at all. */
function traceWorker(threadId, name) {
  trace(kMetadata, '__metadata', 'thread_name', 0, { name: `[worker ${threadId}] ${name || 'WorkerThread'}` });
}

/** async_hooks as events: a resource from init to destroy, its callbacks inside. */
function makeAsyncHook() {
  const { createHook, executionAsyncId } = require('async_hooks');
  const category = 'node,node.async_hooks';
  const types = new Map();
  return createHook({
    init(asyncId, type, triggerAsyncId) {
      types.set(asyncId, type);
      trace(kBegin, category, type, asyncId, { data: { triggerAsyncId, executionAsyncId: executionAsyncId() } });
    },
    before(asyncId) {
      const type = types.get(asyncId);
      if (type !== undefined) trace(kBegin, category, `${type}_CALLBACK`, asyncId);
    },
    after(asyncId) {
      const type = types.get(asyncId);
      if (type !== undefined) trace(kEnd, category, `${type}_CALLBACK`, asyncId);
    },
    destroy(asyncId) {
      const type = types.get(asyncId);
      if (type !== undefined) trace(kEnd, category, type, asyncId);
      types.delete(asyncId);
    },
  });
}

/** Keeps events of `categories` from now on. The file is that of the first call. */
function setCategories(categories) {
  native.setCategories(categories, getOptionValue('--trace-event-file-pattern') || 'node_trace.${rotation}.log');
  if (!started) {
    started = true;
    traceMetadata();
  }
  isOn.asyncHooks = native.isEnabled('node,node.async_hooks');
  isOn.console = native.isEnabled('node,node.console');
  isOn.promises = native.isEnabled('node,node.promises,node.promises.rejections');
  isOn.usertiming = native.isEnabled('node,node.perf,node.perf.usertiming');
  isOn.bootstrap = native.isEnabled('node,node.bootstrap');
  isOn.environment = native.isEnabled('node,node.environment');
  if (isOn.asyncHooks) (hook ??= makeAsyncHook()).enable();
  else hook?.disable();
}

/** The categories that the command line asks for, or undefined if it does not ask for tracing. */
function fromCommandLine() {
  const asked = getOptionValue('--trace-event-categories');
  if (asked !== undefined) return asked.split(',').filter((name) => name !== '');
  return getOptionValue('--trace-events-enabled') ? kDefaultCategories : undefined;
}

function startFromCommandLine() {
  const categories = fromCommandLine();
  if (categories === undefined) return;
  setCategories(categories);
  if (isOn.bootstrap) {
    for (const name of ['nodeStart', 'v8Start', 'environment', 'bootstrapComplete']) {
      trace('I', 'node,node.bootstrap', name);
    }
  }
}

module.exports = {
  isOn, trace, setCategories, startFromCommandLine, fromCommandLine, traceWorker, kBegin, kEnd, kInstant,
  kCounter,
};
