'use strict';

// postMessageToThread: a message to any thread of the process by its id, which hears it as 'workerMessage' of its process.

const native = binding('worker');
const {
  codes: {
    ERR_INVALID_ARG_TYPE, ERR_WORKER_MESSAGING_ERRORED, ERR_WORKER_MESSAGING_FAILED, ERR_WORKER_MESSAGING_SAME_THREAD,
    ERR_WORKER_MESSAGING_TIMEOUT,
  },
} = require('#internal/errors');
const { validateNumber } = require('#internal/validators');
const options = require('#runtime/options');

/** What the native side calls on the thread that a message is for. @returns {boolean} whether somebody heard it */
function deliver(value, source) {
  return process.emit('workerMessage', value, source);
}

/**
 * @param {number} threadId
 * @param {any} value
 * @param {any[] | number} transferList or the time-out
 * @param {number} [timeout]
 */
async function postMessageToThread(threadId, value, transferList, timeout) {
  if (typeof transferList === 'number' && timeout === undefined) {
    timeout = transferList;
    transferList = [];
  }
  if (transferList !== undefined && !Array.isArray(transferList)) {
    throw new ERR_INVALID_ARG_TYPE('transferList', 'Array', transferList);
  }
  if (timeout !== undefined) validateNumber(timeout, 'timeout', 0);
  if (threadId === options.all().threadId) throw new ERR_WORKER_MESSAGING_SAME_THREAD();
  if (!Number.isInteger(threadId) || threadId < 0 || threadId > 0xffffffff) throw new ERR_WORKER_MESSAGING_FAILED();
  const outcome = await new Promise((resolve) => {
    let timer;
    const id = native.postToThread(threadId, value, transferList ?? [], (result) => {
      clearTimeout(timer);
      resolve(result);
    });
    if (timeout === undefined) return;
    timer = setTimeout(() => {
      native.giveUp(id);
      resolve('late');
    }, timeout);
  });
  if (outcome === 'errored') throw new ERR_WORKER_MESSAGING_ERRORED();
  if (outcome === 'failed') throw new ERR_WORKER_MESSAGING_FAILED();
  if (outcome === 'late') throw new ERR_WORKER_MESSAGING_TIMEOUT();
}

module.exports = { deliver, postMessageToThread };
