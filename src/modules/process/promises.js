'use strict';

// Rejected promises that nobody handles, and what becomes of them (--unhandled-rejections).

const { tickInfo, setPromiseRejectCallback, triggerUncaughtException, detailString } = binding('task_queue');
const context = require('#async_hooks/context');
const tracing = require('#trace_events/tracing');
const {
  kAsyncId, kTriggerAsyncId, pushAsyncContext, popAsyncContext,
} = require('#async_hooks/hooks');

const kHasRejectionToWarn = 1;

// V8's v8::PromiseRejectEvent.
const kRejectWithNoHandler = 0;
const kHandlerAddedAfterReject = 1;
const kRejectAfterResolved = 2;
const kResolveAfterResolved = 3;

const kNodeDocs = 'https://nodejs.org/api/cli.html#cli_unhandled_rejections_mode';

/**
 * @typedef {{ reason: unknown, uid: number, warned: boolean, domain?: object, frame: unknown }} RejectionInfo
 */

/** Rejected in this turn; their turn to be reported comes when the microtasks are done. */
const pending = new Map();
/** Reported, and still without a handler. @type {WeakMap<Promise<unknown>, RejectionInfo>} */
let reported;
/** Handled after they were reported. */
const handledLate = [];
let lastId = 0;
let mode;

let unhandledCount = 0;
let handledLateCount = 0;
function traceRejections() {
  tracing.trace(tracing.kCounter, 'node,node.promises,node.promises.rejections', 'rejections', 0,
    { unhandled: unhandledCount, handledAfter: handledLateCount });
}

function onPromiseReject(type, promise, value) {
  switch (type) {
    case kRejectWithNoHandler:
      pending.set(promise, {
        reason: value,
        uid: ++lastId,
        warned: false,
        domain: process.domain,
        frame: context.snapshot(),
      });
      tickInfo[kHasRejectionToWarn] = 1;
      unhandledCount++;
      if (tracing.isOn.promises) traceRejections();
      break;
    case kHandlerAddedAfterReject:
      onHandlerAdded(promise);
      break;
    case kResolveAfterResolved:
      onMultipleResolve('resolve', promise, value);
      break;
    case kRejectAfterResolved:
      onMultipleResolve('reject', promise, value);
      break;
  }
}

function onHandlerAdded(promise) {
  if (pending.delete(promise)) return;
  const info = reported?.get(promise);
  if (info === undefined) return;
  handledLateCount++;
  if (tracing.isOn.promises) traceRejections();
  reported.delete(promise);
  const warning = new Error(`Promise rejection was handled asynchronously (rejection id: ${info.uid})`);
  warning.name = 'PromiseRejectionHandledWarning';
  warning.id = info.uid;
  handledLate.push({ promise, warning });
  tickInfo[kHasRejectionToWarn] = 1;
}

function onMultipleResolve(type, promise, value) {
  if (process.listenerCount('multipleResolves') === 0) return;
  // From a tick: the executor that resolved twice must not catch what a listener throws.
  process.nextTick(() => process.emit('multipleResolves', type, promise, value));
}

const isErrorLike = (value) => typeof value === 'object' && value !== null && Object.hasOwn(value, 'stack');

const kText = 'This error originated either by throwing inside of an async function without a catch block, ' +
  'or by rejecting a promise which was not handled with .catch().';

/** What is thrown for a reason that is no error. */
class UnhandledPromiseRejection extends Error {
  constructor(reason) {
    super(`${kText} The promise rejected with the reason "${detailString(reason)}".`);
    this.code = 'ERR_UNHANDLED_REJECTION';
  }
}
Object.defineProperty(UnhandledPromiseRejection.prototype, 'name', {
  __proto__: null, value: 'UnhandledPromiseRejection', writable: true, configurable: true, enumerable: false,
});

function toError(reason) {
  if (isErrorLike(reason)) return reason;
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0; // the place of the report says nothing about the rejection
  const error = new UnhandledPromiseRejection(reason);
  Error.stackTraceLimit = limit;
  return error;
}

function warn({ reason, uid }) {
  const warning = new Error('Unhandled promise rejection. ' + kText +
    ' To terminate the node process on unhandled promise rejection, use the CLI flag ' +
    `\`--unhandled-rejections=strict\` (see ${kNodeDocs}). (rejection id: ${uid})`);
  warning.name = 'UnhandledPromiseRejectionWarning';
  try {
    if (isErrorLike(reason)) {
      warning.stack = reason.stack;
      process.emitWarning(reason.stack, 'UnhandledPromiseRejectionWarning');
    } else {
      process.emitWarning(detailString(reason), 'UnhandledPromiseRejectionWarning');
    }
  } catch {
    // A reason with a hostile `stack` still gets its own warning below.
  }
  process.emitWarning(warning);
}

function emitUnhandled(promise, info) {
  const { domain, reason } = info;
  if (domain && typeof domain.emit === 'function' && domain.listenerCount('error') > 0) {
    return domain.emit('error', reason) || true;
  }
  return process.emit('unhandledRejection', reason, promise);
}

/** By the value of --unhandled-rejections. */
const modes = {
  __proto__: null,
  'strict'(promise, info) {
    triggerUncaughtException(toError(info.reason), true);
    if (!emitUnhandled(promise, info)) warn(info);
  },
  'throw'(promise, info) {
    if (!emitUnhandled(promise, info)) triggerUncaughtException(toError(info.reason), true);
  },
  'warn'(promise, info) {
    emitUnhandled(promise, info);
    warn(info);
  },
  'none'(promise, info) {
    emitUnhandled(promise, info);
  },
  'warn-with-error-codes'(promise, info) {
    if (emitUnhandled(promise, info)) return;
    warn(info);
    process.exitCode = 1;
  },
};

function currentMode() {
  if (mode === undefined) {
    const { getOptionValue } = require('#runtime/options');
    mode = modes[getOptionValue('--unhandled-rejections')] ?? modes.throw;
  }
  return mode;
}

function report(promise, info) {
  info.warned = true;
  reported ??= new WeakMap();
  reported.set(promise, info);
  const asyncId = promise[kAsyncId];
  // Listeners run as if in the promise, which for async_hooks has its ids only once hooks are enabled.
  if (asyncId !== undefined) pushAsyncContext(asyncId, promise[kTriggerAsyncId], promise);
  const previous = context.exchange(info.frame);
  currentMode()(promise, info);
  context.exchange(previous);
  if (asyncId !== undefined) popAsyncContext(asyncId);
}

/**
 * Reports what was rejected and not handled, and what was handled too late.
 * @returns {boolean} whether ticks or microtasks may have been queued by that
 */
function processPromiseRejections() {
  let ran = handledLate.length > 0;
  while (handledLate.length > 0) {
    const { promise, warning } = handledLate.shift();
    if (!process.emit('rejectionHandled', promise)) process.emitWarning(warning);
  }
  if (pending.size === 0) return ran;
  // What listeners reject now waits for the next round, after the microtasks.
  for (const [promise, info] of [...pending]) {
    if (!pending.delete(promise)) continue;
    ran = true;
    report(promise, info);
  }
  return ran || pending.size > 0;
}

function listenForRejections() {
  setPromiseRejectCallback(onPromiseReject);
}

module.exports = { listenForRejections, processPromiseRejections };
