'use strict';

// The cluster's own messages on the channels of its processes: each has a number, by which an answer names it.

const callbacks = new Map();
let sequence = 0;

/** @returns {boolean} false when the channel is closed */
function sendHelper(target, message, handle, callback) {
  if (!target.connected) return false;
  const numbered = { cmd: 'NODE_CLUSTER', ...message, seq: sequence };
  if (typeof callback === 'function') callbacks.set(sequence, callback);
  sequence++;
  return target.send(numbered, handle);
}

/** A listener of 'internalMessage' that gives answers to those who wait for them, and the rest to `other`. */
function internal(worker, other) {
  return function onInternalMessage(message, handle) {
    if (message.cmd !== 'NODE_CLUSTER') return;
    let fn = other;
    if (message.ack !== undefined) {
      const callback = callbacks.get(message.ack);
      if (callback !== undefined) {
        fn = callback;
        callbacks.delete(message.ack);
      }
    }
    fn.call(worker, message, handle);
  };
}

module.exports = { sendHelper, internal };
