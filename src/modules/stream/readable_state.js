'use strict';

// What a Readable knows of itself. Also made late, when first touched, by classes that have many instances
// and few readers (http's messages).

const {
  kState, applySharedOptions, defineDefaultEncoding, defineFlags, defineRareValue, defineTriState, shared, sharedNames,
} = require('#stream/flags');
const { getDefaultHighWaterMark, getHighWaterMark } = require('#stream/state');

const {
  kObjectMode, kEmitClose, kAutoDestroy, kErrored, kConstructed, kSync, kDefaultUTF8Encoding,
} = shared;

const kEnded = 1 << 10;
const kEndEmitted = 1 << 11;
const kReading = 1 << 12;
const kNeedReadable = 1 << 13;
const kEmittedReadable = 1 << 14;
const kReadableListening = 1 << 15;
const kResumeScheduled = 1 << 16;
const kMultiAwaitDrain = 1 << 17;
const kReadingMore = 1 << 18;
const kDataEmitted = 1 << 19;
const kDecoder = 1 << 20;
// 1 << 21 is shared.kDefaultUTF8Encoding
const kEncoding = 1 << 22;
const kHasFlowing = 1 << 23;
const kFlowing = 1 << 24;
const kHasPaused = 1 << 25;
const kPaused = 1 << 26;
const kDataListening = 1 << 27;

const kErroredValue = Symbol('kErroredValue');
const kDecoderValue = Symbol('kDecoderValue');
const kEncodingValue = Symbol('kEncodingValue');

function ReadableState(options, stream, isDuplex) {
  let state = kEmitClose | kAutoDestroy | kConstructed | kSync;
  if (options && (options.objectMode || (isDuplex && options.readableObjectMode))) state |= kObjectMode;
  this[kState] = state;

  this.highWaterMark = options ?
    getHighWaterMark((state & kObjectMode) !== 0, options, 'readableHighWaterMark', isDuplex) :
    getDefaultHighWaterMark(false);
  // The chunks from bufferIndex on are waiting.
  this.buffer = [];
  this.bufferIndex = 0;
  this.length = 0;
  this.pipes = [];
  // The one or (multiAwaitDrain) the Set of destinations that must drain before the flow goes on.
  this.awaitDrainWriters = null;

  if (options) applyOptions(this, options);
  else this[kState] |= kDefaultUTF8Encoding;
}

function applyOptions(state, options) {
  applySharedOptions(state, options);
  if (options.encoding) {
    const { StringDecoder } = require('string_decoder');
    state.decoder = new StringDecoder(options.encoding);
    state.encoding = options.encoding;
  }
}

const proto = ReadableState.prototype;
defineFlags(proto, {
  ...sharedNames,
  ended: kEnded,
  endEmitted: kEndEmitted,
  reading: kReading,
  needReadable: kNeedReadable,
  emittedReadable: kEmittedReadable,
  readableListening: kReadableListening,
  resumeScheduled: kResumeScheduled,
  multiAwaitDrain: kMultiAwaitDrain,
  readingMore: kReadingMore,
  dataEmitted: kDataEmitted,
});
defineRareValue(proto, 'errored', kErrored, kErroredValue, null);
defineRareValue(proto, 'decoder', kDecoder, kDecoderValue, null);
defineRareValue(proto, 'encoding', kEncoding, kEncodingValue, null);

defineTriState(proto, 'flowing', kHasFlowing, kFlowing, null);
defineDefaultEncoding(proto);

Object.defineProperties(proto, {
  // Old names, public once.
  pipesCount: {
    __proto__: null,
    get() {
      return this.pipes.length;
    },
  },
  paused: {
    __proto__: null,
    get() {
      return (this[kState] & kPaused) !== 0;
    },
    set(value) {
      this[kState] |= kHasPaused;
      if (value) this[kState] |= kPaused;
      else this[kState] &= ~kPaused;
    },
  },
});

module.exports = {
  ReadableState, kState, ...shared, kEnded, kEndEmitted, kReading, kNeedReadable, kEmittedReadable,
  kReadableListening, kResumeScheduled, kMultiAwaitDrain, kReadingMore, kDataEmitted, kDecoder, kEncoding,
  kHasFlowing, kFlowing, kHasPaused, kPaused, kDataListening,
};
