'use strict';

// process.nextTick and queueMicrotask.
//
// What the native side gives, binding('task_queue'):
//   tickInfo: Uint8Array [kHasTickScheduled, kHasRejectionToWarn], shared memory
//   runMicrotasks()               V8's microtask checkpoint
//   enqueueMicrotask(fn)
//   setTickCallback(fn)           fn() drains ticks, microtasks and rejections
//   setPromiseRejectCallback(fn)  fn(type, promise, value), see promises.js
//   triggerUncaughtException(error, fromPromise)
//   detailString(value)           V8's side-effect free text of a value, for messages
// What the native side must do: when the outermost scope that entered JavaScript ends, perform a microtask
// checkpoint if neither flag is set, and then call the tick callback if one is. When the tick callback
// throws, report the exception as uncaught and, if that was handled, call it again.

const {
  tickInfo, runMicrotasks, enqueueMicrotask, setTickCallback, triggerUncaughtException,
} = binding('task_queue');
const {
  kAsyncId, kTriggerAsyncId, newAsyncId, getDefaultTriggerAsyncId, emitInit, emitBefore, emitAfter,
  emitDestroy, initHooksExist, destroyHooksExist,
} = require('#async_hooks/hooks');
const context = require('#async_hooks/context');
const { FixedQueue } = require('#internal/fixed_queue');
const { processPromiseRejections, listenForRejections } = require('#process/promises');
const { validateFunction } = require('#internal/validators');

const kHasTickScheduled = 0;
const kHasRejectionToWarn = 1;
const kContextFrame = Symbol('kAsyncContextFrame');

const queue = new FixedQueue();

function TickObject(callback, args, asyncId, triggerId, frame) {
  this.callback = callback;
  this.args = args;
  this[kAsyncId] = asyncId;
  this[kTriggerAsyncId] = triggerId;
  this[kContextFrame] = frame;
}
// A plain object to those who meet it as executionAsyncResource() or in an init hook.
TickObject.prototype = Object.prototype;

function hasWork() {
  return tickInfo[kHasTickScheduled] === 1 || tickInfo[kHasRejectionToWarn] === 1;
}

/** Between two callbacks of one loop phase: what a return to the loop would do. */
function runNextTicks() {
  if (!hasWork()) runMicrotasks();
  if (!hasWork()) return;
  processTicksAndRejections();
}

function runTick(tick) {
  const { callback, args } = tick;
  if (args === undefined) {
    callback();
    return;
  }
  switch (args.length) {
    case 1: callback(args[0]); break;
    case 2: callback(args[0], args[1]); break;
    case 3: callback(args[0], args[1], args[2]); break;
    default: callback(...args);
  }
}

function processTicksAndRejections() {
  let tick;
  do {
    while ((tick = queue.shift()) !== null) {
      const asyncId = tick[kAsyncId];
      emitBefore(asyncId, tick[kTriggerAsyncId], tick);
      const previous = context.exchange(tick[kContextFrame]);
      // Who is told of an exception sees the context that it was thrown in.
      try {
        runTick(tick);
      } finally {
        if (destroyHooksExist()) emitDestroy(asyncId);
      }
      context.exchange(previous);
      emitAfter(asyncId);
    }
    runMicrotasks();
  } while (!queue.isEmpty() || processPromiseRejections());
  tickInfo[kHasTickScheduled] = 0;
  tickInfo[kHasRejectionToWarn] = 0;
}

/** process.nextTick */
function nextTick(callback) {
  validateFunction(callback, 'callback');
  if (process._exiting) return;

  let args;
  switch (arguments.length) {
    case 1: break;
    case 2: args = [arguments[1]]; break;
    case 3: args = [arguments[1], arguments[2]]; break;
    case 4: args = [arguments[1], arguments[2], arguments[3]]; break;
    default: args = Array.prototype.slice.call(arguments, 1);
  }

  if (queue.isEmpty()) tickInfo[kHasTickScheduled] = 1;
  const asyncId = newAsyncId();
  const triggerId = getDefaultTriggerAsyncId();
  const tick = new TickObject(callback, args, asyncId, triggerId, context.snapshot());
  if (initHooksExist()) emitInit(asyncId, 'TickObject', triggerId, tick);
  queue.push(tick);
}

function callMicrotask(callback) {
  try {
    callback();
  } catch (error) {
    triggerUncaughtException(error, false);
  }
}

let lazyAsyncResource;
const microtaskOptions = { requireManualDestroy: true };

/** The global queueMicrotask. */
function queueMicrotask(callback) {
  validateFunction(callback, 'callback');
  if (initHooksExist()) {
    lazyAsyncResource ??= require('async_hooks').AsyncResource;
    const resource = new lazyAsyncResource('Microtask', microtaskOptions);
    enqueueMicrotask(() => resource.runInAsyncScope(() => {
      try {
        callMicrotask(callback);
      } finally {
        resource.emitDestroy();
      }
    }));
    return;
  }
  const frame = context.snapshot();
  if (frame === undefined) {
    enqueueMicrotask(() => callMicrotask(callback));
  } else {
    enqueueMicrotask(() => context.run(frame, callMicrotask, undefined, callback));
  }
}

/** Connects the queues to the native side. Called once, while the realm is set up. */
function setupTaskQueue() {
  listenForRejections();
  setTickCallback(processTicksAndRejections);
  return { nextTick, runNextTicks };
}

module.exports = {
  setupTaskQueue, nextTick, runNextTicks, processTicksAndRejections, queueMicrotask, triggerUncaughtException,
};
