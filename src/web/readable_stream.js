'use strict';

// ReadableStream, its default reader and its default controller (Streams Standard, clause 4). Functions follow the
// standard's abstract operations, without their class prefix. Byte streams are in readable_byte_stream.js, piping and
// teeing in stream_pipe.js.

const {
  codes: { ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_THIS },
} = require('#internal/errors');
const { validateObject } = require('#internal/validators');
const {
  SizedQueue, deferred, finish, handled, highWaterMarkOf, invalidState, kConstruct, kControllerErrorFunction,
  kIsClosedPromise, kIsDisturbed, kIsErrored, kIsReadable, kState, nop, nullableObject, rejectedDeferred,
  resolvedDeferred, sizeOf, then,
} = require('#web/stream_base');
const {
  ControllerState, algorithmsOf, desiredSizeOf, pullIfNeeded, startController, takesChunks,
} = require('#web/readable_controller');
const transferable = require('#web/transferable');

const bytes = () => require('#web/readable_byte_stream');
const pipe = () => require('#web/stream_pipe');

function isReadableStream(value) {
  return value?.[kState] !== undefined && value[kState].kind === 'readable';
}

function isDefaultReader(value) {
  return value?.[kState] !== undefined && value[kState].kind === 'defaultReader';
}

function isDefaultController(value) {
  return value?.[kState] !== undefined && value[kState].kind === 'readableController';
}

function createState() {
  return {
    kind: 'readable',
    state: 'readable',
    storedError: undefined,
    reader: undefined,
    controller: undefined,
    disturbed: false,
    closed: deferred(),
  };
}

class ReadableStream {
  constructor(source = {}, strategy = {}) {
    validateObject(source, 'source', { allowArray: true, allowFunction: true });
    validateObject(strategy, 'strategy', nullableObject);
    this[kState] = createState();
    handled(this[kState].closed.promise);
    const { type } = source;
    if (`${type}` === 'bytes') {
      if (strategy?.size !== undefined) throw new ERR_INVALID_ARG_VALUE.RangeError('strategy.size', strategy.size);
      bytes().setupFromSource(this, source, highWaterMarkOf(strategy, 0));
      return;
    }
    if (type !== undefined) throw new ERR_INVALID_ARG_VALUE('source.type', type);
    const size = sizeOf(strategy);
    setup(this, algorithmsOf(source), highWaterMarkOf(strategy, 1), size);
  }

  get locked() {
    if (!isReadableStream(this)) throw new ERR_INVALID_THIS('ReadableStream');
    return isLocked(this);
  }

  static from(iterable) {
    return pipe().fromIterable(iterable);
  }

  cancel(reason = undefined) {
    if (!isReadableStream(this)) return Promise.reject(new ERR_INVALID_THIS('ReadableStream'));
    if (isLocked(this)) return Promise.reject(invalidState('ReadableStream is locked'));
    return cancelStream(this, reason);
  }

  getReader(options = undefined) {
    if (!isReadableStream(this)) throw new ERR_INVALID_THIS('ReadableStream');
    if (options !== undefined) validateObject(options, 'options', nullableObject);
    const mode = options?.mode;
    if (mode === undefined) return new ReadableStreamDefaultReader(this);
    if (`${mode}` !== 'byob') throw new ERR_INVALID_ARG_VALUE('options.mode', mode);
    return new (bytes().ReadableStreamBYOBReader)(this);
  }

  pipeThrough(transform, options = {}) {
    if (!isReadableStream(this)) throw new ERR_INVALID_THIS('ReadableStream');
    return pipe().pipeThrough(this, transform, options);
  }

  pipeTo(destination, options = {}) {
    if (!isReadableStream(this)) return Promise.reject(new ERR_INVALID_THIS('ReadableStream'));
    try {
      return pipe().pipeToChecked(this, destination, options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  tee() {
    if (!isReadableStream(this)) throw new ERR_INVALID_THIS('ReadableStream');
    return pipe().tee(this);
  }

  values(options = undefined) {
    if (!isReadableStream(this)) throw new ERR_INVALID_THIS('ReadableStream');
    if (options !== undefined) validateObject(options, 'options', nullableObject);
    return pipe().iterate(this, !!options?.preventCancel);
  }

  get [kIsClosedPromise]() { return this[kState].closed; }
  get [kIsDisturbed]() { return this[kState].disturbed; }
  get [kIsErrored]() { return this[kState].state === 'errored'; }
  get [kIsReadable]() { return this[kState].state === 'readable'; }
  get [kControllerErrorFunction]() { return (error) => this[kState].controller[kState].error(error); }

  [transferable.transferList]() {
    return require('#web/stream_transfer').transferListOf(this);
  }

  [transferable.transfer]() {
    return require('#web/stream_transfer').transferReadable(this);
  }
}

Object.defineProperty(ReadableStream, 'from', { __proto__: null, enumerable: true });
Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator, {
  __proto__: null, configurable: true, writable: true, value: ReadableStream.prototype.values,
});
transferable.setTransferMode(ReadableStream.prototype, transferable.kTransferable);
finish(ReadableStream, ['locked', 'cancel', 'getReader', 'pipeThrough', 'pipeTo', 'tee', 'values'], (stream) => ({
  locked: stream.locked,
  state: stream[kState].state,
  supportsBYOB: stream[kState].controller?.[kState].kind === 'byteController',
}));

// --- the stream ---

/** @param {object} algorithms start, pull, cancel: see setup */
function createReadableStream(algorithms, highWaterMark = 1, size = () => 1) {
  const stream = Object.create(ReadableStream.prototype);
  stream[kState] = createState();
  handled(stream[kState].closed.promise);
  setup(stream, algorithms, highWaterMark, size);
  return stream;
}

/** A stream without a controller, which the caller sets up. */
function createBareReadableStream() {
  const stream = Object.create(ReadableStream.prototype);
  stream[kState] = createState();
  handled(stream[kState].closed.promise);
  return stream;
}

function isLocked(stream) {
  return stream[kState].reader !== undefined;
}

function cancelStream(stream, reason) {
  const state = stream[kState];
  state.disturbed = true;
  if (state.state === 'closed') return Promise.resolve();
  if (state.state === 'errored') return Promise.reject(state.storedError);
  closeStream(stream);
  const { reader } = state;
  if (reader !== undefined && reader[kState].kind === 'byobReader') {
    const requests = reader[kState].requests;
    reader[kState].requests = [];
    for (const request of requests) request.close(undefined);
  }
  return then(state.controller[kState].cancelSteps(reason), nop);
}

function closeStream(stream) {
  const state = stream[kState];
  state.state = 'closed';
  state.closed.resolve();
  const { reader } = state;
  if (reader === undefined) return;
  reader[kState].closed.resolve();
  if (reader[kState].kind !== 'defaultReader') return;
  const { requests } = reader[kState];
  reader[kState].requests = [];
  for (const request of requests) request.close();
}

function errorStream(stream, error) {
  const state = stream[kState];
  state.state = 'errored';
  state.storedError = error;
  state.closed.reject(error);
  const { reader } = state;
  if (reader === undefined) return;
  handled(reader[kState].closed.promise);
  reader[kState].closed.reject(error);
  rejectRequests(reader, error);
}

function rejectRequests(reader, error) {
  const { requests } = reader[kState];
  reader[kState].requests = [];
  for (const request of requests) request.error(error);
}

/** How many reads wait, of a default reader or a BYOB reader. */
function readRequestCount(stream) {
  return stream[kState].reader[kState].requests.length;
}

function hasDefaultReader(stream) {
  return stream[kState].reader?.[kState].kind === 'defaultReader';
}

// --- readers ---

/** ReadableStreamReaderGenericInitialize */
function initializeReader(reader, stream, kind) {
  const state = stream[kState];
  reader[kState] = { kind, stream, requests: [], closed: undefined };
  state.reader = reader;
  if (state.state === 'readable') reader[kState].closed = deferred();
  else if (state.state === 'closed') reader[kState].closed = resolvedDeferred();
  else reader[kState].closed = rejectedDeferred(state.storedError);
}

/** ReadableStreamDefaultReaderRelease and ReadableStreamBYOBReaderRelease */
function releaseReader(reader) {
  const state = reader[kState];
  const released = invalidState('Reader released');
  if (state.closed.settled) {
    state.closed = rejectedDeferred(released);
  } else {
    handled(state.closed.promise);
    state.closed.reject(released);
  }
  state.stream[kState].controller[kState].releaseSteps();
  state.stream[kState].reader = undefined;
  state.stream = undefined;
  rejectRequests(reader, invalidState('Releasing reader'));
}

function closedOf(reader, isReader, name) {
  return isReader(reader) ? reader[kState].closed.promise : Promise.reject(new ERR_INVALID_THIS(name));
}

function cancelReader(reader, reason) {
  const { stream } = reader[kState];
  if (stream === undefined) return Promise.reject(invalidState('The reader is not attached to a stream'));
  return cancelStream(stream, reason);
}

/** A read that resolves a promise; one with a view of its own gets that back, empty, at the end. */
class PromiseRequest {
  #deferred = deferred();
  get promise() { return this.#deferred.promise; }
  chunk(value) { this.#deferred.resolve({ value, done: false }); }
  close(value = undefined) { this.#deferred.resolve({ value, done: true }); }
  error(error) { this.#deferred.reject(error); }
}

class ReadableStreamDefaultReader {
  constructor(stream) {
    if (!isReadableStream(stream)) throw new ERR_INVALID_ARG_TYPE('stream', 'ReadableStream', stream);
    if (isLocked(stream)) throw invalidState('ReadableStream is locked');
    initializeReader(this, stream, 'defaultReader');
  }

  read() {
    if (!isDefaultReader(this)) return Promise.reject(new ERR_INVALID_THIS('ReadableStreamDefaultReader'));
    const { stream } = this[kState];
    if (stream === undefined) return Promise.reject(invalidState('The reader is not attached to a stream'));
    const { controller, state } = stream[kState];
    const { kind, queue } = controller[kState];
    if (state === 'readable' && kind === 'readableController' && queue.length > 0) {
      stream[kState].disturbed = true;
      return Promise.resolve({ value: takeChunk(controller), done: false });
    }
    const request = new PromiseRequest();
    readInto(this, request);
    return request.promise;
  }

  releaseLock() {
    if (!isDefaultReader(this)) throw new ERR_INVALID_THIS('ReadableStreamDefaultReader');
    if (this[kState].stream !== undefined) releaseReader(this);
  }

  get closed() {
    return closedOf(this, isDefaultReader, 'ReadableStreamDefaultReader');
  }

  cancel(reason = undefined) {
    if (!isDefaultReader(this)) return Promise.reject(new ERR_INVALID_THIS('ReadableStreamDefaultReader'));
    return cancelReader(this, reason);
  }
}

finish(ReadableStreamDefaultReader, ['read', 'releaseLock', 'closed', 'cancel'], (reader) => ({
  stream: reader[kState].stream, readRequests: reader[kState].requests.length, close: reader[kState].closed.promise,
}));

/** @param {{chunk: Function, close: Function, error: Function}} request */
function readInto(reader, request) {
  const { stream } = reader[kState];
  const state = stream[kState];
  state.disturbed = true;
  if (state.state === 'closed') request.close();
  else if (state.state === 'errored') request.error(state.storedError);
  else state.controller[kState].pullSteps(request);
}

// --- the default controller ---

class ReadableStreamDefaultController {
  constructor(secret = undefined) {
    if (secret !== kConstruct) throw new ERR_ILLEGAL_CONSTRUCTOR();
  }

  get desiredSize() {
    if (!isDefaultController(this)) throw new ERR_INVALID_THIS('ReadableStreamDefaultController');
    return desiredSizeOf(this);
  }

  close() {
    if (!isDefaultController(this)) throw new ERR_INVALID_THIS('ReadableStreamDefaultController');
    if (!canCloseOrEnqueue(this)) throw invalidState('Controller is already closed');
    closeController(this);
  }

  enqueue(chunk = undefined) {
    if (!isDefaultController(this)) throw new ERR_INVALID_THIS('ReadableStreamDefaultController');
    if (!canCloseOrEnqueue(this)) throw invalidState('Controller is already closed');
    enqueueChunk(this, chunk);
  }

  error(error = undefined) {
    if (!isDefaultController(this)) throw new ERR_INVALID_THIS('ReadableStreamDefaultController');
    errorController(this, error);
  }
}

finish(ReadableStreamDefaultController, ['desiredSize', 'close', 'enqueue', 'error']);

class DefaultControllerState extends ControllerState {
  constructor(controller, setup) {
    super('readableController', controller, new SizedQueue(), setup);
    this.size = setup.size;
  }

  error(error) { errorController(this.controller, error); }
  pullSteps(request) { pullSteps(this.controller, request); }
  releaseSteps() {}

  cancelSteps(reason) {
    this.queue.clear();
    const promise = this.cancel(reason);
    clearAlgorithms(this);
    return promise;
  }
}

/** SetUpReadableStreamDefaultController; for `algorithms` see algorithmsOf */
function setup(stream, algorithms, highWaterMark, size) {
  const controller = new ReadableStreamDefaultController(kConstruct);
  const state = new DefaultControllerState(controller, { stream, algorithms, highWaterMark, size });
  startController(state, algorithms.start);
}

function clearAlgorithms(state) {
  state.pull = state.cancel = state.size = undefined;
}

/** Takes the next chunk of a queue that has one. */
function takeChunk(controller) {
  const state = controller[kState];
  const chunk = state.queue.shift();
  if (state.closeRequested && state.queue.length === 0) {
    clearAlgorithms(state);
    closeStream(state.stream);
  } else {
    pullIfNeeded(controller);
  }
  return chunk;
}

function pullSteps(controller, request) {
  const state = controller[kState];
  if (state.queue.length > 0) {
    request.chunk(takeChunk(controller));
    return;
  }
  state.stream[kState].reader[kState].requests.push(request);
  pullIfNeeded(controller);
}

function canCloseOrEnqueue(controller) {
  return takesChunks(controller[kState]);
}

function closeController(controller) {
  if (!canCloseOrEnqueue(controller)) return;
  const state = controller[kState];
  state.closeRequested = true;
  if (state.queue.length > 0) return;
  clearAlgorithms(state);
  closeStream(state.stream);
}

function enqueueChunk(controller, chunk) {
  if (!canCloseOrEnqueue(controller)) return;
  const state = controller[kState];
  const { stream } = state;
  if (isLocked(stream) && readRequestCount(stream) > 0) {
    stream[kState].reader[kState].requests.shift().chunk(chunk);
  } else {
    let size;
    try {
      size = state.size(chunk);
      state.queue.push(chunk, size);
    } catch (error) {
      errorController(controller, error);
      throw error;
    }
  }
  pullIfNeeded(controller);
}

function errorController(controller, error) {
  const state = controller[kState];
  if (state.stream[kState].state !== 'readable') return;
  state.queue.clear();
  clearAlgorithms(state);
  errorStream(state.stream, error);
}

module.exports = {
  PromiseRequest,
  ReadableStream,
  ReadableStreamDefaultController,
  ReadableStreamDefaultReader,
  canCloseOrEnqueue,
  cancelReader,
  cancelStream,
  closeController,
  closeStream,
  closedOf,
  createBareReadableStream,
  createReadableStream,
  desiredSizeOf,
  enqueueChunk,
  errorController,
  errorStream,
  hasDefaultReader,
  initializeReader,
  isLocked,
  isReadableStream,
  readInto,
  readRequestCount,
  releaseReader,
};
