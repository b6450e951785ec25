'use strict';

// setTimeout() of sockets: a timer that does not keep the process alive and that every sign of life starts anew.

const {
  codes: { ERR_OUT_OF_RANGE },
} = require('#internal/errors');
const { validateFunction, validateNumber } = require('#internal/validators');

const kTimeout = Symbol('timeout');
const kMaxTimeout = 2 ** 31 - 1;

/** @param {unknown} msecs @param {string} name @returns {number} */
function timerDuration(msecs, name) {
  validateNumber(msecs, name);
  if (msecs < 0 || !Number.isFinite(msecs)) throw new ERR_OUT_OF_RANGE(name, 'a non-negative finite number', msecs);
  if (msecs > kMaxTimeout) {
    process.emitWarning(
      `${msecs} does not fit into a 32-bit signed integer.\nTimer duration was truncated to ${kMaxTimeout}.`,
      'TimeoutOverflowWarning',
    );
    return kMaxTimeout;
  }
  return msecs;
}

function clearStreamTimeout(stream) {
  if (!stream[kTimeout]) return;
  clearTimeout(stream[kTimeout]);
  stream[kTimeout] = null;
}

/**
 * @this {import('net').Socket}
 * @param {number} msecs 0 switches it off
 * @param {() => void} [callback]
 */
function setStreamTimeout(msecs, callback) {
  if (this.destroyed) return this;
  this.timeout = msecs;
  msecs = timerDuration(msecs, 'msecs');
  clearStreamTimeout(this);
  if (msecs === 0) {
    if (callback !== undefined) {
      validateFunction(callback, 'callback');
      this.removeListener('timeout', callback);
    }
  } else {
    this[kTimeout] = setTimeout(() => this._onTimeout(), msecs).unref();
    if (callback !== undefined) {
      validateFunction(callback, 'callback');
      this.once('timeout', callback);
    }
  }
  return this;
}

module.exports = { setStreamTimeout, clearStreamTimeout, timerDuration, kTimeout };
