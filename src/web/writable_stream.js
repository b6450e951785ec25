'use strict';

// WritableStream, its writer and its controller (Streams Standard, clause 5). Functions follow the standard's abstract
// operations, without their class prefix.

const {
  codes: { ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_THIS },
} = require('#internal/errors');
const { validateObject } = require('#internal/validators');
const { abortSignal, createAbortSignal } = require('#web/abort');
const {
  SizedQueue, callAsync, deferred, finish, handled, highWaterMarkOf, invalidState, kConstruct, kControllerErrorFunction,
  kIsClosedPromise, kIsErrored, kIsWritable, kState, methodOf, nullableObject, rejectedDeferred, resolvedDeferred,
  sizeOf, uponPromise,
} = require('#web/stream_base');
const transferable = require('#web/transferable');

const kCloseMarker = Symbol('kCloseMarker');

function isWritableStream(value) {
  return value?.[kState] !== undefined && value[kState].kind === 'writable';
}

function isWriter(value) {
  return value?.[kState] !== undefined && value[kState].kind === 'writer';
}

function isController(value) {
  return value?.[kState] !== undefined && value[kState].kind === 'writableController';
}

function createState() {
  return {
    kind: 'writable',
    state: 'writable',
    storedError: undefined,
    writer: undefined,
    controller: undefined,
    backpressure: false,
    writeRequests: [],
    inFlightWrite: undefined,
    closeRequest: undefined,
    inFlightClose: undefined,
    pendingAbort: undefined,
    closed: deferred(),
  };
}

class WritableStream {
  constructor(sink = {}, strategy = {}) {
    validateObject(sink, 'sink', { allowArray: true, allowFunction: true });
    validateObject(strategy, 'strategy', nullableObject);
    if (sink.type !== undefined) throw new ERR_INVALID_ARG_VALUE.RangeError('type', sink.type);
    this[kState] = createState();
    handled(this[kState].closed.promise);
    const size = sizeOf(strategy);
    const highWaterMark = highWaterMarkOf(strategy, 1);
    setupFromSink(this, sink, highWaterMark, size);
  }

  get locked() {
    if (!isWritableStream(this)) throw new ERR_INVALID_THIS('WritableStream');
    return isLocked(this);
  }

  abort(reason = undefined) {
    if (!isWritableStream(this)) return Promise.reject(new ERR_INVALID_THIS('WritableStream'));
    if (isLocked(this)) return Promise.reject(invalidState('WritableStream is locked'));
    return abortStream(this, reason);
  }

  close() {
    if (!isWritableStream(this)) return Promise.reject(new ERR_INVALID_THIS('WritableStream'));
    if (isLocked(this)) return Promise.reject(invalidState('WritableStream is locked'));
    if (closeQueuedOrInFlight(this)) return Promise.reject(invalidState('Failure closing WritableStream'));
    return closeStream(this);
  }

  getWriter() {
    if (!isWritableStream(this)) throw new ERR_INVALID_THIS('WritableStream');
    return new WritableStreamDefaultWriter(this);
  }

  get [kIsClosedPromise]() { return this[kState].closed; }
  get [kIsErrored]() { return this[kState].state === 'errored'; }
  get [kIsWritable]() { return this[kState].state === 'writable'; }
  get [kControllerErrorFunction]() { return (error) => errorIfNeeded(this[kState].controller, error); }

  [transferable.transferList]() {
    return require('#web/stream_transfer').transferListOf(this);
  }

  [transferable.transfer]() {
    return require('#web/stream_transfer').transferWritable(this);
  }
}

transferable.setTransferMode(WritableStream.prototype, transferable.kTransferable);
finish(WritableStream, ['locked', 'abort', 'close', 'getWriter'], (stream) => ({
  locked: stream.locked, state: stream[kState].state,
}));

// --- the stream ---

/** @param {object} algorithms start, write, close, abort: see setup */
function createWritableStream(algorithms, highWaterMark = 1, size = () => 1) {
  const stream = Object.create(WritableStream.prototype);
  stream[kState] = createState();
  handled(stream[kState].closed.promise);
  setup(stream, algorithms, highWaterMark, size);
  return stream;
}

function isLocked(stream) {
  return stream[kState].writer !== undefined;
}

function abortStream(stream, reason) {
  const state = stream[kState];
  if (state.state === 'closed' || state.state === 'errored') return Promise.resolve();
  abortSignal(state.controller[kState].signal, reason);
  if (state.state === 'closed' || state.state === 'errored') return Promise.resolve();
  if (state.pendingAbort !== undefined) return state.pendingAbort.promise;
  const wasErroring = state.state === 'erroring';
  state.pendingAbort = Object.assign(deferred(), { reason: wasErroring ? undefined : reason, wasErroring });
  const { promise } = state.pendingAbort;
  if (!wasErroring) startErroring(stream, reason);
  return promise;
}

function closeStream(stream) {
  const state = stream[kState];
  if (state.state === 'closed' || state.state === 'errored') {
    return Promise.reject(invalidState('WritableStream is closed'));
  }
  state.closeRequest = deferred();
  const { promise } = state.closeRequest;
  if (state.writer !== undefined && state.backpressure && state.state === 'writable') {
    state.writer[kState].ready.resolve();
  }
  const controller = state.controller[kState];
  controller.queue.push(kCloseMarker, 0);
  advanceQueueIfNeeded(state.controller);
  return promise;
}

function closeQueuedOrInFlight(stream) {
  const { closeRequest, inFlightClose } = stream[kState];
  return closeRequest !== undefined || inFlightClose !== undefined;
}

function dealWithRejection(stream, error) {
  if (stream[kState].state === 'writable') startErroring(stream, error);
  else finishErroring(stream);
}

function startErroring(stream, reason) {
  const state = stream[kState];
  state.state = 'erroring';
  state.storedError = reason;
  if (state.writer !== undefined) ensureRejected(state.writer[kState], 'ready', reason);
  const inFlight = state.inFlightWrite !== undefined || state.inFlightClose !== undefined;
  if (!inFlight && state.controller[kState].started) finishErroring(stream);
}

function finishErroring(stream) {
  const state = stream[kState];
  state.state = 'errored';
  state.controller[kState].queue.clear();
  for (const request of state.writeRequests) request.reject(state.storedError);
  state.writeRequests = [];
  const abort = state.pendingAbort;
  if (abort === undefined) {
    rejectCloseAndClosed(stream);
    return;
  }
  state.pendingAbort = undefined;
  if (abort.wasErroring) {
    abort.reject(state.storedError);
    rejectCloseAndClosed(stream);
    return;
  }
  const controller = state.controller[kState];
  const promise = controller.abort(abort.reason);
  clearAlgorithms(state.controller);
  uponPromise(promise, () => {
    abort.resolve();
    rejectCloseAndClosed(stream);
  }, (error) => {
    abort.reject(error);
    rejectCloseAndClosed(stream);
  });
}

function finishInFlightWrite(stream, error, failed) {
  const state = stream[kState];
  const request = state.inFlightWrite;
  state.inFlightWrite = undefined;
  if (!failed) {
    request.resolve();
    return;
  }
  request.reject(error);
  dealWithRejection(stream, error);
}

function finishInFlightClose(stream) {
  const state = stream[kState];
  state.inFlightClose.resolve();
  state.inFlightClose = undefined;
  if (state.state === 'erroring') {
    state.storedError = undefined;
    if (state.pendingAbort !== undefined) {
      state.pendingAbort.resolve();
      state.pendingAbort = undefined;
    }
  }
  state.state = 'closed';
  state.writer?.[kState].closed.resolve();
  state.closed.resolve();
}

function finishInFlightCloseWithError(stream, error) {
  const state = stream[kState];
  state.inFlightClose.reject(error);
  state.inFlightClose = undefined;
  if (state.pendingAbort !== undefined) {
    state.pendingAbort.reject(error);
    state.pendingAbort = undefined;
  }
  dealWithRejection(stream, error);
}

function rejectCloseAndClosed(stream) {
  const state = stream[kState];
  if (state.closeRequest !== undefined) {
    state.closeRequest.reject(state.storedError);
    state.closeRequest = undefined;
  }
  state.closed.reject(state.storedError);
  if (state.writer !== undefined) {
    const { closed } = state.writer[kState];
    handled(closed.promise);
    closed.reject(state.storedError);
  }
}

function updateBackpressure(stream, backpressure) {
  const state = stream[kState];
  if (state.writer !== undefined && backpressure !== state.backpressure) {
    if (backpressure) state.writer[kState].ready = deferred();
    else state.writer[kState].ready.resolve();
  }
  state.backpressure = backpressure;
}

// --- the writer ---

class WritableStreamDefaultWriter {
  constructor(stream) {
    if (!isWritableStream(stream)) throw new ERR_INVALID_ARG_TYPE('stream', 'WritableStream', stream);
    if (isLocked(stream)) throw invalidState('WritableStream is locked');
    this[kState] = { kind: 'writer', stream, ready: undefined, closed: undefined };
    stream[kState].writer = this;
    setupWriterPromises(this[kState], stream[kState]);
  }

  get closed() {
    if (!isWriter(this)) return Promise.reject(new ERR_INVALID_THIS('WritableStreamDefaultWriter'));
    return this[kState].closed.promise;
  }

  get desiredSize() {
    if (!isWriter(this)) throw new ERR_INVALID_THIS('WritableStreamDefaultWriter');
    if (this[kState].stream === undefined) throw invalidState('Writer is not bound to a WritableStream');
    return desiredSizeOf(this[kState].stream);
  }

  get ready() {
    if (!isWriter(this)) return Promise.reject(new ERR_INVALID_THIS('WritableStreamDefaultWriter'));
    return this[kState].ready.promise;
  }

  abort(reason = undefined) {
    if (!isWriter(this)) return Promise.reject(new ERR_INVALID_THIS('WritableStreamDefaultWriter'));
    if (this[kState].stream === undefined) {
      return Promise.reject(invalidState('Writer is not bound to a WritableStream'));
    }
    return abortStream(this[kState].stream, reason);
  }

  close() {
    if (!isWriter(this)) return Promise.reject(new ERR_INVALID_THIS('WritableStreamDefaultWriter'));
    const { stream } = this[kState];
    if (stream === undefined) return Promise.reject(invalidState('Writer is not bound to a WritableStream'));
    if (closeQueuedOrInFlight(stream)) return Promise.reject(invalidState('Failure to close WritableStream'));
    return closeStream(stream);
  }

  releaseLock() {
    if (!isWriter(this)) throw new ERR_INVALID_THIS('WritableStreamDefaultWriter');
    if (this[kState].stream !== undefined) releaseWriter(this);
  }

  write(chunk = undefined) {
    if (!isWriter(this)) return Promise.reject(new ERR_INVALID_THIS('WritableStreamDefaultWriter'));
    if (this[kState].stream === undefined) {
      return Promise.reject(invalidState('Writer is not bound to a WritableStream'));
    }
    return writeChunk(this, chunk);
  }
}

finish(WritableStreamDefaultWriter, [
  'closed', 'desiredSize', 'ready', 'abort', 'close', 'releaseLock', 'write',
], (writer) => ({
  stream: writer[kState].stream,
  close: writer[kState].closed.promise,
  ready: writer[kState].ready.promise,
  desiredSize: writer.desiredSize,
}));

function setupWriterPromises(writer, state) {
  if (state.state === 'writable') {
    writer.ready = !closeQueuedOrInFlightState(state) && state.backpressure ? deferred() : resolvedDeferred();
    writer.closed = deferred();
  } else if (state.state === 'erroring') {
    writer.ready = rejectedDeferred(state.storedError);
    writer.closed = deferred();
  } else if (state.state === 'closed') {
    writer.ready = resolvedDeferred();
    writer.closed = resolvedDeferred();
  } else {
    writer.ready = rejectedDeferred(state.storedError);
    writer.closed = rejectedDeferred(state.storedError);
  }
}

function closeQueuedOrInFlightState(state) {
  return state.closeRequest !== undefined || state.inFlightClose !== undefined;
}

/** Rejects a promise of a writer, or replaces it by a rejected one if it is settled. */
function ensureRejected(state, name, error) {
  if (state[name].settled) {
    state[name] = rejectedDeferred(error);
    return;
  }
  handled(state[name].promise);
  state[name].reject(error);
}

function closeWithErrorPropagation(writer) {
  const { stream } = writer[kState];
  const state = stream[kState];
  if (closeQueuedOrInFlight(stream) || state.state === 'closed') return Promise.resolve();
  if (state.state === 'errored') return Promise.reject(state.storedError);
  return closeStream(stream);
}

function desiredSizeOf(stream) {
  const state = stream[kState];
  if (state.state === 'errored' || state.state === 'erroring') return null;
  if (state.state === 'closed') return 0;
  return controllerDesiredSize(state.controller);
}

function releaseWriter(writer) {
  const { stream } = writer[kState];
  const released = invalidState('Writer has been released');
  ensureRejected(writer[kState], 'ready', released);
  ensureRejected(writer[kState], 'closed', released);
  stream[kState].writer = undefined;
  writer[kState].stream = undefined;
}

function writeChunk(writer, chunk) {
  const { stream } = writer[kState];
  const state = stream[kState];
  const { controller } = state;
  const size = chunkSize(controller, chunk);
  if (stream !== writer[kState].stream) return Promise.reject(invalidState('Mismatched WritableStreams'));
  if (state.state === 'errored') return Promise.reject(state.storedError);
  if (closeQueuedOrInFlight(stream) || state.state === 'closed') {
    return Promise.reject(invalidState('WritableStream is closed'));
  }
  if (state.state === 'erroring') return Promise.reject(state.storedError);
  const request = deferred();
  state.writeRequests.push(request);
  controllerWrite(controller, chunk, size);
  return request.promise;
}

// --- the controller ---

class WritableStreamDefaultController {
  constructor(secret = undefined) {
    if (secret !== kConstruct) throw new ERR_ILLEGAL_CONSTRUCTOR();
  }

  get signal() {
    if (!isController(this)) throw new ERR_INVALID_THIS('WritableStreamDefaultController');
    return this[kState].signal;
  }

  error(error = undefined) {
    if (!isController(this)) throw new ERR_INVALID_THIS('WritableStreamDefaultController');
    if (this[kState].stream[kState].state === 'writable') controllerError(this, error);
  }
}

finish(WritableStreamDefaultController, ['signal', 'error'], (controller) => ({ stream: controller[kState].stream }));

/** @param {object} algorithms { start(controller), write(chunk, controller), close(), abort(reason) } */
function setup(stream, algorithms, highWaterMark, size) {
  const controller = new WritableStreamDefaultController(kConstruct);
  const state = stream[kState];
  controller[kState] = {
    kind: 'writableController',
    stream,
    queue: new SizedQueue(),
    signal: createAbortSignal(),
    started: false,
    highWaterMark,
    size,
    write: algorithms.write,
    close: algorithms.close,
    abort: algorithms.abort,
  };
  state.controller = controller;
  updateBackpressure(stream, hasBackpressure(controller));
  const started = algorithms.start(controller);
  uponPromise(Promise.resolve(started), () => {
    controller[kState].started = true;
    advanceQueueIfNeeded(controller);
  }, (error) => {
    controller[kState].started = true;
    dealWithRejection(stream, error);
  });
}

function setupFromSink(stream, sink, highWaterMark, size) {
  const { start } = sink;
  const write = methodOf(sink, 'write', 'sink');
  const close = methodOf(sink, 'close', 'sink');
  const abort = methodOf(sink, 'abort', 'sink');
  setup(stream, {
    start: (controller) => (start === undefined ? undefined : Reflect.apply(start, sink, [controller])),
    write: (chunk, controller) => (write === undefined ? Promise.resolve() : callAsync(write, sink, chunk, controller)),
    close: () => (close === undefined ? Promise.resolve() : callAsync(close, sink)),
    abort: (reason) => (abort === undefined ? Promise.resolve() : callAsync(abort, sink, reason)),
  }, highWaterMark, size);
}

function clearAlgorithms(controller) {
  const state = controller[kState];
  state.write = state.close = state.abort = state.size = undefined;
}

function controllerDesiredSize(controller) {
  const { highWaterMark, queue } = controller[kState];
  return highWaterMark - queue.total;
}

function hasBackpressure(controller) {
  return controllerDesiredSize(controller) <= 0;
}

function chunkSize(controller, chunk) {
  const { size } = controller[kState];
  if (size === undefined) return 1;
  try {
    return size(chunk);
  } catch (error) {
    errorIfNeeded(controller, error);
    return 1;
  }
}

function controllerWrite(controller, chunk, size) {
  const { queue, stream } = controller[kState];
  try {
    queue.push(chunk, size);
  } catch (error) {
    errorIfNeeded(controller, error);
    return;
  }
  if (!closeQueuedOrInFlight(stream) && stream[kState].state === 'writable') {
    updateBackpressure(stream, hasBackpressure(controller));
  }
  advanceQueueIfNeeded(controller);
}

function errorIfNeeded(controller, error) {
  if (controller[kState].stream[kState].state === 'writable') controllerError(controller, error);
}

function controllerError(controller, error) {
  const { stream } = controller[kState];
  clearAlgorithms(controller);
  startErroring(stream, error);
}

function advanceQueueIfNeeded(controller) {
  const { started, stream, queue } = controller[kState];
  const state = stream[kState];
  if (!started || state.inFlightWrite !== undefined) return;
  if (state.state === 'erroring') {
    finishErroring(stream);
    return;
  }
  if (queue.length === 0) return;
  const value = queue.peek();
  if (value === kCloseMarker) processClose(controller);
  else processWrite(controller, value);
}

function processClose(controller) {
  const { stream, queue } = controller[kState];
  const state = stream[kState];
  state.inFlightClose = state.closeRequest;
  state.closeRequest = undefined;
  queue.shift();
  const promise = controller[kState].close();
  clearAlgorithms(controller);
  uponPromise(promise, () => finishInFlightClose(stream), (error) => finishInFlightCloseWithError(stream, error));
}

function processWrite(controller, chunk) {
  const { stream, queue } = controller[kState];
  const state = stream[kState];
  state.inFlightWrite = state.writeRequests.shift();
  uponPromise(controller[kState].write(chunk, controller), () => {
    finishInFlightWrite(stream);
    const current = state.state;
    queue.shift();
    if (!closeQueuedOrInFlight(stream) && current === 'writable') {
      updateBackpressure(stream, hasBackpressure(controller));
    }
    advanceQueueIfNeeded(controller);
  }, (error) => {
    if (state.state === 'writable') clearAlgorithms(controller);
    finishInFlightWrite(stream, error, true);
  });
}

module.exports = {
  WritableStream,
  WritableStreamDefaultController,
  WritableStreamDefaultWriter,
  abortStream,
  closeQueuedOrInFlight,
  closeStream,
  closeWithErrorPropagation,
  createWritableStream,
  desiredSizeOf,
  errorIfNeeded,
  isLocked,
  isWritableStream,
  releaseWriter,
  writeChunk,
};
