'use strict';

// One algorithm, three forms. A script is a generator that yields native calls as `[method, ...arguments]` and gets
// their results (or their errors, thrown) back; it runs blocking, or awaiting each call. It may also yield a function,
// of which it gets the value, awaited in the asynchronous form.

const native = binding('fs');
const { kPromise } = native;

/**
 * @param {Generator} script
 * @returns {any} what the script returns
 */
function runSync(script) {
  let step = script.next();
  while (!step.done) {
    let value;
    try {
      const [method, ...args] = step.value;
      value = typeof method === 'function' ? method() : native[method](...args);
    } catch (error) {
      step = script.throw(error);
      continue;
    }
    step = script.next(value);
  }
  return step.value;
}

/** @param {Generator} script */
async function runAsync(script) {
  let step = script.next();
  while (!step.done) {
    let value;
    try {
      const [method, ...args] = step.value;
      value = await (typeof method === 'function' ? method() : native[method](...args, kPromise));
    } catch (error) {
      step = script.throw(error);
      continue;
    }
    step = script.next(value);
  }
  return step.value;
}

/** Hands what a promise comes to over to a callback, whose own errors are nobody's rejection. */
function toCallback(promise, callback) {
  promise.then(
    (value) => process.nextTick(callback, null, value),
    (error) => process.nextTick(callback, error));
}

module.exports = { runAsync, runSync, toCallback };
