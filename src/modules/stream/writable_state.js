'use strict';

// What a Writable knows of itself. Also made late, when first touched, by classes that have many instances.

const {
  kState, applySharedOptions, defineDefaultEncoding, defineFlags, defineRareValue, defineTriState, shared, sharedNames,
} = require('#stream/flags');
const { getDefaultHighWaterMark, getHighWaterMark } = require('#stream/state');
const { nop } = require('#stream/utils');

const {
  kObjectMode, kEmitClose, kAutoDestroy, kErrored, kConstructed, kSync, kDefaultUTF8Encoding,
} = shared;

const kFinalCalled = 1 << 10;
const kNeedDrain = 1 << 11;
const kEnding = 1 << 12;
const kEnded = 1 << 13;
const kFinished = 1 << 14;
const kDecodeStrings = 1 << 15;
const kWriting = 1 << 16;
const kBufferProcessing = 1 << 17;
const kPrefinished = 1 << 18;
const kAllBuffers = 1 << 19;
const kAllNoop = 1 << 20;
// 1 << 21 is shared.kDefaultUTF8Encoding
const kOnFinished = 1 << 22;
const kHasWritable = 1 << 23;
const kWritable = 1 << 24;
const kCorked = 1 << 25;
const kWriteCb = 1 << 26;
const kExpectWriteCb = 1 << 27;
const kAfterWriteTickInfo = 1 << 28;
const kBuffered = 1 << 29;

const kErroredValue = Symbol('kErroredValue');
const kWriteCbValue = Symbol('kWriteCbValue');
const kAfterWriteTickInfoValue = Symbol('kAfterWriteTickInfoValue');
const kBufferedValue = Symbol('kBufferedValue');
const kOnFinishedValue = Symbol('kOnFinishedValue');

const kInitial = kEmitClose | kAutoDestroy | kConstructed | kSync | kDecodeStrings | kAllBuffers | kAllNoop;

function makeState(onwrite) {
  function WritableState(options, stream, isDuplex) {
    let state = kInitial;
    if (options && (options.objectMode || (isDuplex && options.writableObjectMode))) state |= kObjectMode;
    this[kState] = state;

    // How much may be waiting before write() returns false.
    this.highWaterMark = options ?
      getHighWaterMark((state & kObjectMode) !== 0, options, 'writableHighWaterMark', isDuplex) :
      getDefaultHighWaterMark(false);
    this.length = 0;
    this.corked = 0;
    // The callback that _write is given.
    this.onwrite = onwrite.bind(undefined, stream);
    this.writelen = 0;
    this.bufferedIndex = 0;
    // Calls that must come back before 'finish'.
    this.pendingcb = 0;
    this[kBufferedValue] = null;
    if (options) applyOptions(this, options);
    else this[kState] |= kDefaultUTF8Encoding;
  }
  defineProperties(WritableState.prototype);
  return WritableState;
}

function applyOptions(state, options) {
  if (options.decodeStrings === false) state[kState] &= ~kDecodeStrings;
  applySharedOptions(state, options);
}

function resetBuffer(state) {
  state[kBufferedValue] = null;
  state.bufferedIndex = 0;
  state[kState] = (state[kState] | kAllBuffers | kAllNoop) & ~kBuffered;
}

function defineProperties(proto) {
  defineFlags(proto, {
    ...sharedNames,
    finalCalled: kFinalCalled,
    needDrain: kNeedDrain,
    ending: kEnding,
    ended: kEnded,
    finished: kFinished,
    decodeStrings: kDecodeStrings,
    writing: kWriting,
    bufferProcessing: kBufferProcessing,
    prefinished: kPrefinished,
    allBuffers: kAllBuffers,
    allNoop: kAllNoop,
  });
  defineRareValue(proto, 'errored', kErrored, kErroredValue, null);
  defineRareValue(proto, 'writecb', kWriteCb, kWriteCbValue, nop);
  defineTriState(proto, 'writable', kHasWritable, kWritable, undefined);
  defineDefaultEncoding(proto);

  Object.defineProperties(proto, {
    buffered: {
      __proto__: null,
      enumerable: false,
      configurable: true,
      get() {
        return (this[kState] & kBuffered) !== 0 ? this[kBufferedValue] : [];
      },
      set(value) {
        this[kBufferedValue] = value;
        if (value) this[kState] |= kBuffered;
        else this[kState] &= ~kBuffered;
      },
    },
    bufferedRequestCount: {
      __proto__: null,
      get() {
        return (this[kState] & kBuffered) !== 0 ? this[kBufferedValue].length - this.bufferedIndex : 0;
      },
    },
  });

  proto.getBuffer = function getBuffer() {
    return (this[kState] & kBuffered) === 0 ? [] : this[kBufferedValue].slice(this.bufferedIndex);
  };
}

module.exports = {
  makeState, resetBuffer, kState, ...shared, kFinalCalled, kNeedDrain, kEnding, kEnded, kFinished,
  kDecodeStrings, kWriting, kBufferProcessing, kPrefinished, kAllBuffers, kAllNoop,
  kOnFinished, kHasWritable, kWritable, kCorked, kWriteCb, kExpectWriteCb, kAfterWriteTickInfo, kBuffered,
  kErroredValue, kWriteCbValue, kAfterWriteTickInfoValue, kBufferedValue, kOnFinishedValue,
};
