'use strict';

// What connects streams: pipeTo, pipeThrough, tee, asynchronous iteration and ReadableStream.from.

const {
  codes: { ERR_ARG_NOT_ITERABLE, ERR_INVALID_ARG_TYPE, ERR_INVALID_STATE, ERR_INVALID_THIS },
} = require('#internal/errors');
const { validateAbortSignal, validateObject } = require('#internal/validators');
const { makeEnumerable } = require('#web/event');
const { handled, kState, nop, nullableObject, invalidState, then } = require('#web/stream_base');
const readable = require('#web/readable_stream');
const writable = require('#web/writable_stream');
const byte = require('#web/readable_byte_stream');

// --- pipeTo ---

function pipeOptions(options) {
  if (options !== undefined) validateObject(options, 'options', nullableObject);
  const preventAbort = !!options?.preventAbort;
  const preventCancel = !!options?.preventCancel;
  const preventClose = !!options?.preventClose;
  const signal = options?.signal;
  if (signal !== undefined) validateAbortSignal(signal, 'options.signal');
  return { preventAbort, preventCancel, preventClose, signal };
}

function checkWritable(value, name) {
  if (!writable.isWritableStream(value)) throw new ERR_INVALID_ARG_TYPE(name, 'WritableStream', value);
}

function pipeToChecked(source, destination, options) {
  checkWritable(destination, 'transform.writable');
  const parsed = pipeOptions(options);
  if (readable.isLocked(source)) throw invalidState('The ReadableStream is locked');
  if (writable.isLocked(destination)) throw invalidState('The WritableStream is locked');
  return pipeTo(source, destination, parsed);
}

function pipeThrough(source, transform, options) {
  if (!readable.isReadableStream(transform?.readable)) {
    throw new ERR_INVALID_ARG_TYPE('transform.readable', 'ReadableStream', transform?.readable);
  }
  checkWritable(transform?.writable, 'transform.writable');
  const parsed = pipeOptions(options);
  if (readable.isLocked(source)) throw invalidState('The ReadableStream is locked');
  if (writable.isLocked(transform.writable)) throw invalidState('The WritableStream is locked');
  handled(pipeTo(source, transform.writable, parsed));
  return transform.readable;
}

/** One run of ReadableStreamPipeTo. */
class Pipe {
  #reader;
  #writer;
  #source;
  #destination;
  #options;
  #shuttingDown = false;
  #lastWrite = Promise.resolve();
  #result = Promise.withResolvers();
  #onAbort;

  constructor(source, destination, options) {
    this.#source = source;
    this.#destination = destination;
    this.#options = options;
    this.#reader = new readable.ReadableStreamDefaultReader(source);
    this.#writer = new writable.WritableStreamDefaultWriter(destination);
    source[kState].disturbed = true;
  }

  run() {
    const { signal } = this.#options;
    if (signal !== undefined) {
      this.#onAbort = () => this.#abort(signal.reason);
      if (signal.aborted) {
        this.#onAbort();
        return this.#result.promise;
      }
      signal.addEventListener('abort', this.#onAbort);
    }
    this.#watch();
    this.#pump();
    return this.#result.promise;
  }

  #abort(reason) {
    const actions = [];
    const { preventAbort, preventCancel } = this.#options;
    if (!preventAbort) {
      actions.push(() => (this.#destination[kState].state === 'writable' ?
        writable.abortStream(this.#destination, reason) : Promise.resolve()));
    }
    if (!preventCancel) {
      actions.push(() => (this.#source[kState].state === 'readable' ?
        readable.cancelStream(this.#source, reason) : Promise.resolve()));
    }
    this.#shutdown(() => Promise.all(actions.map((action) => action())), true, reason);
  }

  /** Errors and closing go forward and backward. The order is the standard's. */
  #watch() {
    const source = this.#source[kState];
    const destination = this.#destination[kState];
    const { preventAbort, preventCancel, preventClose } = this.#options;
    const onSourceError = (error) => {
      if (preventAbort) this.#shutdown(undefined, true, error);
      else this.#shutdown(() => writable.abortStream(this.#destination, error), true, error);
    };
    const onDestinationError = (error) => {
      if (preventCancel) this.#shutdown(undefined, true, error);
      else this.#shutdown(() => readable.cancelStream(this.#source, error), true, error);
    };
    const onSourceClose = () => {
      if (preventClose) this.#shutdown(undefined, false);
      else this.#shutdown(() => writable.closeWithErrorPropagation(this.#writer), false);
    };
    const onDestinationClose = () => {
      const error = new ERR_INVALID_STATE.TypeError('Destination WritableStream is closed');
      if (preventCancel) this.#shutdown(undefined, true, error);
      else this.#shutdown(() => readable.cancelStream(this.#source, error), true, error);
    };
    if (source.state === 'errored') onSourceError(source.storedError);
    else then(this.#reader[kState].closed.promise, undefined, onSourceError);
    if (destination.state === 'errored') onDestinationError(destination.storedError);
    else then(this.#writer[kState].closed.promise, undefined, onDestinationError);
    if (source.state === 'closed') onSourceClose();
    else then(this.#reader[kState].closed.promise, onSourceClose, nop);
    if (writable.closeQueuedOrInFlight(this.#destination) || destination.state === 'closed') onDestinationClose();
  }

  #pump() {
    if (this.#shuttingDown) return;
    const { ready } = this.#writer[kState];
    ready.promise.then(() => {
      if (this.#shuttingDown) return;
      readable.readInto(this.#reader, {
        chunk: (value) => {
          // In a microtask, as the standard's read request does, so that a close that comes with the chunk is seen.
          this.#lastWrite = handled(writable.writeChunk(this.#writer, value));
          queueMicrotask(() => this.#pump());
        },
        close: nop,
        error: nop,
      });
    }, nop);
  }

  /** Waits for what has been read to be written, then acts, then ends. */
  #shutdown(action, isError, error) {
    if (this.#shuttingDown) return;
    this.#shuttingDown = true;
    const { state } = this.#destination[kState];
    const flush = state === 'writable' && !writable.closeQueuedOrInFlight(this.#destination);
    const perform = () => {
      if (action === undefined) {
        this.#finalize(isError, error);
        return;
      }
      then(action(), () => this.#finalize(isError, error), (failure) => this.#finalize(true, failure));
    };
    if (flush) then(this.#waitForWrites(), perform);
    else perform();
  }

  async #waitForWrites() {
    let last;
    do {
      last = this.#lastWrite;
      try {
        await last;
      } catch {
        // The stream is errored then, which the shutdown tells.
      }
    } while (last !== this.#lastWrite);
  }

  #finalize(isError, error) {
    writable.releaseWriter(this.#writer);
    readable.releaseReader(this.#reader);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    if (isError) this.#result.reject(error);
    else this.#result.resolve(undefined);
  }
}

function pipeTo(source, destination, options) {
  return new Pipe(source, destination, options).run();
}

// --- tee ---

function tee(stream, cloneForBranch2 = false) {
  return byte.isByteController(stream[kState].controller) ? teeBytes(stream) : teeDefault(stream, cloneForBranch2);
}

/** What both branches share: cancelling needs both, and gives both reasons. */
function sharedCancel(stream) {
  const result = Promise.withResolvers();
  const reasons = [undefined, undefined];
  const canceled = [false, false];
  const cancel = (index, reason) => {
    canceled[index] = true;
    reasons[index] = reason;
    if (canceled[0] && canceled[1]) result.resolve(readable.cancelStream(stream, reasons));
    return result.promise;
  };
  return { canceled, cancel, finished: () => result.resolve(undefined) };
}

function teeDefault(stream, cloneForBranch2) {
  const reader = new readable.ReadableStreamDefaultReader(stream);
  const { canceled, cancel, finished } = sharedCancel(stream);
  let reading = false;
  let readAgain = false;
  const branches = [];
  const forEachLive = (action) => branches.forEach((branch, index) => {
    if (!canceled[index]) action(branch[kState].controller, index);
  });
  const pull = () => {
    if (reading) {
      readAgain = true;
      return Promise.resolve();
    }
    reading = true;
    readable.readInto(reader, {
      chunk(value) {
        queueMicrotask(() => {
          readAgain = false;
          forEachLive((controller, index) => {
            readable.enqueueChunk(controller, index === 1 && cloneForBranch2 ? structuredClone(value) : value);
          });
          reading = false;
          if (readAgain) pull();
        });
      },
      close() {
        reading = false;
        forEachLive((controller) => readable.closeController(controller));
        if (!canceled[0] || !canceled[1]) finished();
      },
      error() { reading = false; },
    });
    return Promise.resolve();
  };
  for (const index of [0, 1]) {
    branches.push(readable.createReadableStream({ start: nop, pull, cancel: (reason) => cancel(index, reason) }));
  }
  then(reader[kState].closed.promise, undefined, (error) => {
    for (const branch of branches) readable.errorController(branch[kState].controller, error);
    if (!canceled[0] || !canceled[1]) finished();
  });
  return branches;
}

/** Tees a byte stream: the branches are byte streams, and read into each other's buffers where they can. */
function teeBytes(stream) {
  const { canceled, cancel, finished } = sharedCancel(stream);
  let reader = new readable.ReadableStreamDefaultReader(stream);
  let reading = false;
  const again = [false, false];
  const branches = [];
  const controllerOf = (index) => branches[index][kState].controller;

  const fail = (thisReader) => {
    then(thisReader[kState].closed.promise, undefined, (error) => {
      if (thisReader !== reader) return;
      for (const index of [0, 1]) byte.errorController(controllerOf(index), error);
      if (!canceled[0] || !canceled[1]) finished();
    });
  };
  const copyOf = (chunk) => {
    const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    return bytes.slice();
  };
  const failCopy = (error) => {
    for (const index of [0, 1]) byte.errorController(controllerOf(index), error);
    cancelBoth(error);
  };
  const cancelBoth = (error) => {
    canceled[0] = canceled[1] = true;
    then(readable.cancelStream(stream, error), finished, finished);
  };
  const continueReading = () => {
    reading = false;
    if (again[0]) pull(0);
    else if (again[1]) pull(1);
  };
  const closeBranches = () => {
    reading = false;
    for (const index of [0, 1]) {
      if (!canceled[index]) byte.closeController(controllerOf(index));
    }
  };

  const pullWithDefault = () => {
    if (reader[kState].kind === 'byobReader') {
      readable.releaseReader(reader);
      reader = new readable.ReadableStreamDefaultReader(stream);
      fail(reader);
    }
    readable.readInto(reader, {
      chunk(chunk) {
        queueMicrotask(() => {
          again[0] = again[1] = false;
          let second = chunk;
          if (!canceled[0] && !canceled[1]) {
            try {
              second = copyOf(chunk);
            } catch (error) {
              failCopy(error);
              return;
            }
          }
          if (!canceled[0]) byte.enqueueChunk(controllerOf(0), chunk);
          if (!canceled[1]) byte.enqueueChunk(controllerOf(1), second);
          continueReading();
        });
      },
      close() {
        closeBranches();
        for (const index of [0, 1]) {
          if (controllerOf(index)[kState].pendingPullIntos.length > 0) byte.respond(controllerOf(index), 0);
        }
        if (!canceled[0] || !canceled[1]) finished();
      },
      error() { reading = false; },
    });
  };

  const pullWithByob = (view, forBranch) => {
    if (reader[kState].kind === 'defaultReader') {
      readable.releaseReader(reader);
      reader = new byte.ReadableStreamBYOBReader(stream);
      fail(reader);
    }
    const other = 1 - forBranch;
    byte.readInto(reader, view, 1, {
      chunk(chunk) {
        queueMicrotask(() => {
          again[0] = again[1] = false;
          if (canceled[other]) {
            if (!canceled[forBranch]) byte.respondWithNewView(controllerOf(forBranch), chunk);
          } else {
            let copy;
            try {
              copy = copyOf(chunk);
            } catch (error) {
              failCopy(error);
              return;
            }
            if (!canceled[forBranch]) byte.respondWithNewView(controllerOf(forBranch), chunk);
            byte.enqueueChunk(controllerOf(other), copy);
          }
          continueReading();
        });
      },
      close(chunk) {
        closeBranches();
        if (chunk !== undefined) {
          if (!canceled[forBranch]) byte.respondWithNewView(controllerOf(forBranch), chunk);
          if (!canceled[other] && controllerOf(other)[kState].pendingPullIntos.length > 0) {
            byte.respond(controllerOf(other), 0);
          }
        }
        if (!canceled[0] || !canceled[1]) finished();
      },
      error() { reading = false; },
    });
  };

  const pull = (index) => {
    if (reading) {
      again[index] = true;
      return Promise.resolve();
    }
    reading = true;
    const request = byte.byobRequestOf(controllerOf(index));
    if (request === null) pullWithDefault();
    else pullWithByob(request[kState].view, index);
    return Promise.resolve();
  };

  for (const index of [0, 1]) {
    branches.push(byte.setupByteStream(readable.createBareReadableStream(), {
      start: nop, pull: () => pull(index), cancel: (reason) => cancel(index, reason),
    }));
  }
  fail(reader);
  return branches;
}

// --- iteration ---

const asyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype);
let createIterator;

/** The asynchronous iterator of a stream; calls of `next` and `return` run one after another. */
class ReadableStreamAsyncIterator {
  #reader;
  #preventCancel;
  #ongoing;
  #finished = false;

  static {
    createIterator = (reader, preventCancel) => new ReadableStreamAsyncIterator(reader, preventCancel);
  }

  constructor(reader, preventCancel) {
    this.#reader = reader;
    this.#preventCancel = preventCancel;
  }

  #nextSteps() {
    if (this.#finished) return Promise.resolve({ done: true, value: undefined });
    const reader = this.#reader;
    const result = Promise.withResolvers();
    const end = () => {
      this.#finished = true;
      readable.releaseReader(reader);
    };
    readable.readInto(reader, {
      chunk: (value) => result.resolve({ value, done: false }),
      close: () => {
        end();
        result.resolve({ value: undefined, done: true });
      },
      error: (error) => {
        end();
        result.reject(error);
      },
    });
    return result.promise;
  }

  #returnSteps(value) {
    const done = () => ({ done: true, value });
    if (this.#finished) return Promise.resolve(done());
    this.#finished = true;
    const reader = this.#reader;
    if (this.#preventCancel) {
      readable.releaseReader(reader);
      return Promise.resolve(done());
    }
    const canceled = readable.cancelReader(reader, value);
    readable.releaseReader(reader);
    return then(canceled, done);
  }

  /** One more turn of the microtask queue than the steps take, as Web IDL has it. */
  #after(steps) {
    const run = () => then(steps(), (result) => result);
    this.#ongoing = this.#ongoing === undefined ? run() : then(this.#ongoing, run, run);
    return this.#ongoing;
  }

  next() {
    return #ongoing in this ? this.#after(() => this.#nextSteps()) : Promise.reject(new ERR_INVALID_THIS('iterator'));
  }

  return(value) {
    return #ongoing in this ? this.#after(() => this.#returnSteps(value)) :
      Promise.reject(new ERR_INVALID_THIS('iterator'));
  }
}

delete ReadableStreamAsyncIterator.prototype.constructor;
makeEnumerable(ReadableStreamAsyncIterator.prototype, ['next', 'return']);
Object.setPrototypeOf(ReadableStreamAsyncIterator.prototype, asyncIteratorPrototype);

function iterate(stream, preventCancel) {
  return createIterator(new readable.ReadableStreamDefaultReader(stream), preventCancel);
}

// --- ReadableStream.from ---

function iteratorOf(iterable) {
  let method = iterable[Symbol.asyncIterator];
  if (method === undefined || method === null) method = iterable[Symbol.iterator];
  if (typeof method !== 'function') throw new ERR_ARG_NOT_ITERABLE(iterable);
  const iterator = Reflect.apply(method, iterable, []);
  if ((typeof iterator !== 'object' && typeof iterator !== 'function') || iterator === null) {
    throw new ERR_INVALID_STATE.TypeError('The iterator method must return an object');
  }
  return iterator;
}

function checkResult(result) {
  if (typeof result === 'object' && result !== null) return;
  throw invalidState('The promise returned by the iterator.next() method must fulfill with an object');
}

function fromIterable(iterable) {
  const iterator = iteratorOf(iterable);
  const { next } = iterator;
  const stream = readable.createReadableStream({
    start: nop,
    async pull() {
      const result = await Reflect.apply(next, iterator, []);
      checkResult(result);
      if (result.done) {
        readable.closeController(stream[kState].controller);
        return;
      }
      readable.enqueueChunk(stream[kState].controller, await result.value);
    },
    async cancel(reason) {
      const method = iterator.return;
      if (method === undefined) return;
      const result = await Reflect.apply(method, iterator, [reason]);
      checkResult(result);
    },
  }, 0);
  return stream;
}

module.exports = { fromIterable, iterate, pipeThrough, pipeTo, pipeToChecked, tee };
