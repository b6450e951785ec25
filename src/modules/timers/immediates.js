'use strict';

// Immediates: run in the check phase, in the order in which they were made; those made while they run wait
// for the next round.

const { immediateInfo } = binding('timers');
const { runNextTicks } = require('#process/task_queues');
const {
  newAsyncId, getDefaultTriggerAsyncId, emitInit, emitBefore, emitAfter, emitDestroy, initHooksExist,
  destroyHooksExist,
} = require('#async_hooks/hooks');
const context = require('#async_hooks/context');

const kCount = 0;
const kRefCount = 1;
const kHasOutstanding = 2;

const kRefed = Symbol('refed');
const kAsyncId = Symbol('asyncId');
const kTriggerId = Symbol('triggerId');
const kContextFrame = Symbol('kAsyncContextFrame');

class ImmediateList {
  head = null;
  tail = null;

  append(item) {
    if (this.tail !== null) {
      this.tail._idleNext = item;
      item._idlePrev = this.tail;
    } else {
      this.head = item;
    }
    this.tail = item;
  }

  remove(item) {
    if (item._idleNext) item._idleNext._idlePrev = item._idlePrev;
    if (item._idlePrev) item._idlePrev._idleNext = item._idleNext;
    if (item === this.head) this.head = item._idleNext;
    if (item === this.tail) this.tail = item._idlePrev;
    item._idleNext = null;
    item._idlePrev = null;
  }
}

const waiting = new ImmediateList();
// The rest of a round that an exception cut short.
const outstanding = new ImmediateList();

class Immediate {
  /** @param {boolean} [isInternal] of Gyre itself: hooks are not told of it */
  constructor(callback, args, isInternal = false) {
    this._idleNext = null;
    this._idlePrev = null;
    this._onImmediate = callback;
    this._argv = args;
    this._destroyed = false;
    this[kRefed] = true;
    this[kAsyncId] = isInternal ? 0 : newAsyncId();
    this[kTriggerId] = isInternal ? 0 : getDefaultTriggerAsyncId();
    this[kContextFrame] = isInternal ? undefined : context.snapshot();
    if (initHooksExist() && !isInternal) emitInit(this[kAsyncId], 'Immediate', this[kTriggerId], this);
    immediateInfo[kRefCount]++;
    immediateInfo[kCount]++;
    waiting.append(this);
  }

  ref() {
    if (this[kRefed] === false) {
      this[kRefed] = true;
      immediateInfo[kRefCount]++;
    }
    return this;
  }

  unref() {
    if (this[kRefed] === true) {
      this[kRefed] = false;
      immediateInfo[kRefCount]--;
    }
    return this;
  }

  hasRef() {
    return !!this[kRefed];
  }
}

function countDown(immediate) {
  immediateInfo[kCount]--;
  if (immediate[kRefed]) immediateInfo[kRefCount]--;
  immediate[kRefed] = null;
}

function clearImmediate(immediate) {
  if (!immediate?._onImmediate || immediate._destroyed) return;
  immediate._destroyed = true;
  countDown(immediate);
  if (destroyHooksExist() && immediate[kAsyncId] !== undefined) emitDestroy(immediate[kAsyncId]);
  immediate._onImmediate = null;
  waiting.remove(immediate);
}

function run(immediate) {
  const asyncId = immediate[kAsyncId];
  if (asyncId === 0) {
    try {
      immediate._onImmediate();
    } finally {
      outstanding.head = immediate._idleNext;
    }
    return;
  }
  emitBefore(asyncId, immediate[kTriggerId], immediate);
  const previous = context.exchange(immediate[kContextFrame]);
  try {
    const argv = immediate._argv;
    if (argv) immediate._onImmediate(...argv);
    else immediate._onImmediate();
  } finally {
    immediate._onImmediate = null;
    if (destroyHooksExist()) emitDestroy(asyncId);
    outstanding.head = immediate._idleNext;
  }
  // Not after an exception: who is told of it sees the context that it was thrown in.
  context.exchange(previous);
  emitAfter(asyncId);
}

/** Runs one round. Called by the loop in the check phase, and again for the rest when one throws. */
function processImmediate() {
  const isRest = outstanding.head !== null;
  let immediate = isRest ? outstanding.head : waiting.head;
  if (!isRest) waiting.head = waiting.tail = null;

  immediateInfo[kHasOutstanding] = 1;
  let previous;
  let ranOne = false;
  while (immediate !== null) {
    if (ranOne) runNextTicks();
    else ranOne = true;

    if (immediate._destroyed) {
      // Cleared by a tick just now, which unlinked it; only one that came before it knows where it stood.
      outstanding.head = immediate = previous === undefined ? immediate._idleNext : previous._idleNext;
      continue;
    }
    immediate._destroyed = true;
    countDown(immediate);
    previous = immediate;
    run(immediate);
    immediate = outstanding.head;
  }
  immediateInfo[kHasOutstanding] = 0;
}

module.exports = { Immediate, clearImmediate, processImmediate };
