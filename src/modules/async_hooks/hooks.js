'use strict';

// The async ids and the hooks that watch them. Everything asynchronous that JavaScript starts (ticks, timers,
// immediates, AsyncResource) takes its ids here. While no hook is enabled an id costs one addition.
//
// Shared with the native side: `fields` (binding('async_context').fields, a Float64Array) holds the ids of
// what runs now and the counter; `counts` (a Uint32Array) tells how many enabled hooks listen to what. A
// native operation takes its id from `fields[kCounter]`; when `counts` says that somebody listens it calls
// the functions given to `setCallbacks`.

const { fields, counts, setCallbacks, setPromiseHooks, trackCollection } = binding('async_context');
const { enqueueMicrotask } = binding('task_queue');

const kExecutionId = 0;
const kTriggerId = 1;
const kCounter = 2;
const kDefaultTrigger = 3; // -1: none

const kInit = 0;
const kBefore = 1;
const kAfter = 2;
const kDestroy = 3;
const kPromiseResolve = 4;
const kStackDepth = 5; // how many hooks are enabled at all
const kPendingDestroys = 6; // whether flushDestroyQueue is to be called before the next immediates

const kAsyncId = Symbol('async_id_symbol');
const kTriggerAsyncId = Symbol('trigger_async_id_symbol');

// What encloses the running scope: execution id, trigger id and resource of each, innermost last.
const stack = [];
let resource; // of the running scope; made when asked for where undefined
let topLevelResource;

// The enabled AsyncHook objects. What a hook enables or disables while hooks are being told of something
// counts when the outermost round is over: until then `staged` holds what will be.
let active = [];
let staged;
let rounds = 0;
const symbols = {
  init: Symbol('init'),
  before: Symbol('before'),
  after: Symbol('after'),
  destroy: Symbol('destroy'),
  promiseResolve: Symbol('promiseResolve'),
  kNoPromiseHook: Symbol('kNoPromiseHook'),
};

function newAsyncId() {
  return ++fields[kCounter];
}

function executionAsyncId() {
  return fields[kExecutionId];
}

function triggerAsyncId() {
  return fields[kTriggerId];
}

/** The object of the running scope. */
function executionAsyncResource() {
  if (resource === undefined) {
    if (stack.length === 0) return (topLevelResource ??= {});
    resource = {};
  }
  return resource;
}

function getDefaultTriggerAsyncId() {
  const id = fields[kDefaultTrigger];
  return id < 0 ? fields[kExecutionId] : id;
}

/** Runs `fn` so that what it starts names `triggerId` as its trigger. */
function defaultTriggerAsyncIdScope(triggerId, fn, ...args) {
  if (triggerId === undefined) return fn(...args);
  const previous = fields[kDefaultTrigger];
  fields[kDefaultTrigger] = triggerId;
  try {
    return fn(...args);
  } finally {
    fields[kDefaultTrigger] = previous;
  }
}

/** The async id of `object`, given now if it has none. */
function getOrSetAsyncId(object) {
  if (Object.hasOwn(object, kAsyncId)) return object[kAsyncId];
  return (object[kAsyncId] = newAsyncId());
}

function pushAsyncContext(asyncId, triggerId, newResource) {
  stack.push(fields[kExecutionId], fields[kTriggerId], resource);
  fields[kExecutionId] = asyncId;
  fields[kTriggerId] = triggerId;
  resource = newResource;
}

/** Ends the scope of `asyncId`. @returns {boolean} whether another encloses it */
function popAsyncContext(asyncId) {
  if (stack.length === 0) return false;
  if (counts[kStackDepth] > 0 && fields[kExecutionId] !== asyncId) failCorrupted(asyncId);
  resource = stack.pop();
  fields[kTriggerId] = stack.pop();
  fields[kExecutionId] = stack.pop();
  return stack.length > 0;
}

function failCorrupted(asyncId) {
  const error = new Error('async hook stack has become corrupted ' +
    `(actual: ${fields[kExecutionId]}, expected: ${asyncId})`);
  fatal(error);
}

/** Forgets all scopes: after an uncaught exception was handled. */
function clearAsyncIdStack() {
  stack.length = 0;
  resource = undefined;
  fields[kExecutionId] = 0;
  fields[kTriggerId] = 0;
  fields[kDefaultTrigger] = -1;
}

/** Ends all scopes that an exception has left open, once it was dealt with. */
function unwindAfterException() {
  if (counts[kAfter] > 0) {
    while (stack.length > 0) emitAfter(fields[kExecutionId]);
  }
  clearAsyncIdStack();
  require('#async_hooks/context').exchange(undefined);
}

const hasAsyncIdStack = () => stack.length > 0;

/** A hook that throws ends the process: nothing could make sense of the ids after it. */
function fatal(error) {
  const text = typeof error?.stack === 'string' ? error.stack : new Error(String(error)).stack;
  process._rawDebug(text);
  if (require('#runtime/options').getOptionValue('--abort-on-uncaught-exception')) process.abort();
  process.reallyExit(runExitListeners());
}

function runExitListeners() {
  try {
    process._exiting = true;
    process.emit('exit', 1);
  } catch {
    // Nothing is left that could report it.
  }
  return 1;
}

function callAll(name, a, b, c, d) {
  const hooks = active;
  const key = symbols[name];
  rounds++;
  try {
    for (let i = 0; i < hooks.length; i++) {
      const fn = hooks[i][key];
      if (typeof fn === 'function') fn.call(hooks[i], a, b, c, d);
    }
  } catch (error) {
    fatal(error);
  }
  if (--rounds === 0 && staged !== undefined) {
    const next = staged;
    staged = undefined;
    setActive(next);
  }
}

function emitInit(asyncId, type, triggerId, newResource) {
  if (counts[kInit] === 0) return;
  if (triggerId === undefined || triggerId === null) triggerId = getDefaultTriggerAsyncId();
  callAll('init', asyncId, type, triggerId, newResource);
}

function emitBefore(asyncId, triggerId, newResource) {
  pushAsyncContext(asyncId, triggerId, newResource);
  if (counts[kBefore] > 0) callAll('before', asyncId);
}

function emitAfter(asyncId) {
  if (counts[kAfter] > 0) callAll('after', asyncId);
  popAsyncContext(asyncId);
}

// --- destroy: told together, before the next immediates; the native side calls flushDestroyQueue then ---
let destroyQueue = [];
// So many are told of by a microtask, for a program may never leave its microtasks.
const kManyDestroys = 16384;

function emitDestroy(asyncId) {
  if (counts[kDestroy] === 0 || !(asyncId > 0)) return;
  counts[kPendingDestroys] = 1;
  if (destroyQueue.push(asyncId) === kManyDestroys) enqueueMicrotask(flushDestroyQueue);
}

function flushDestroyQueue() {
  counts[kPendingDestroys] = 0;
  while (destroyQueue.length > 0) {
    const queue = destroyQueue;
    destroyQueue = [];
    for (const asyncId of queue) callAll('destroy', asyncId);
  }
}

/** Emits destroy for `asyncId` when `object` is collected, unless `state.destroyed` says that it was. */
function registerDestroyHook(object, asyncId, state) {
  trackCollection(object, asyncId, state, onCollected);
}

/** Called by the native side before immediates run: [asyncId, state, ...] of what was collected. */
function onCollected(list) {
  for (let i = 0; i < list.length; i += 2) {
    if (list[i + 1]?.destroyed) continue;
    if (counts[kDestroy] > 0) callAll('destroy', list[i]);
  }
}

const initHooksExist = () => counts[kInit] > 0;
const destroyHooksExist = () => counts[kDestroy] > 0;
const enabledHooksExist = () => counts[kStackDepth] > 0;

// --- promises: V8 is told to call us only while a hook wants to know ---
function trackPromise(promise, parent) {
  if (promise[kAsyncId]) return;
  const triggerId = parent ? getOrSetAsyncId(parent) : getDefaultTriggerAsyncId();
  promise[kAsyncId] = newAsyncId();
  promise[kTriggerAsyncId] = triggerId;
}

function promiseInit(promise, parent) {
  trackPromise(promise, parent);
  const asyncId = promise[kAsyncId];
  emitInit(asyncId, 'PROMISE', promise[kTriggerAsyncId], promise);
  if (counts[kDestroy] > 0) registerDestroyHook(promise, asyncId, undefined);
}

function promiseBefore(promise) {
  trackPromise(promise);
  emitBefore(promise[kAsyncId], promise[kTriggerAsyncId], promise);
}

function promiseAfter(promise) {
  trackPromise(promise);
  const asyncId = promise[kAsyncId];
  if (counts[kAfter] > 0) callAll('after', asyncId);
  // Hooks enabled inside the reaction saw no before: then the scope is not ours to end.
  if (asyncId === fields[kExecutionId]) popAsyncContext(asyncId);
}

function promiseSettled(promise) {
  trackPromise(promise);
  if (counts[kPromiseResolve] > 0) callAll('promiseResolve', promise[kAsyncId]);
}

let stopPromiseHook;
function updatePromiseHooks() {
  const wanted = active.some((hook) => !hook[symbols.kNoPromiseHook]);
  if (wanted === (stopPromiseHook !== undefined)) return;
  if (wanted) {
    stopPromiseHook = require('#async_hooks/promise_hooks').createHook({
      init: promiseInit,
      before: promiseBefore,
      after: promiseAfter,
      settled: promiseSettled,
    });
  } else {
    stopPromiseHook();
    stopPromiseHook = undefined;
  }
}

function setActive(hooks) {
  active = hooks;
  const has = (kind) => hooks.filter((hook) => hook[symbols[kind]]).length;
  counts[kInit] = has('init');
  counts[kBefore] = has('before');
  counts[kAfter] = has('after');
  counts[kDestroy] = has('destroy');
  counts[kPromiseResolve] = has('promiseResolve');
  counts[kStackDepth] = hooks.length;
  updatePromiseHooks();
}

function change(hooks) {
  if (rounds > 0) staged = hooks;
  else setActive(hooks);
}

function enableHook(hook) {
  const hooks = staged ?? active;
  if (hooks.includes(hook)) return;
  setCallbacks({
    init: emitInit, before: emitBefore, after: emitAfter, destroy: emitDestroy, flush: flushDestroyQueue,
  });
  change([...hooks, hook]);
}

function disableHook(hook) {
  const hooks = staged ?? active;
  if (hooks.includes(hook)) change(hooks.filter((other) => other !== hook));
}

module.exports = {
  kAsyncId,
  kTriggerAsyncId,
  symbols,
  newAsyncId,
  executionAsyncId,
  triggerAsyncId,
  executionAsyncResource,
  getDefaultTriggerAsyncId,
  defaultTriggerAsyncIdScope,
  getOrSetAsyncId,
  pushAsyncContext,
  popAsyncContext,
  clearAsyncIdStack,
  unwindAfterException,
  hasAsyncIdStack,
  emitInit,
  emitBefore,
  emitAfter,
  emitDestroy,
  registerDestroyHook,
  initHooksExist,
  destroyHooksExist,
  enabledHooksExist,
  enableHook,
  disableHook,
  setPromiseHooks,
};
