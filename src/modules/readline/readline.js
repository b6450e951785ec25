'use strict';

// node:readline: the module's face.

const { Interface } = require('#readline/interface');
const { clearLine, clearScreenDown, cursorTo, moveCursor } = require('#readline/cursor');
const { emitKeypressEvents } = require('#readline/emit_keypress');

function createInterface(input, output, completer, terminal) {
  return new Interface(input, output, completer, terminal);
}

module.exports = {
  Interface,
  clearLine,
  clearScreenDown,
  createInterface,
  cursorTo,
  emitKeypressEvents,
  moveCursor,
};

Object.defineProperty(module.exports, 'promises', {
  __proto__: null,
  configurable: true,
  enumerable: true,
  get() {
    return require('readline/promises');
  },
  // Libraries that copy a module assign what they found.
  set(value) {
    Object.defineProperty(this, 'promises', {
      __proto__: null, value, writable: true, enumerable: true, configurable: true,
    });
  },
});
