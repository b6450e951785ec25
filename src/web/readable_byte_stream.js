'use strict';

// Byte streams (Streams Standard, clauses 4.5, 4.7 and 4.8): the byte controller, the BYOB reader and its requests.

const {
  codes: {
    ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_THIS, ERR_OUT_OF_RANGE,
  },
} = require('#internal/errors');
const { validateObject } = require('#internal/validators');
const { finish, invalidState, kConstruct, kState, nullableObject } = require('#web/stream_base');
const {
  ControllerState, algorithmsOf, desiredSizeOf, pullIfNeeded, startController, takesChunks,
} = require('#web/readable_controller');
const {
  PromiseRequest, cancelReader, closeStream, closedOf, errorStream, hasDefaultReader, initializeReader, isLocked,
  isReadableStream, releaseReader,
} = require('#web/readable_stream');

function isByteController(value) {
  return value?.[kState] !== undefined && value[kState].kind === 'byteController';
}

function isByobReader(value) {
  return value?.[kState] !== undefined && value[kState].kind === 'byobReader';
}

function isByobRequest(value) {
  return value?.[kState] !== undefined && value[kState].kind === 'byobRequest';
}

function validateView(view, name) {
  if (!ArrayBuffer.isView(view)) throw new ERR_INVALID_ARG_TYPE(name, ['Buffer', 'TypedArray', 'DataView'], view);
}

/** Moves a buffer's memory into a new one, so that whoever gave it cannot change it any more. */
function transferBuffer(buffer) {
  return buffer.transfer();
}

function canTransfer(buffer) {
  return !buffer.detached && !(binding('messaging').isMarked(buffer, 'untransferable'));
}

// --- the BYOB reader ---

class ReadableStreamBYOBReader {
  constructor(stream) {
    if (!isReadableStream(stream)) throw new ERR_INVALID_ARG_TYPE('stream', 'ReadableStream', stream);
    if (isLocked(stream)) throw invalidState('ReadableStream is locked');
    if (!isByteController(stream[kState].controller)) {
      throw new ERR_INVALID_ARG_VALUE('stream', stream, 'must be a byte stream');
    }
    initializeReader(this, stream, 'byobReader');
  }

  async read(view, options = {}) {
    if (!isByobReader(this)) throw new ERR_INVALID_THIS('ReadableStreamBYOBReader');
    validateView(view, 'view');
    validateObject(options, 'options', nullableObject);
    if (view.byteLength === 0 || view.buffer.byteLength === 0) {
      throw invalidState('View or Viewed ArrayBuffer is zero-length or detached');
    }
    if (this[kState].stream === undefined) throw invalidState('The reader is not attached to a stream');
    const min = options?.min ?? 1;
    if (typeof min !== 'number') throw new ERR_INVALID_ARG_TYPE('options.min', 'number', min);
    if (!Number.isInteger(min)) throw new ERR_INVALID_ARG_VALUE('options.min', min, 'must be an integer');
    if (min <= 0) throw new ERR_INVALID_ARG_VALUE('options.min', min, 'must be greater than 0');
    const room = view instanceof DataView ? view.byteLength : view.length;
    if (min > room) {
      const limit = view instanceof DataView ? '<= view.byteLength' : '<= view.length';
      throw new ERR_OUT_OF_RANGE('options.min', limit, min);
    }
    const request = new PromiseRequest();
    readInto(this, view, min, request);
    return request.promise;
  }

  releaseLock() {
    if (!isByobReader(this)) throw new ERR_INVALID_THIS('ReadableStreamBYOBReader');
    if (this[kState].stream !== undefined) releaseReader(this);
  }

  get closed() {
    return closedOf(this, isByobReader, 'ReadableStreamBYOBReader');
  }

  cancel(reason = undefined) {
    if (!isByobReader(this)) return Promise.reject(new ERR_INVALID_THIS('ReadableStreamBYOBReader'));
    return cancelReader(this, reason);
  }
}

finish(ReadableStreamBYOBReader, ['read', 'releaseLock', 'closed', 'cancel'], (reader) => ({
  stream: reader[kState].stream, requests: reader[kState].requests.length, close: reader[kState].closed.promise,
}));

/** ReadableStreamBYOBReaderRead */
function readInto(reader, view, min, request) {
  const { stream } = reader[kState];
  const state = stream[kState];
  state.disturbed = true;
  if (state.state === 'errored') request.error(state.storedError);
  else pullInto(state.controller, view, min, request);
}

// --- BYOB requests ---

class ReadableStreamBYOBRequest {
  constructor(secret = undefined) {
    if (secret !== kConstruct) throw new ERR_ILLEGAL_CONSTRUCTOR();
  }

  get view() {
    if (!isByobRequest(this)) throw new ERR_INVALID_THIS('ReadableStreamBYOBRequest');
    return this[kState].view;
  }

  respond(bytesWritten) {
    if (!isByobRequest(this)) throw new ERR_INVALID_THIS('ReadableStreamBYOBRequest');
    const { view, controller } = this[kState];
    if (controller === undefined) throw invalidState('This BYOB request has been invalidated');
    if (view.buffer.detached || view.byteLength === 0) throw invalidState('Viewed ArrayBuffer is detached');
    respond(controller, bytesWritten);
  }

  respondWithNewView(view) {
    if (!isByobRequest(this)) throw new ERR_INVALID_THIS('ReadableStreamBYOBRequest');
    const { controller } = this[kState];
    if (controller === undefined) throw invalidState('This BYOB request has been invalidated');
    validateView(view, 'view');
    if (view.buffer.detached) throw invalidState('Viewed ArrayBuffer is detached');
    respondWithNewView(controller, view);
  }
}

finish(ReadableStreamBYOBRequest, ['view', 'respond', 'respondWithNewView'], (request) => ({
  view: request[kState].view, controller: request[kState].controller,
}));

function createRequest(controller, view) {
  const request = new ReadableStreamBYOBRequest(kConstruct);
  request[kState] = { kind: 'byobRequest', controller, view };
  return request;
}

// --- the controller ---

class ReadableByteStreamController {
  constructor(secret = undefined) {
    if (secret !== kConstruct) throw new ERR_ILLEGAL_CONSTRUCTOR();
  }

  get byobRequest() {
    if (!isByteController(this)) throw new ERR_INVALID_THIS('ReadableByteStreamController');
    return byobRequestOf(this);
  }

  get desiredSize() {
    if (!isByteController(this)) throw new ERR_INVALID_THIS('ReadableByteStreamController');
    return desiredSizeOf(this);
  }

  close() {
    if (!isByteController(this)) throw new ERR_INVALID_THIS('ReadableByteStreamController');
    if (this[kState].closeRequested) throw invalidState('Controller is already closed');
    if (this[kState].stream[kState].state !== 'readable') throw invalidState('ReadableStream is already closed');
    closeController(this);
  }

  enqueue(chunk) {
    if (!isByteController(this)) throw new ERR_INVALID_THIS('ReadableByteStreamController');
    validateView(chunk, 'buffer');
    if (chunk.byteLength === 0 || chunk.buffer.byteLength === 0) {
      throw invalidState('chunk ArrayBuffer is zero-length or detached');
    }
    if (this[kState].closeRequested) throw invalidState('Controller is already closed');
    if (this[kState].stream[kState].state !== 'readable') throw invalidState('ReadableStream is already closed');
    enqueueChunk(this, chunk);
  }

  error(error = undefined) {
    if (!isByteController(this)) throw new ERR_INVALID_THIS('ReadableByteStreamController');
    errorController(this, error);
  }
}

finish(ReadableByteStreamController, ['byobRequest', 'desiredSize', 'close', 'enqueue', 'error']);

/** A first-in first-out queue of pieces of memory; whoever takes a part of the first says so by `take`. */
class ByteQueue {
  entries = [];
  total = 0;

  push(buffer, byteOffset, byteLength) {
    this.entries.push({ buffer, byteOffset, byteLength });
    this.total += byteLength;
  }

  shift() {
    const entry = this.entries.shift();
    this.total -= entry.byteLength;
    return entry;
  }

  /** Drops bytes of the first piece, all of it perhaps. */
  take(count) {
    const head = this.entries[0];
    if (head.byteLength === count) {
      this.entries.shift();
    } else {
      head.byteOffset += count;
      head.byteLength -= count;
    }
    this.total -= count;
  }

  clear() {
    this.entries = [];
    this.total = 0;
  }
}

class ByteControllerState extends ControllerState {
  /** Reads that wait for bytes, each with the memory for them. */
  pendingPullIntos = [];
  byobRequest = null;

  constructor(controller, setup) {
    super('byteController', controller, new ByteQueue(), setup);
    this.autoAllocateChunkSize = setup.autoAllocateChunkSize;
  }

  error(error) { errorController(this.controller, error); }
  pullSteps(request) { pullSteps(this.controller, request); }

  cancelSteps(reason) {
    clearPending(this.controller);
    this.queue.clear();
    const promise = this.cancel(reason);
    clearAlgorithms(this);
    return promise;
  }

  releaseSteps() {
    if (this.pendingPullIntos.length === 0) return;
    const [first] = this.pendingPullIntos;
    first.type = 'none';
    this.pendingPullIntos = [first];
  }
}

/** SetUpReadableByteStreamController; for `algorithms` see algorithmsOf */
function setup(stream, algorithms, highWaterMark, autoAllocateChunkSize) {
  const controller = new ReadableByteStreamController(kConstruct);
  const state = new ByteControllerState(controller, { stream, algorithms, highWaterMark, autoAllocateChunkSize });
  startController(state, algorithms.start);
}

function setupFromSource(stream, source, highWaterMark) {
  const algorithms = algorithmsOf(source);
  const { autoAllocateChunkSize } = source;
  if (autoAllocateChunkSize !== undefined && !(autoAllocateChunkSize > 0)) {
    throw new ERR_INVALID_ARG_VALUE('source.autoAllocateChunkSize', autoAllocateChunkSize);
  }
  setup(stream, algorithms, highWaterMark, autoAllocateChunkSize);
}

function clearAlgorithms(state) {
  state.pull = state.cancel = undefined;
}

function invalidateRequest(state) {
  if (state.byobRequest === null) return;
  state.byobRequest[kState].controller = undefined;
  state.byobRequest[kState].view = null;
  state.byobRequest = null;
}

function clearPending(controller) {
  invalidateRequest(controller[kState]);
  controller[kState].pendingPullIntos = [];
}

function byobRequestOf(controller) {
  const state = controller[kState];
  if (state.byobRequest === null && state.pendingPullIntos.length > 0) {
    const [first] = state.pendingPullIntos;
    const { buffer, byteOffset, byteLength, bytesFilled } = first;
    const view = new Uint8Array(buffer, byteOffset + bytesFilled, byteLength - bytesFilled);
    state.byobRequest = createRequest(controller, view);
  }
  return state.byobRequest;
}

function closeController(controller) {
  const state = controller[kState];
  if (!takesChunks(state)) return;
  if (state.queue.total > 0) {
    state.closeRequested = true;
    return;
  }
  if (state.pendingPullIntos.length > 0) {
    const [first] = state.pendingPullIntos;
    if (first.bytesFilled % first.elementSize !== 0) {
      const error = invalidState('Partial read');
      errorController(controller, error);
      throw error;
    }
  }
  clearAlgorithms(state);
  closeStream(state.stream);
}

function errorController(controller, error) {
  const state = controller[kState];
  if (state.stream[kState].state !== 'readable') return;
  clearPending(controller);
  state.queue.clear();
  clearAlgorithms(state);
  errorStream(state.stream, error);
}

function enqueueChunk(controller, chunk) {
  const state = controller[kState];
  const { stream } = state;
  if (!takesChunks(state)) return;
  const { byteOffset, byteLength } = chunk;
  if (chunk.buffer.detached) throw invalidState('chunk ArrayBuffer is detached');
  const buffer = transferBuffer(chunk.buffer);
  if (state.pendingPullIntos.length > 0) {
    const [first] = state.pendingPullIntos;
    if (first.buffer.detached) throw invalidState('Destination ArrayBuffer is detached');
    invalidateRequest(state);
    first.buffer = transferBuffer(first.buffer);
    if (first.type === 'none') enqueueDetached(controller, first);
  }
  if (hasDefaultReader(stream)) {
    fillReadRequests(controller);
    const { requests } = stream[kState].reader[kState];
    if (requests.length === 0) {
      state.queue.push(buffer, byteOffset, byteLength);
    } else {
      if (state.pendingPullIntos.length > 0) shiftPending(controller);
      requests.shift().chunk(new Uint8Array(buffer, byteOffset, byteLength));
    }
  } else if (stream[kState].reader?.[kState].kind === 'byobReader') {
    state.queue.push(buffer, byteOffset, byteLength);
    for (const filled of processPending(controller)) commit(stream, filled);
  } else {
    state.queue.push(buffer, byteOffset, byteLength);
  }
  pullIfNeeded(controller);
}

function enqueueClone(controller, buffer, byteOffset, byteLength) {
  const copy = buffer.slice(byteOffset, byteOffset + byteLength);
  controller[kState].queue.push(copy, 0, byteLength);
}

/** What a released reader had begun to fill goes back to the queue. */
function enqueueDetached(controller, descriptor) {
  if (descriptor.bytesFilled > 0) {
    enqueueClone(controller, descriptor.buffer, descriptor.byteOffset, descriptor.bytesFilled);
  }
  shiftPending(controller);
}

function shiftPending(controller) {
  return controller[kState].pendingPullIntos.shift();
}

/** Serves reads of a default reader from the queue. */
function fillReadRequests(controller) {
  const state = controller[kState];
  const { requests } = state.stream[kState].reader[kState];
  while (requests.length > 0 && state.queue.total > 0) fillReadRequest(controller, requests.shift());
}

function fillReadRequest(controller, request) {
  const state = controller[kState];
  const { buffer, byteOffset, byteLength } = state.queue.shift();
  handleQueueDrain(controller);
  request.chunk(new Uint8Array(buffer, byteOffset, byteLength));
}

function handleQueueDrain(controller) {
  const state = controller[kState];
  if (state.queue.total === 0 && state.closeRequested) {
    clearAlgorithms(state);
    closeStream(state.stream);
  } else {
    pullIfNeeded(controller);
  }
}

function pullSteps(controller, request) {
  const state = controller[kState];
  const { stream, autoAllocateChunkSize } = state;
  if (state.queue.total > 0) {
    fillReadRequest(controller, request);
    return;
  }
  if (autoAllocateChunkSize !== undefined) {
    let buffer;
    try {
      buffer = new ArrayBuffer(autoAllocateChunkSize);
    } catch (error) {
      request.error(error);
      return;
    }
    state.pendingPullIntos.push({
      buffer,
      bufferByteLength: autoAllocateChunkSize,
      byteOffset: 0,
      byteLength: autoAllocateChunkSize,
      bytesFilled: 0,
      minimumFill: 1,
      elementSize: 1,
      constructor: Uint8Array,
      type: 'default',
    });
  }
  stream[kState].reader[kState].requests.push(request);
  pullIfNeeded(controller);
}

/** ReadableByteStreamControllerPullInto */
function pullInto(controller, view, min, request) {
  const state = controller[kState];
  const { stream } = state;
  const elementSize = view instanceof DataView ? 1 : view.BYTES_PER_ELEMENT;
  const constructor = view instanceof DataView ? DataView : viewConstructor(view);
  const { byteOffset, byteLength } = view;
  if (!canTransfer(view.buffer)) {
    request.error(invalidState('The viewed ArrayBuffer cannot be transferred'));
    return;
  }
  const bufferByteLength = view.buffer.byteLength;
  const buffer = transferBuffer(view.buffer);
  const descriptor = {
    buffer, bufferByteLength, byteOffset, byteLength, bytesFilled: 0, minimumFill: min * elementSize, elementSize,
    constructor, type: 'byob',
  };
  const { requests } = stream[kState].reader[kState];
  if (state.pendingPullIntos.length > 0) {
    state.pendingPullIntos.push(descriptor);
    requests.push(request);
    return;
  }
  if (stream[kState].state === 'closed') {
    request.close(new constructor(descriptor.buffer, descriptor.byteOffset, 0));
    return;
  }
  if (state.queue.total > 0) {
    if (fillFromQueue(controller, descriptor)) {
      const filled = convert(descriptor);
      handleQueueDrain(controller);
      request.chunk(filled);
      return;
    }
    if (state.closeRequested) {
      const error = invalidState('ReadableStream closed');
      errorController(controller, error);
      request.error(error);
      return;
    }
  }
  state.pendingPullIntos.push(descriptor);
  requests.push(request);
  pullIfNeeded(controller);
}

const typedArrays = {
  __proto__: null, Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
  Float32Array, Float64Array, BigInt64Array, BigUint64Array,
};

/** What makes another view of the same type: of a Buffer a Buffer, otherwise the intrinsic constructor. */
function viewConstructor(view) {
  const { FastBuffer } = require('#buffer/fast');
  if (view instanceof FastBuffer) return FastBuffer;
  return typedArrays[view[Symbol.toStringTag]] ?? view.constructor;
}

/** Copies from the queue; whether the descriptor has what it needs at least. */
function fillFromQueue(controller, descriptor) {
  const state = controller[kState];
  const maxCopy = Math.min(state.queue.total, descriptor.byteLength - descriptor.bytesFilled);
  const maxFilled = descriptor.bytesFilled + maxCopy;
  let left = maxCopy;
  let ready = false;
  const remainder = maxFilled % descriptor.elementSize;
  const maxAligned = maxFilled - remainder;
  if (maxAligned >= descriptor.minimumFill) {
    left = maxAligned - descriptor.bytesFilled;
    ready = true;
  }
  while (left > 0) {
    const head = state.queue.entries[0];
    const count = Math.min(left, head.byteLength);
    const target = new Uint8Array(descriptor.buffer, descriptor.byteOffset + descriptor.bytesFilled, count);
    target.set(new Uint8Array(head.buffer, head.byteOffset, count));
    state.queue.take(count);
    descriptor.bytesFilled += count;
    left -= count;
  }
  return ready;
}

/** Fills what readers wait for from the queue; gives the descriptors that are done. */
function processPending(controller) {
  const state = controller[kState];
  const filled = [];
  while (state.pendingPullIntos.length > 0 && state.queue.total > 0) {
    const [first] = state.pendingPullIntos;
    if (!fillFromQueue(controller, first)) break;
    shiftPending(controller);
    filled.push(first);
  }
  return filled;
}

function convert(descriptor) {
  const { buffer, byteOffset, bytesFilled, elementSize, constructor } = descriptor;
  return new constructor(transferBuffer(buffer), byteOffset, bytesFilled / elementSize);
}

/** Gives a filled descriptor to the read that waits for it. */
function commit(stream, descriptor) {
  const done = stream[kState].state === 'closed';
  const view = convert(descriptor);
  const request = stream[kState].reader[kState].requests.shift();
  if (descriptor.type === 'default') {
    if (done) request.close();
    else request.chunk(view);
  } else if (done) {
    request.close(view);
  } else {
    request.chunk(view);
  }
}

function respond(controller, bytesWritten) {
  const state = controller[kState];
  const [first] = state.pendingPullIntos;
  bytesWritten = Number(bytesWritten);
  if (!Number.isFinite(bytesWritten) || bytesWritten < 0) {
    throw new ERR_INVALID_ARG_VALUE.RangeError('bytesWritten', bytesWritten);
  }
  if (state.stream[kState].state === 'closed') {
    if (bytesWritten !== 0) throw new ERR_INVALID_ARG_VALUE('bytesWritten', bytesWritten);
  } else {
    if (bytesWritten === 0) throw invalidState('Viewed ArrayBuffer is zero-length');
    if (first.bytesFilled + bytesWritten > first.byteLength) {
      throw new ERR_INVALID_ARG_VALUE.RangeError('bytesWritten', bytesWritten);
    }
  }
  first.buffer = transferBuffer(first.buffer);
  respondInternal(controller, bytesWritten);
}

function respondWithNewView(controller, view) {
  const state = controller[kState];
  const [first] = state.pendingPullIntos;
  if (state.stream[kState].state === 'closed') {
    if (view.byteLength !== 0) throw invalidState('View is not zero-length');
  } else if (view.byteLength === 0) {
    throw invalidState('View is zero-length');
  }
  if (first.byteOffset + first.bytesFilled !== view.byteOffset ||
      first.bufferByteLength !== view.buffer.byteLength ||
      first.bytesFilled + view.byteLength > first.byteLength) {
    throw new ERR_INVALID_ARG_VALUE.RangeError('view', view);
  }
  const { byteLength } = view;
  first.buffer = transferBuffer(view.buffer);
  respondInternal(controller, byteLength);
}

function respondInternal(controller, bytesWritten) {
  const state = controller[kState];
  const [first] = state.pendingPullIntos;
  invalidateRequest(state);
  if (state.stream[kState].state === 'closed') respondClosed(controller, first);
  else respondReadable(controller, bytesWritten, first);
  pullIfNeeded(controller);
}

function respondClosed(controller, first) {
  const { stream } = controller[kState];
  if (first.type === 'none') shiftPending(controller);
  if (stream[kState].reader?.[kState].kind !== 'byobReader') return;
  const { requests } = stream[kState].reader[kState];
  for (let i = requests.length; i > 0; i--) commit(stream, shiftPending(controller));
}

function respondReadable(controller, bytesWritten, first) {
  const { stream } = controller[kState];
  first.bytesFilled += bytesWritten;
  if (first.type === 'none') {
    enqueueDetached(controller, first);
    for (const filled of processPending(controller)) commit(stream, filled);
    return;
  }
  if (first.bytesFilled < first.minimumFill) return;
  shiftPending(controller);
  const remainder = first.bytesFilled % first.elementSize;
  if (remainder > 0) {
    const end = first.byteOffset + first.bytesFilled;
    enqueueClone(controller, first.buffer, end - remainder, remainder);
  }
  first.bytesFilled -= remainder;
  const others = processPending(controller);
  commit(stream, first);
  for (const filled of others) commit(stream, filled);
}

/** A byte stream for other files; see setup. */
function setupByteStream(stream, algorithms, highWaterMark = 0) {
  setup(stream, algorithms, highWaterMark, undefined);
  return stream;
}

module.exports = {
  ReadableByteStreamController,
  ReadableStreamBYOBReader,
  ReadableStreamBYOBRequest,
  byobRequestOf,
  closeController,
  enqueueChunk,
  errorController,
  isByteController,
  readInto,
  respond,
  respondWithNewView,
  setupByteStream,
  setupFromSource,
};
