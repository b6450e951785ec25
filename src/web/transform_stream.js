'use strict';

// TransformStream and its controller (Streams Standard, clause 6).

const {
  codes: { ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_ARG_VALUE, ERR_INVALID_THIS },
} = require('#internal/errors');
const { validateObject } = require('#internal/validators');
const {
  callAsync, deferred, finish, highWaterMarkOf, invalidState, kConstruct, kState, methodOf, nullableObject, sizeOf,
  then,
} = require('#web/stream_base');
const readable = require('#web/readable_stream');
const writable = require('#web/writable_stream');
const transferable = require('#web/transferable');

function isTransformStream(value) {
  return value?.[kState] !== undefined && value[kState].kind === 'transform';
}

function isController(value) {
  return value?.[kState] !== undefined && value[kState].kind === 'transformController';
}

class TransformStream {
  constructor(transformer = {}, writableStrategy = {}, readableStrategy = {}) {
    validateObject(transformer, 'transformer', nullableObject);
    validateObject(writableStrategy, 'writableStrategy', nullableObject);
    validateObject(readableStrategy, 'readableStrategy', nullableObject);
    for (const name of ['readableType', 'writableType']) {
      if (transformer?.[name] !== undefined) {
        throw new ERR_INVALID_ARG_VALUE.RangeError(`transformer.${name}`, transformer[name]);
      }
    }
    const readableMark = highWaterMarkOf(readableStrategy, 0);
    const readableSize = sizeOf(readableStrategy);
    const writableMark = highWaterMarkOf(writableStrategy, 1);
    const writableSize = sizeOf(writableStrategy);
    const start = methodOf(transformer, 'start', 'transformer');
    const algorithms = algorithmsOf(transformer);
    const started = deferred();
    initialize(this, started.promise, writableMark, writableSize, readableMark, readableSize);
    const controller = setupController(this, algorithms);
    // Through a promise, so that a cancellation right after construction comes first.
    started.resolve(Promise.resolve(start === undefined ? undefined : Reflect.apply(start, transformer, [controller])));
  }

  get readable() {
    if (!isTransformStream(this)) throw new ERR_INVALID_THIS('TransformStream');
    return this[kState].readable;
  }

  get writable() {
    if (!isTransformStream(this)) throw new ERR_INVALID_THIS('TransformStream');
    return this[kState].writable;
  }

  [transferable.transferList]() {
    return require('#web/stream_transfer').transferListOf(this);
  }

  [transferable.transfer]() {
    return require('#web/stream_transfer').transferTransform(this);
  }
}

transferable.setTransferMode(TransformStream.prototype, transferable.kTransferable);
finish(TransformStream, ['readable', 'writable'], (stream) => ({
  readable: stream[kState].readable, writable: stream[kState].writable, backpressure: stream[kState].backpressure,
}));

class TransformStreamDefaultController {
  constructor(secret = undefined) {
    if (secret !== kConstruct) throw new ERR_ILLEGAL_CONSTRUCTOR();
  }

  get desiredSize() {
    if (!isController(this)) throw new ERR_INVALID_THIS('TransformStreamDefaultController');
    return readable.desiredSizeOf(readableController(this[kState].stream));
  }

  enqueue(chunk = undefined) {
    if (!isController(this)) throw new ERR_INVALID_THIS('TransformStreamDefaultController');
    enqueueChunk(this, chunk);
  }

  error(reason = undefined) {
    if (!isController(this)) throw new ERR_INVALID_THIS('TransformStreamDefaultController');
    errorStream(this[kState].stream, reason);
  }

  terminate() {
    if (!isController(this)) throw new ERR_INVALID_THIS('TransformStreamDefaultController');
    terminate(this);
  }
}

finish(TransformStreamDefaultController, ['desiredSize', 'enqueue', 'error', 'terminate'], (controller) => ({
  stream: controller[kState].stream,
}));

function algorithmsOf(transformer) {
  const transform = methodOf(transformer, 'transform', 'transformer');
  const flush = methodOf(transformer, 'flush', 'transformer');
  const cancel = methodOf(transformer, 'cancel', 'transformer');
  return {
    transform: transform === undefined ? passThrough :
      (chunk, controller) => callAsync(transform, transformer, chunk, controller),
    flush: (controller) => (flush === undefined ? Promise.resolve() : callAsync(flush, transformer, controller)),
    cancel: (reason) => (cancel === undefined ? Promise.resolve() : callAsync(cancel, transformer, reason)),
  };
}

function passThrough(chunk, controller) {
  try {
    enqueueChunk(controller, chunk);
    return Promise.resolve();
  } catch (error) {
    return Promise.reject(error);
  }
}

function readableController(stream) {
  return stream[kState].readable[kState].controller;
}

/** InitializeTransformStream */
function initialize(stream, started, writableMark, writableSize, readableMark, readableSize) {
  const state = {
    kind: 'transform', readable: undefined, writable: undefined, controller: undefined, backpressure: undefined,
    backpressureChange: undefined,
  };
  stream[kState] = state;
  state.writable = writable.createWritableStream({
    start: () => started,
    write: (chunk) => sinkWrite(stream, chunk),
    close: () => sinkClose(stream),
    abort: (reason) => sinkAbort(stream, reason),
  }, writableMark, writableSize);
  state.readable = readable.createReadableStream({
    start: () => started,
    pull: () => {
      setBackpressure(stream, false);
      return state.backpressureChange.promise;
    },
    cancel: (reason) => sourceCancel(stream, reason),
  }, readableMark, readableSize);
  setBackpressure(stream, true);
}

function setupController(stream, algorithms) {
  const controller = new TransformStreamDefaultController(kConstruct);
  controller[kState] = {
    kind: 'transformController', stream, finish: undefined, ...algorithms,
  };
  stream[kState].controller = controller;
  return controller;
}

function clearAlgorithms(controller) {
  const state = controller[kState];
  state.transform = state.flush = state.cancel = undefined;
}

function setBackpressure(stream, backpressure) {
  const state = stream[kState];
  state.backpressureChange?.resolve();
  state.backpressureChange = deferred();
  state.backpressure = backpressure;
}

function errorStream(stream, error) {
  readable.errorController(readableController(stream), error);
  errorWritableAndUnblock(stream, error);
}

function errorWritableAndUnblock(stream, error) {
  clearAlgorithms(stream[kState].controller);
  writable.errorIfNeeded(stream[kState].writable[kState].controller, error);
  if (stream[kState].backpressure) setBackpressure(stream, false);
}

function enqueueChunk(controller, chunk) {
  const { stream } = controller[kState];
  const target = readableController(stream);
  if (!readable.canCloseOrEnqueue(target)) throw invalidState('Unable to enqueue');
  try {
    readable.enqueueChunk(target, chunk);
  } catch (error) {
    errorWritableAndUnblock(stream, error);
    throw stream[kState].readable[kState].storedError;
  }
  const backpressure = readable.desiredSizeOf(target) <= 0;
  if (backpressure !== stream[kState].backpressure && backpressure) setBackpressure(stream, true);
}

function performTransform(controller, chunk) {
  const { stream, transform } = controller[kState];
  return then(transform(chunk, controller), undefined, (error) => {
    errorStream(stream, error);
    throw error;
  });
}

function terminate(controller) {
  const { stream } = controller[kState];
  readable.closeController(readableController(stream));
  errorWritableAndUnblock(stream, invalidState('TransformStream terminated'));
}

function sinkWrite(stream, chunk) {
  const state = stream[kState];
  if (!state.backpressure) return performTransform(state.controller, chunk);
  return then(state.backpressureChange.promise, () => {
    const target = state.writable[kState];
    if (target.state === 'erroring') throw target.storedError;
    return performTransform(state.controller, chunk);
  });
}

function sinkAbort(stream, reason) {
  const state = stream[kState];
  const controller = state.controller[kState];
  if (controller.finish !== undefined) return controller.finish.promise;
  controller.finish = deferred();
  const { promise } = controller.finish;
  const canceled = controller.cancel(reason);
  clearAlgorithms(state.controller);
  then(canceled, () => {
    const source = state.readable[kState];
    if (source.state === 'errored') {
      controller.finish.reject(source.storedError);
    } else {
      readable.errorController(readableController(stream), reason);
      controller.finish.resolve();
    }
  }, (error) => {
    readable.errorController(readableController(stream), error);
    controller.finish.reject(error);
  });
  return promise;
}

function sinkClose(stream) {
  const state = stream[kState];
  const controller = state.controller[kState];
  if (controller.finish !== undefined) return controller.finish.promise;
  controller.finish = deferred();
  const { promise } = controller.finish;
  const flushed = controller.flush(state.controller);
  clearAlgorithms(state.controller);
  then(flushed, () => {
    const source = state.readable[kState];
    if (source.state === 'errored') {
      controller.finish.reject(source.storedError);
    } else {
      readable.closeController(readableController(stream));
      controller.finish.resolve();
    }
  }, (error) => {
    readable.errorController(readableController(stream), error);
    controller.finish.reject(error);
  });
  return promise;
}

function sourceCancel(stream, reason) {
  const state = stream[kState];
  const controller = state.controller[kState];
  if (controller.finish !== undefined) return controller.finish.promise;
  controller.finish = deferred();
  const { promise } = controller.finish;
  const canceled = controller.cancel(reason);
  clearAlgorithms(state.controller);
  then(canceled, () => {
    const target = state.writable[kState];
    if (target.state === 'errored') {
      controller.finish.reject(target.storedError);
      return;
    }
    writable.errorIfNeeded(target.controller, reason);
    if (state.backpressure) setBackpressure(stream, false);
    controller.finish.resolve();
  }, (error) => {
    writable.errorIfNeeded(state.writable[kState].controller, error);
    if (state.backpressure) setBackpressure(stream, false);
    controller.finish.reject(error);
  });
  return promise;
}

module.exports = { TransformStream, TransformStreamDefaultController, isTransformStream };
