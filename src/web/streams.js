'use strict';

// The Streams Standard: the streams of web-streams-polyfill, with what Node.js adds to them; the streams that encode,
// decode, compress and decompress.

const polyfill = require('~web-streams-polyfill');
const { inspectFields, inspectSymbol } = require('#web/inspect');

const {
  ReadableStream, ReadableStreamDefaultReader, ReadableStreamBYOBReader, ReadableStreamBYOBRequest,
  ReadableByteStreamController, ReadableStreamDefaultController, TransformStream, TransformStreamDefaultController,
  WritableStream, WritableStreamDefaultWriter, WritableStreamDefaultController, ByteLengthQueuingStrategy,
  CountQueuingStrategy,
} = polyfill;

// By these symbols node:stream asks about a web stream.
const kIsDisturbed = Symbol.for('nodejs.stream.disturbed');
const kIsErrored = Symbol.for('nodejs.stream.errored');
const kIsReadable = Symbol.for('nodejs.stream.readable');
const kIsWritable = Symbol.for('nodejs.stream.writable');

const kIsClosedPromise = Symbol.for('nodejs.webstream.isClosedPromise');

/** { promise, ... } settled when the stream is closed or errored; the stream's state is watched once somebody asks. */
function closedPromise(stream) {
  const closed = Promise.withResolvers();
  closed.promise.catch(() => {});
  let state = stream._state;
  const settle = () => {
    if (state === 'closed') closed.resolve();
    // the error is stored right after the state
    else if (state === 'errored') queueMicrotask(() => closed.reject(stream._storedError));
  };
  settle();
  Object.defineProperty(stream, '_state', {
    __proto__: null,
    get: () => state,
    set(value) {
      state = value;
      settle();
    },
    enumerable: true,
    configurable: true,
  });
  Object.defineProperty(stream, kIsClosedPromise, { __proto__: null, value: closed });
  return closed;
}

/** Adds getters and methods that do not show in enumeration. */
function extend(constructor, members) {
  for (const key of Reflect.ownKeys(members)) {
    const descriptor = Object.getOwnPropertyDescriptor(members, key);
    Object.defineProperty(constructor.prototype, key, { ...descriptor, __proto__: null, enumerable: false });
  }
}

function inspector(fieldsOf) {
  return function(depth, options) {
    return inspectFields(this.constructor.name, fieldsOf(this), depth, options);
  };
}

extend(ReadableStream, {
  get [kIsDisturbed]() { return this._disturbed; },
  get [kIsErrored]() { return this._state === 'errored'; },
  get [kIsReadable]() { return this._state === 'readable'; },
  get [kIsClosedPromise]() { return closedPromise(this); },
  [inspectSymbol]: inspector((stream) => ({
    locked: stream.locked,
    state: stream._state,
    supportsBYOB: stream._readableStreamController instanceof ReadableByteStreamController,
  })),
});

extend(WritableStream, {
  get [kIsErrored]() { return this._state === 'errored'; },
  get [kIsWritable]() { return this._state === 'writable'; },
  get [kIsClosedPromise]() { return closedPromise(this); },
  [inspectSymbol]: inspector((stream) => ({ locked: stream.locked, state: stream._state })),
});

extend(TransformStream, {
  [inspectSymbol]: inspector((stream) => ({
    readable: stream.readable, writable: stream.writable, backpressure: stream._backpressure,
  })),
});

extend(ReadableStreamDefaultReader, {
  [inspectSymbol]: inspector((reader) => ({
    stream: reader._ownerReadableStream, readRequests: reader._readRequests.length, close: reader.closed,
  })),
});

extend(ReadableStreamBYOBReader, {
  [inspectSymbol]: inspector((reader) => ({
    stream: reader._ownerReadableStream, requests: reader._readIntoRequests.length, close: reader.closed,
  })),
});

extend(WritableStreamDefaultWriter, {
  [inspectSymbol]: inspector((writer) => ({
    stream: writer._ownerWritableStream, close: writer.closed, ready: writer.ready, desiredSize: writer.desiredSize,
  })),
});

for (const constructor of [ReadableStreamDefaultController, ReadableByteStreamController, ReadableStreamBYOBRequest,
  TransformStreamDefaultController, WritableStreamDefaultController]) {
  extend(constructor, { [inspectSymbol]: inspector(() => ({})) });
}

for (const constructor of [ByteLengthQueuingStrategy, CountQueuingStrategy]) {
  extend(constructor, { [inspectSymbol]: inspector((strategy) => ({ highWaterMark: strategy.highWaterMark })) });
}

module.exports = {
  ReadableStream,
  ReadableStreamDefaultReader,
  ReadableStreamBYOBReader,
  ReadableStreamBYOBRequest,
  ReadableByteStreamController,
  ReadableStreamDefaultController,
  TransformStream,
  TransformStreamDefaultController,
  WritableStream,
  WritableStreamDefaultWriter,
  WritableStreamDefaultController,
  ByteLengthQueuingStrategy,
  CountQueuingStrategy,
};

Object.assign(module.exports, require('#web/stream_transforms'));
