'use strict';

// Lets the inspector switch the forwarding of console calls without loading node:console's internals.

let forward = () => {};

module.exports = {
  setForwarder(fn) {
    forward = fn;
  },
  /** @param {boolean} isAttached whether an inspector listens */
  setInspectorAttached(isAttached) {
    forward(isAttached);
  },
};
