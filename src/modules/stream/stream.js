'use strict';

// node:stream.

const { Stream } = require('#stream/legacy');
const { setDefaultHighWaterMark, getDefaultHighWaterMark } = require('#stream/state');
const Readable = require('#stream/readable');
const Writable = require('#stream/writable');
const Duplex = require('#stream/duplex');
const Transform = require('#stream/transform');
const PassThrough = require('#stream/passthrough');
const duplexPair = require('#stream/duplexpair');
const { pipeline } = require('#stream/pipeline');
const { addAbortSignal } = require('#stream/add_abort_signal');
const { eos } = require('#stream/end_of_stream');
const { destroyer } = require('#stream/destroy');
const compose = require('#stream/compose');
const operators = require('#stream/operators');
const utils = require('#stream/utils');
const { kCustomPromisify } = require('#internal/util');
const {
  codes: { ERR_ILLEGAL_CONSTRUCTOR },
} = require('#internal/errors');

let promises;
const lazyPromises = () => (promises ??= require('stream/promises'));

module.exports = Stream;

Object.assign(Stream, {
  isDestroyed: utils.isDestroyed,
  isDisturbed: utils.isDisturbed,
  isErrored: utils.isErrored,
  isReadable: utils.isReadable,
  isWritable: utils.isWritable,
  Readable,
  Writable,
  Duplex,
  Transform,
  PassThrough,
  duplexPair,
  pipeline,
  addAbortSignal,
  finished: eos,
  destroy: destroyer,
  compose,
  setDefaultHighWaterMark,
  getDefaultHighWaterMark,
});

function addOperator(key, fn) {
  Object.defineProperty(fn, 'name', { __proto__: null, value: key });
  Object.defineProperty(Readable.prototype, key, {
    __proto__: null,
    value: fn,
    enumerable: false,
    configurable: true,
    writable: true,
  });
}

for (const [key, op] of Object.entries(operators.streamReturningOperators)) {
  addOperator(key, function(...args) {
    if (new.target) throw new ERR_ILLEGAL_CONSTRUCTOR();
    const result = Reflect.apply(op, this, args);
    return key === 'compose' ? result : Readable.from(result);
  });
  Object.defineProperty(Readable.prototype[key], 'length', { __proto__: null, value: op.length });
}
for (const [key, op] of Object.entries(operators.promiseReturningOperators)) {
  addOperator(key, function(...args) {
    if (new.target) throw new ERR_ILLEGAL_CONSTRUCTOR();
    return Reflect.apply(op, this, args);
  });
  Object.defineProperty(Readable.prototype[key], 'length', { __proto__: null, value: op.length });
}

Object.defineProperty(Stream, 'promises', {
  __proto__: null,
  configurable: true,
  enumerable: true,
  get() {
    return lazyPromises();
  },
});
for (const [fn, name] of [[pipeline, 'pipeline'], [eos, 'finished']]) {
  Object.defineProperty(fn, kCustomPromisify, {
    __proto__: null,
    enumerable: true,
    get() {
      return lazyPromises()[name];
    },
  });
}

Stream.Stream = Stream;

// Known to libraries since before util.types.
Stream._isArrayBufferView = ArrayBuffer.isView;
Stream._isUint8Array = require('util').types.isUint8Array;
Stream._uint8ArrayToBuffer = function _uint8ArrayToBuffer(chunk) {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
};
