'use strict';

// What other built-in modules take from the timers.

const { insert, drop, Timeout, getLibuvNow } = require('#timers/lists');
const { Immediate } = require('#timers/immediates');

/**
 * A timeout of ours that does not hold the loop open: connection time-outs and the like.
 * @param {Function} callback
 * @param {number} after
 */
function setUnrefTimeout(callback, after) {
  const timer = new Timeout(callback, after, undefined, false, false);
  insert(timer, timer._idleTimeout);
  return timer;
}

/** Stops a timer made here or by setTimeout. */
function cancelTimeout(timer) {
  timer._onTimeout = null;
  drop(timer);
}

/** An immediate that hooks are not told of. */
function setImmediateInternal(callback) {
  return new Immediate(callback, undefined, true);
}

module.exports = {
  setUnrefTimeout, cancelTimeout, setImmediateInternal, getLibuvNow, setupLoop: undefined,
};
