'use strict';

// Timers. All timers of one duration stand in one list, in the order in which they were started, which is the
// order in which they expire: starting, stopping and firing one is constant work. The lists stand in a heap
// by the expiry of their first timer, and one loop timer is set for the least.
//
// A list that runs empty stays where it is until its time comes, for the next timer of its duration most
// often comes sooner; when too many have gathered they are dropped together.

const {
  scheduleTimer, getLibuvNow, timerInfo,
} = binding('timers');
const { runNextTicks } = require('#process/task_queues');
const {
  newAsyncId, getDefaultTriggerAsyncId, emitInit, emitBefore, emitAfter, emitDestroy, initHooksExist,
  destroyHooksExist,
} = require('#async_hooks/hooks');
const context = require('#async_hooks/context');
const { ExpiryQueue } = require('#timers/queue');
const { customInspectSymbol } = require('#internal/util');

const kTimeoutMax = 2 ** 31 - 1;
const kRefCount = 0;
const kEmptyListsKept = 64;

const kRefed = Symbol('refed');
const kHasPrimitive = Symbol('kHasPrimitive');
const kAsyncId = Symbol('asyncId');
const kTriggerId = Symbol('triggerId');
const kContextFrame = Symbol('kAsyncContextFrame');

/** @type {Map<number, TimersList>} */
const listOf = new Map();
const queue = new ExpiryQueue();
let emptyLists = 0;
let nextExpiry = Infinity; // what the loop timer is set for

/**
 * Timers whose number was asked for, so that it can be given to clearTimeout. @type {Map<number, Timeout>}
 */
const byPrimitive = new Map();

let inspect;
let warnedOfNegative = false;
let warnedOfNaN = false;

class TimersList {
  constructor(expiry, msecs) {
    this._idleNext = this;
    this._idlePrev = this;
    this.expiry = expiry;
    this.msecs = msecs;
    this.place = 0;
    this.isCountedEmpty = false;
  }

  [customInspectSymbol](_, options) {
    inspect ??= require('util').inspect;
    return inspect(this, { ...options, depth: 0, customInspect: false });
  }
}

/** What `after` means as a delay: a number from 1 to the most that fits, warned of where it was none. */
function toDelay(after) {
  if (after === undefined) return 1;
  after *= 1; // a number, or NaN
  if (after >= 1 && after <= kTimeoutMax) return after;
  if (after > kTimeoutMax) {
    process.emitWarning(`${after} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`,
      'TimeoutOverflowWarning');
  } else if (after < 0 && !warnedOfNegative) {
    warnedOfNegative = true;
    process.emitWarning(`${after} is a negative number.\nTimeout duration was set to 1.`,
      'TimeoutNegativeWarning');
  } else if (Number.isNaN(after) && !warnedOfNaN) {
    warnedOfNaN = true;
    process.emitWarning(`${after} is not a number.\nTimeout duration was set to 1.`, 'TimeoutNaNWarning');
  }
  return 1;
}

class Timeout {
  constructor(callback, after, args, isRepeat, isRefed) {
    after = toDelay(after);
    this._idleTimeout = after;
    this._idlePrev = this;
    this._idleNext = this;
    this._idleStart = null;
    this._onTimeout = null;
    this._onTimeout = callback;
    this._timerArgs = args;
    this._repeat = isRepeat ? after : null;
    this._destroyed = false;
    if (isRefed) timerInfo[kRefCount]++;
    this[kRefed] = isRefed;
    this[kHasPrimitive] = false;
    this[kAsyncId] = newAsyncId();
    this[kTriggerId] = getDefaultTriggerAsyncId();
    this[kContextFrame] = context.snapshot();
    if (initHooksExist()) emitInit(this[kAsyncId], 'Timeout', this[kTriggerId], this);
  }

  [customInspectSymbol](_, options) {
    inspect ??= require('util').inspect;
    return inspect(this, { ...options, depth: 0, customInspect: false });
  }

  /** Starts the delay again, from now. */
  refresh() {
    if (this[kRefed]) start(this);
    else insert(this, this._idleTimeout);
    return this;
  }

  unref() {
    if (this[kRefed]) {
      this[kRefed] = false;
      if (!this._destroyed) timerInfo[kRefCount]--;
    }
    return this;
  }

  ref() {
    if (this[kRefed] === false) {
      this[kRefed] = true;
      if (!this._destroyed) timerInfo[kRefCount]++;
    }
    return this;
  }

  hasRef() {
    return this[kRefed];
  }
}

/** Starts a timer again that may have ended. */
function start(timer) {
  if (timer._destroyed) {
    timer._destroyed = false;
    if (timer[kRefed]) timerInfo[kRefCount]++;
    if (initHooksExist()) {
      timer[kAsyncId] = newAsyncId();
      timer[kTriggerId] = getDefaultTriggerAsyncId();
      emitInit(timer[kAsyncId], 'Timeout', timer[kTriggerId], timer);
    }
  }
  insert(timer, timer._idleTimeout);
}

/** Puts `timer` at the end of the list of its duration. */
function insert(timer, msecs, now = getLibuvNow()) {
  msecs = Math.trunc(msecs);
  timer._idleStart = now;
  if (timer._idleNext !== timer && timer._idleNext) unlink(timer);

  let list = listOf.get(msecs);
  if (list === undefined) {
    list = new TimersList(now + msecs, msecs);
    listOf.set(msecs, list);
    queue.insert(list);
  } else if (list.isCountedEmpty) {
    list.isCountedEmpty = false;
    emptyLists--;
  }
  const last = list._idlePrev;
  timer._idleNext = list;
  timer._idlePrev = last;
  last._idleNext = timer;
  list._idlePrev = timer;

  // The list may have stood empty with an expiry that lies before its new first timer's: then the loop timer
  // wakes once for nothing, and is set right.
  if (list.expiry < nextExpiry) {
    nextExpiry = list.expiry;
    scheduleTimer(Math.max(1, list.expiry - now));
  }
}

function insertNew(timer) {
  insert(timer, timer._idleTimeout);
}

function unlink(timer) {
  const next = timer._idleNext;
  const previous = timer._idlePrev;
  next._idlePrev = previous;
  previous._idleNext = next;
  timer._idleNext = null;
  timer._idlePrev = null;
  if (next === previous && next instanceof TimersList) noteEmpty(next);
}

function noteEmpty(list) {
  list.isCountedEmpty = true;
  if (++emptyLists <= kEmptyListsKept || emptyLists * 2 < queue.size) return;
  queue.prune((list) => {
    if (list._idleNext !== list) return false;
    listOf.delete(list.msecs);
    return true;
  });
  emptyLists = 0;
}

/** Ends `timer`, which will not fire again unless it is refreshed. */
function finish(timer) {
  timer._destroyed = true;
  if (timer[kHasPrimitive]) byPrimitive.delete(timer[kAsyncId]);
  if (timer[kRefed]) timerInfo[kRefCount]--;
  if (destroyHooksExist()) emitDestroy(timer[kAsyncId]);
}

/** Stops `timer`. */
function drop(timer) {
  if (!timer._destroyed) finish(timer);
  const next = timer._idleNext;
  if (next && next !== timer) unlink(timer);
  timer._idleTimeout = -1;
}

function fire(timer) {
  const asyncId = timer[kAsyncId];
  emitBefore(asyncId, timer[kTriggerId], timer);
  const previous = context.exchange(timer[kContextFrame]);
  const startOfRepeat = timer._repeat ? getLibuvNow() : 0;
  try {
    const args = timer._timerArgs;
    if (args === undefined) timer._onTimeout();
    else Reflect.apply(timer._onTimeout, timer, args);
  } finally {
    if (timer._repeat && timer._idleTimeout !== -1) {
      timer._idleTimeout = timer._repeat;
      insert(timer, timer._idleTimeout, startOfRepeat);
    } else if (!timer._idleNext && !timer._destroyed) {
      finish(timer);
    }
  }
  // Not after an exception: who is told of it sees the context that it was thrown in.
  context.exchange(previous);
  emitAfter(asyncId);
}

/** Fires what is due in `list`. */
function runList(list, now) {
  const { msecs } = list;
  let ranOne = false;
  let timer;
  while ((timer = list._idleNext) !== list) {
    const elapsed = now - timer._idleStart;
    if (elapsed < msecs) {
      list.expiry = Math.max(timer._idleStart + msecs, now + 1);
      queue.update(list);
      return;
    }
    if (ranOne) {
      runNextTicks();
      // What ran may have stopped the timer.
      if (list._idleNext !== timer) continue;
    }
    ranOne = true;
    detachFirst(list, timer);
    if (timer._onTimeout) fire(timer);
    else if (!timer._destroyed) finish(timer);
  }
  if (listOf.get(msecs) === list) {
    if (list.isCountedEmpty) emptyLists--;
    listOf.delete(msecs);
    queue.remove(list);
  }
}

/** As unlink, for a list that is being run: it ends empty or not when runList returns. */
function detachFirst(list, timer) {
  const next = timer._idleNext;
  list._idleNext = next;
  next._idlePrev = list;
  timer._idleNext = null;
  timer._idlePrev = null;
}

/**
 * Fires what is due. Called by the loop.
 * @param {number} now
 * @returns {number} the next expiry, negative if it is not to hold the loop open; 0 if there is none
 */
function processTimers(now) {
  nextExpiry = Infinity;
  let ranOne = false;
  let list;
  while ((list = queue.peek()) !== undefined) {
    if (list.expiry > now) {
      nextExpiry = list.expiry;
      // Time has passed while timers ran.
      now = getLibuvNow();
      if (nextExpiry > now) return timerInfo[kRefCount] > 0 ? nextExpiry : -nextExpiry;
    }
    if (ranOne) runNextTicks();
    else ranOne = true;
    runList(list, now);
  }
  return 0;
}

module.exports = {
  Timeout, insert, insertNew, drop, processTimers, getLibuvNow, byPrimitive, kAsyncId, kHasPrimitive, kRefed,
};
