'use strict';

// The booleans of a stream's state are bits of one number: a state of twenty fields would cost every request
// of a server. Outside they are read and written as the properties that they have always been.

const kState = Symbol('kState');

/** Defines `names` on `proto` as the given bits of `this[kState]`. @param {Record<string, number>} names */
function defineFlags(proto, names) {
  for (const [name, bit] of Object.entries(names)) {
    Object.defineProperty(proto, name, {
      __proto__: null,
      enumerable: false,
      configurable: true,
      get() {
        return (this[kState] & bit) !== 0;
      },
      set(value) {
        if (value) this[kState] |= bit;
        else this[kState] &= ~bit;
      },
    });
  }
}

/** Defines `name` as a value that is rarely set: `bit` tells whether it is, `slot` holds it. */
function defineRareValue(proto, name, bit, slot, unset) {
  Object.defineProperty(proto, name, {
    __proto__: null,
    enumerable: false,
    configurable: true,
    get() {
      return (this[kState] & bit) !== 0 ? this[slot] : unset;
    },
    set(value) {
      if (value && value !== unset) {
        this[slot] = value;
        this[kState] |= bit;
      } else {
        this[kState] &= ~bit;
      }
    },
  });
}

// Bits that mean the same on both sides.
const shared = {
  kObjectMode: 1 << 0,
  kErrorEmitted: 1 << 1,
  kEmitClose: 1 << 2,
  kAutoDestroy: 1 << 3,
  kDestroyed: 1 << 4,
  kClosed: 1 << 5,
  kCloseEmitted: 1 << 6,
  kErrored: 1 << 7,
  kConstructed: 1 << 8,
  kSync: 1 << 9,
};

const sharedNames = {
  objectMode: shared.kObjectMode,
  errorEmitted: shared.kErrorEmitted,
  emitClose: shared.kEmitClose,
  autoDestroy: shared.kAutoDestroy,
  destroyed: shared.kDestroyed,
  closed: shared.kClosed,
  closeEmitted: shared.kCloseEmitted,
  constructed: shared.kConstructed,
  sync: shared.kSync,
};

module.exports = { kState, defineFlags, defineRareValue, shared, sharedNames };
