'use strict';

// node:timers. The lists of timers are in lists.js, the queue of immediates in immediates.js.
//
// What the native side gives, binding('timers'):
//   setupTimers(processImmediate, processTimers)
//   scheduleTimer(ms)      (re)starts the realm's one loop timer, `ms` from now (at least 1)
//   getLibuvNow()          the loop's clock, read afresh: whole milliseconds since the loop was made
//   timerInfo: Int32Array [kRefCount], immediateInfo: Uint32Array [kCount, kRefCount, kHasOutstanding]; shared
//     memory that the native side only reads, except that it may not miss a change:
//     - the loop timer holds the loop open only while timerInfo[kRefCount] > 0;
//     - poll does not block, and the loop stays alive, while immediateInfo[kRefCount] > 0.
// What the native side must do:
//   - When the loop timer fires, call processTimers(now). It returns the next expiry on the loop's clock (positive if
//     it is to hold the loop open, negative if not), or 0 for none; then the timer is started again for
//     max(1, |expiry| - now). While the call throws, report the exception as uncaught and, if that was handled, call
//     it again with the same `now`.
//   - In the check phase, if immediateInfo[kCount] or [kHasOutstanding] is not 0, call processImmediate(); while it
//     throws and [kHasOutstanding] is set, report and call again.

const lists = require('#timers/lists');
const immediates = require('#timers/immediates');
const { setupTimers } = binding('timers');
const { validateFunction } = require('#internal/validators');
const { kCustomPromisify } = require('#internal/util');

const { Timeout, insertNew, kHasPrimitive, kAsyncId, byPrimitive } = lists;
const { Immediate, clearImmediate } = immediates;

let timersPromises;
const lazyPromises = () => (timersPromises ??= require('timers/promises'));

/**
 * @param {Function} callback
 * @param {number} [after] milliseconds
 * @param {...unknown} args
 */
function setTimeout(callback, after) {
  validateFunction(callback, 'callback');
  const args = arguments.length > 2 ? Array.prototype.slice.call(arguments, 2) : undefined;
  const timeout = new Timeout(callback, after, args, false, true);
  insertNew(timeout);
  return timeout;
}

function setInterval(callback, repeat) {
  validateFunction(callback, 'callback');
  const args = arguments.length > 2 ? Array.prototype.slice.call(arguments, 2) : undefined;
  const timeout = new Timeout(callback, repeat, args, true, true);
  insertNew(timeout);
  return timeout;
}

/** Takes a Timeout, or the number or numeric string that one was turned into. */
function clearTimeout(timer) {
  if (timer?._onTimeout) {
    timer._onTimeout = null;
    lists.drop(timer);
    return;
  }
  if (typeof timer === 'number' || typeof timer === 'string') {
    const known = byPrimitive.get(Number(timer));
    if (known !== undefined && String(known[kAsyncId]) === String(timer)) {
      known._onTimeout = null;
      lists.drop(known);
    }
  }
}

function clearInterval(timer) {
  clearTimeout(timer);
}

function setImmediate(callback) {
  validateFunction(callback, 'callback');
  const args = arguments.length > 1 ? Array.prototype.slice.call(arguments, 1) : undefined;
  return new Immediate(callback, args);
}

Timeout.prototype.close = function() {
  clearTimeout(this);
  return this;
};
Timeout.prototype[Symbol.dispose] = function() {
  clearTimeout(this);
};
Timeout.prototype[Symbol.toPrimitive] = function() {
  const id = this[kAsyncId];
  if (!this[kHasPrimitive]) {
    this[kHasPrimitive] = true;
    byPrimitive.set(id, this);
  }
  return id;
};
Immediate.prototype[Symbol.dispose] = function() {
  clearImmediate(this);
};

for (const [fn, name] of [[setTimeout, 'setTimeout'], [setImmediate, 'setImmediate']]) {
  Object.defineProperty(fn, kCustomPromisify, {
    __proto__: null,
    enumerable: true,
    get() {
      return lazyPromises()[name];
    },
  });
}

/** Connects the timers to the loop. Called once, while the realm is set up. */
function setupLoop() {
  setupTimers(immediates.processImmediate, lists.processTimers);
}

module.exports = {
  setTimeout,
  clearTimeout,
  setImmediate,
  clearImmediate,
  setInterval,
  clearInterval,
};

Object.defineProperties(module.exports, {
  promises: {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get() {
      return lazyPromises();
    },
  },
});

// For the start-up code and for modules that set timers of their own; not seen by programs.
const internals = require('#timers/internals');
internals.setupLoop = setupLoop;
