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

/** Defines `name` as a boolean that may also be `unset`: `hasBit` tells whether it is one. */
function defineTriState(proto, name, hasBit, bit, unset) {
  Object.defineProperty(proto, name, {
    __proto__: null,
    enumerable: false,
    configurable: true,
    get() {
      return (this[kState] & hasBit) !== 0 ? (this[kState] & bit) !== 0 : unset;
    },
    set(value) {
      if (value == null) this[kState] &= ~(hasBit | bit);
      else if (value) this[kState] |= hasBit | bit;
      else this[kState] = (this[kState] | hasBit) & ~bit;
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
  kDefaultUTF8Encoding: 1 << 21,
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

const kDefaultEncodingValue = Symbol('kDefaultEncodingValue');

/** Defines `defaultEncoding`, which is 'utf8' nearly always. */
function defineDefaultEncoding(proto) {
  Object.defineProperty(proto, 'defaultEncoding', {
    __proto__: null,
    enumerable: false,
    configurable: true,
    get() {
      return (this[kState] & shared.kDefaultUTF8Encoding) !== 0 ? 'utf8' : this[kDefaultEncodingValue];
    },
    set(value) {
      if (value === 'utf8' || value === 'utf-8') {
        this[kState] |= shared.kDefaultUTF8Encoding;
      } else {
        this[kState] &= ~shared.kDefaultUTF8Encoding;
        this[kDefaultEncodingValue] = value;
      }
    },
  });
}

/** What the constructors of both sides take. */
function applySharedOptions(state, options) {
  if (options.emitClose === false) state[kState] &= ~shared.kEmitClose;
  if (options.autoDestroy === false) state[kState] &= ~shared.kAutoDestroy;
  const encoding = options.defaultEncoding;
  if (encoding == null || encoding === 'utf8' || encoding === 'utf-8') {
    state[kState] |= shared.kDefaultUTF8Encoding;
  } else if (Buffer.isEncoding(encoding)) {
    state.defaultEncoding = encoding;
  } else {
    const { codes: { ERR_UNKNOWN_ENCODING } } = require('#internal/errors');
    throw new ERR_UNKNOWN_ENCODING(encoding);
  }
}

module.exports = {
  kState, applySharedOptions, defineDefaultEncoding, defineFlags, defineRareValue, defineTriState, shared, sharedNames,
};
