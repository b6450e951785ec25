'use strict';

// Signals that util.transferableAbortSignal has made transferable: the abort is told through a message channel.

const { abortSignal, createAbortSignal } = require('#web/abort');
const { MessageChannel, handleOf } = require('#web/messaging');
const { kResistStopPropagation } = require('#web/event_target');
const transferable = require('#web/transferable');

const ports = new WeakMap();

/** Makes one signal transferable. */
function makeTransferable(signal) {
  transferable.setTransferMode(signal, transferable.kTransferable);
  Object.defineProperty(signal, transferable.transferList, {
    __proto__: null,
    configurable: true,
    value() {
      if (this.aborted) return [];
      const { port1, port2 } = new MessageChannel();
      ports.set(this, { mine: port1, theirs: port2 });
      return [port2];
    },
  });
  Object.defineProperty(signal, transferable.transfer, {
    __proto__: null, configurable: true, value() { return ['AbortSignal', transfer(this)]; },
  });
  return signal;
}

function transfer(signal) {
  if (signal.aborted) return { aborted: true, reason: signal.reason };
  const { mine, theirs } = ports.get(signal);
  mine.unref();
  signal.addEventListener('abort', () => {
    mine.postMessage(signal.reason);
    mine.close();
  }, { once: true, [kResistStopPropagation]: true });
  return { aborted: false, port: theirs };
}

function deserialize({ aborted, reason, port }) {
  const signal = createAbortSignal();
  if (aborted) {
    abortSignal(signal, reason);
    return signal;
  }
  const handle = handleOf(port);
  handle.onmessage = (value) => {
    abortSignal(signal, value);
    port.close();
  };
  port.start();
  port.unref();
  return signal;
}

module.exports = { deserialize, makeTransferable };
