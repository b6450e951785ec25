'use strict';

// Between the streams of Node and those of the web platform.

const {
  AbortError,
  codes: { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_STREAM_PREMATURE_CLOSE },
} = require('#internal/errors');
const { validateBoolean, validateObject } = require('#internal/validators');
const { createDeferredPromise, normalizeEncoding } = require('#internal/util');
const Duplex = require('#stream/duplex');
const Readable = require('#stream/readable');
const Writable = require('#stream/writable');
const { destroyer } = require('#stream/destroy');
const { eos } = require('#stream/end_of_stream');
const { isDestroyed, isReadable, isWritable, isWritableEnded } = require('#stream/utils');
const { Buffer } = require('buffer');

const web = () => require('#web/streams');

function isReadableStream(value) {
  return value instanceof web().ReadableStream;
}
function isWritableStream(value) {
  return value instanceof web().WritableStream;
}

const isAnyArrayBuffer = (value) => require('util').types.isAnyArrayBuffer(value);

/** A premature close is an abort to the web. */
function toWebError(error) {
  if (error?.code !== 'ERR_STREAM_PREMATURE_CLOSE') return error;
  return new AbortError(undefined, { cause: error });
}

// Errors of a callback called from a promise are uncaught exceptions, not rejections.
function callOnTick(callback, ...args) {
  process.nextTick(() => callback(...args));
}

function newWritableStreamFromStreamWritable(streamWritable) {
  // Not only streams with a state like ours: http's outgoing messages have none.
  if (typeof streamWritable?.write !== 'function' || typeof streamWritable?.on !== 'function') {
    throw new ERR_INVALID_ARG_TYPE('streamWritable', 'stream.Writable', streamWritable);
  }
  const { CountQueuingStrategy, WritableStream } = web();
  if (isDestroyed(streamWritable) || !isWritable(streamWritable)) {
    const writable = new WritableStream();
    writable.close();
    return writable;
  }

  const highWaterMark = streamWritable.writableHighWaterMark;
  const strategy = streamWritable.writableObjectMode ?
    new CountQueuingStrategy({ highWaterMark }) : { highWaterMark };
  let controller;
  let backpressure;
  let closed;

  const cleanup = eos(streamWritable, (error) => {
    error = toWebError(error);
    cleanup();
    // Whatever comes now was told already.
    streamWritable.on('error', () => {});
    if (error != null) {
      backpressure?.reject(error);
      if (closed !== undefined) {
        closed.reject(error);
        closed = undefined;
      }
      controller.error(error);
      controller = undefined;
      return;
    }
    if (closed !== undefined) {
      closed.resolve();
      closed = undefined;
      return;
    }
    controller.error(new AbortError());
    controller = undefined;
  });
  streamWritable.on('drain', () => {
    backpressure?.resolve();
  });

  return new WritableStream({
    start(c) {
      controller = c;
    },
    write(chunk) {
      if (!streamWritable.writableObjectMode && isAnyArrayBuffer(chunk)) chunk = new Uint8Array(chunk);
      if (streamWritable.writableNeedDrain || !streamWritable.write(chunk)) {
        backpressure = createDeferredPromise();
        return backpressure.promise.finally(() => {
          backpressure = undefined;
        });
      }
      return undefined;
    },
    abort(reason) {
      destroyer(streamWritable, reason);
    },
    close() {
      if (closed === undefined && !isWritableEnded(streamWritable)) {
        closed = createDeferredPromise();
        streamWritable.end();
        return closed.promise;
      }
      controller = undefined;
      return Promise.resolve();
    },
  }, strategy);
}

function newStreamWritableFromWritableStream(writableStream, options = {}) {
  if (!isWritableStream(writableStream)) {
    throw new ERR_INVALID_ARG_TYPE('writableStream', 'WritableStream', writableStream);
  }
  validateObject(options, 'options');
  const { highWaterMark, decodeStrings = true, objectMode = false, signal } = options;
  validateBoolean(objectMode, 'options.objectMode');
  validateBoolean(decodeStrings, 'options.decodeStrings');

  const writer = writableStream.getWriter();
  const state = { closed: false };
  const writable = new Writable({
    highWaterMark,
    objectMode,
    decodeStrings,
    signal,
    ...writerMethods(writer, () => writable, state, options),
    destroy(error, callback) {
      finishWriter(writer, state, error, callback);
    },
  });
  watchWriter(writer, writable, state);
  return writable;
}

/** write, writev and final of a stream that writes to `writer`. */
function writerMethods(writer, getStream, state) {
  function settle(promise, callback) {
    promise.then(() => callOnTick(callback), (error) => callOnTick(callback, error));
  }
  return {
    writev(chunks, callback) {
      writer.ready.then(
        () => settle(Promise.all(chunks.map((data) => writer.write(data.chunk))), callback),
        (error) => callOnTick(callback, error));
    },
    write(chunk, encoding, callback) {
      chunk = asWebChunk(getStream(), chunk, encoding);
      writer.ready.then(() => settle(writer.write(chunk), callback), (error) => callOnTick(callback, error));
    },
    final(callback) {
      if (state.closed) {
        callOnTick(callback);
        return;
      }
      writer.ready.then(() => writer.close()).then(
        () => callOnTick(callback), (error) => callOnTick(callback, error));
    },
  };
}

function asWebChunk(stream, chunk, encoding) {
  if (typeof chunk !== 'string' || !stream._writableState.decodeStrings || stream._writableState.objectMode) {
    return chunk;
  }
  const known = normalizeEncoding(encoding);
  if (known === 'utf8') return new TextEncoder().encode(chunk);
  const bytes = Buffer.from(chunk, encoding);
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function finishWriter(writer, state, error, callback) {
  const done = () => callOnTick(callback, error);
  if (state.closed) {
    done();
    return;
  }
  // An error ends the web stream as an abort; else it is closed.
  const ending = error != null ? writer.abort(error) : writer.close();
  ending.then(done, done);
}

function watchWriter(writer, stream, state) {
  writer.closed.then(() => {
    state.closed = true;
    // Closed by somebody else than us.
    if (!isWritableEnded(stream)) destroyer(stream, new ERR_STREAM_PREMATURE_CLOSE());
  }, (error) => {
    state.closed = true;
    destroyer(stream, error);
  });
}

function newReadableStreamFromStreamReadable(streamReadable, options = {}) {
  if (typeof streamReadable?._readableState !== 'object') {
    throw new ERR_INVALID_ARG_TYPE('streamReadable', 'stream.Readable', streamReadable);
  }
  validateObject(options, 'options');
  const { ByteLengthQueuingStrategy, CountQueuingStrategy, ReadableStream } = web();
  if (options.type !== undefined && options.type !== 'bytes' && options.type !== null) {
    throw new ERR_INVALID_ARG_VALUE('options.type', options.type);
  }
  const isBytes = options.type === 'bytes';

  if (isDestroyed(streamReadable) || !isReadable(streamReadable)) {
    const readable = new ReadableStream({ type: isBytes ? 'bytes' : undefined });
    readable.cancel();
    return readable;
  }

  const objectMode = streamReadable.readableObjectMode;
  const highWaterMark = streamReadable.readableHighWaterMark;
  let strategy = options.strategy;
  if (!strategy) {
    if (isBytes) strategy = { highWaterMark };
    else if (objectMode) strategy = new CountQueuingStrategy({ highWaterMark });
    else strategy = new ByteLengthQueuingStrategy({ highWaterMark });
  }
  let controller;
  let wasCanceled = false;

  function onData(chunk) {
    // A Buffer is shown as what it is to the web.
    if (Buffer.isBuffer(chunk) && !objectMode) {
      chunk = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    }
    controller.enqueue(isBytes ? chunk.slice() : chunk);
    if (controller.desiredSize <= 0) streamReadable.pause();
  }

  streamReadable.pause();
  const cleanup = eos(streamReadable, (error) => {
    error = toWebError(error);
    cleanup();
    streamReadable.on('error', () => {});
    if (error) {
      controller.error(error);
      return;
    }
    // A cancelled stream is closed by the cancel.
    if (wasCanceled) return;
    controller.close();
    controller.byobRequest?.respond(0);
  });
  streamReadable.on('data', onData);

  return new ReadableStream({
    type: isBytes ? 'bytes' : undefined,
    start(c) {
      controller = c;
    },
    pull() {
      streamReadable.resume();
    },
    cancel(reason) {
      wasCanceled = true;
      destroyer(streamReadable, reason);
    },
  }, strategy);
}

function newStreamReadableFromReadableStream(readableStream, options = {}) {
  if (!isReadableStream(readableStream)) {
    throw new ERR_INVALID_ARG_TYPE('readableStream', 'ReadableStream', readableStream);
  }
  validateObject(options, 'options');
  const { highWaterMark, encoding, objectMode = false, signal } = options;
  if (encoding !== undefined && !Buffer.isEncoding(encoding)) {
    throw new ERR_INVALID_ARG_VALUE('options.encoding', encoding);
  }
  validateBoolean(objectMode, 'options.objectMode');

  const reader = readableStream.getReader();
  const state = { closed: false };
  const readable = new Readable({
    objectMode,
    highWaterMark,
    encoding,
    signal,
    read() {
      readInto(reader, readable);
    },
    destroy(error, callback) {
      cancelReader(reader, state, error, callback);
    },
  });
  watchReader(reader, readable, state);
  return readable;
}

function readInto(reader, stream) {
  reader.read().then((chunk) => {
    // After destroy() nobody waits for it.
    stream.push(chunk.done ? null : chunk.value);
  }, (error) => destroyer(stream, error));
}

function cancelReader(reader, state, error, callback) {
  const done = () => callOnTick(callback, error);
  if (state.closed) {
    done();
    return;
  }
  reader.cancel(error).then(done, done);
}

function watchReader(reader, stream, state) {
  reader.closed.then(() => {
    state.closed = true;
  }, (error) => {
    state.closed = true;
    destroyer(stream, error);
  });
}

function newReadableWritablePairFromDuplex(duplex, options = {}) {
  // Both sides must look like ours.
  if (typeof duplex?._writableState !== 'object' || typeof duplex?._readableState !== 'object') {
    throw new ERR_INVALID_ARG_TYPE('duplex', 'stream.Duplex', duplex);
  }
  validateObject(options, 'options');
  const readableOptions = { __proto__: null, type: options.readableType ?? options.type };
  if (isDestroyed(duplex)) {
    const { ReadableStream, WritableStream } = web();
    const writable = new WritableStream();
    const readable = new ReadableStream({ type: readableOptions.type });
    writable.close();
    readable.cancel();
    return { readable, writable };
  }
  const writable = isWritable(duplex) ?
    newWritableStreamFromStreamWritable(duplex) : new (web().WritableStream)();
  if (!isWritable(duplex)) writable.close();
  const readable = isReadable(duplex) ?
    newReadableStreamFromStreamReadable(duplex, readableOptions) :
    new (web().ReadableStream)({ type: readableOptions.type });
  if (!isReadable(duplex)) readable.cancel();
  return { writable, readable };
}

function newStreamDuplexFromReadableWritablePair(pair = {}, options = {}) {
  validateObject(pair, 'pair');
  const { readable: readableStream, writable: writableStream } = pair;
  if (!isReadableStream(readableStream)) {
    throw new ERR_INVALID_ARG_TYPE('pair.readable', 'ReadableStream', readableStream);
  }
  if (!isWritableStream(writableStream)) {
    throw new ERR_INVALID_ARG_TYPE('pair.writable', 'WritableStream', writableStream);
  }
  validateObject(options, 'options');
  const {
    allowHalfOpen = false, objectMode = false, encoding, decodeStrings = true, highWaterMark, signal,
  } = options;
  validateBoolean(objectMode, 'options.objectMode');
  if (encoding !== undefined && !Buffer.isEncoding(encoding)) {
    throw new ERR_INVALID_ARG_VALUE('options.encoding', encoding);
  }

  const writer = writableStream.getWriter();
  const reader = readableStream.getReader();
  const writing = { closed: false };
  const reading = { closed: false };
  const duplex = new Duplex({
    allowHalfOpen,
    highWaterMark,
    objectMode,
    encoding,
    decodeStrings,
    signal,
    ...writerMethods(writer, () => duplex, writing),
    read() {
      readInto(reader, duplex);
    },
    destroy(error, callback) {
      let left = 2;
      const done = () => {
        if (--left === 0) callback(error);
      };
      finishWriter(writer, writing, error, done);
      cancelReader(reader, reading, error, done);
    },
  });
  watchWriter(writer, duplex, writing);
  watchReader(reader, duplex, reading);
  return duplex;
}

module.exports = {
  newWritableStreamFromStreamWritable,
  newReadableStreamFromStreamReadable,
  newStreamWritableFromWritableStream,
  newStreamReadableFromReadableStream,
  newReadableWritablePairFromDuplex,
  newStreamDuplexFromReadableWritablePair,
};
