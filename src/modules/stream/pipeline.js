'use strict';

// pipeline(): connects streams, iterables and functions, and ends all when one ends badly.

const {
  AbortError, aggregateTwoErrors,
  codes: {
    ERR_INVALID_ARG_TYPE, ERR_INVALID_RETURN_VALUE, ERR_MISSING_ARGS, ERR_STREAM_DESTROYED,
    ERR_STREAM_PREMATURE_CLOSE, ERR_STREAM_UNABLE_TO_PIPE,
  },
} = require('#internal/errors');
const { validateAbortSignal, validateFunction } = require('#internal/validators');
const { eos } = require('#stream/end_of_stream');
const destroyImpl = require('#stream/destroy');
const Duplex = require('#stream/duplex');
const Readable = require('#stream/readable');
const {
  isClosed, isDestroyed, isIterable, isNodeStream, isReadable, isReadableFinished, isReadableNodeStream,
  isReadableStream, isTransformStream, isWebStream,
} = require('#stream/utils');

/** Watches `stream`, so that it is destroyed only if it has not ended by itself. */
function makeDestroyer(stream, reading, writing) {
  let finished = false;
  stream.on('close', () => {
    finished = true;
  });
  const cleanup = eos(stream, { readable: reading, writable: writing }, (err) => {
    finished = !err;
  });
  return {
    destroy(err) {
      if (finished) return;
      finished = true;
      destroyImpl.destroyer(stream, err || new ERR_STREAM_DESTROYED('pipe'));
    },
    cleanup,
  };
}

async function* iterateNodeStream(stream) {
  yield* Readable.prototype[Symbol.asyncIterator].call(stream);
}

function makeAsyncIterable(val) {
  if (isIterable(val)) return val;
  if (isReadableNodeStream(val)) return iterateNodeStream(val);
  throw new ERR_INVALID_ARG_TYPE('val', ['Readable', 'Iterable', 'AsyncIterable'], val);
}

/** Writes what `iterable` gives to `writable`. */
async function pumpToNode(iterable, writable, finish, { end }) {
  let error;
  let wake = null;
  const resume = (err) => {
    if (err) error = err;
    if (wake) {
      const callback = wake;
      wake = null;
      callback();
    }
  };
  const wait = () => new Promise((resolve, reject) => {
    if (error) {
      reject(error);
    } else {
      wake = () => {
        if (error) reject(error);
        else resolve();
      };
    }
  });

  writable.on('drain', resume);
  const cleanup = eos(writable, { readable: false }, resume);
  try {
    if (writable.writableNeedDrain) await wait();
    for await (const chunk of iterable) {
      if (!writable.write(chunk)) await wait();
    }
    if (end) {
      writable.end();
      await wait();
    }
    finish();
  } catch (err) {
    finish(error !== err ? aggregateTwoErrors(error, err) : err);
  } finally {
    cleanup();
    writable.off('drain', resume);
  }
}

async function pumpToWeb(readable, writable, finish, { end }) {
  if (isTransformStream(writable)) writable = writable.writable;
  const writer = writable.getWriter();
  try {
    for await (const chunk of readable) {
      await writer.ready;
      writer.write(chunk).catch(() => {}); // the writer's own state tells
    }
    await writer.ready;
    if (end) await writer.close();
    finish();
  } catch (err) {
    try {
      await writer.abort(err);
      finish(err);
    } catch (abortError) {
      finish(abortError);
    }
  }
}

/** Pipes one Node stream into the next. @returns stops watching the destination */
function pipe(src, dst, finish, finishOnlyHandleError, { end }) {
  if (isClosed(dst) || isDestroyed(dst)) throw new ERR_STREAM_UNABLE_TO_PIPE();
  let ended = false;
  dst.on('close', () => {
    if (!ended) finishOnlyHandleError(new ERR_STREAM_PREMATURE_CLOSE());
  });

  src.pipe(dst, { end: false }); // ended below, where it is known to be wanted
  if (end) {
    const endDestination = () => {
      ended = true;
      dst.end();
    };
    if (isReadableFinished(src)) process.nextTick(endDestination);
    else src.once('end', endDestination);
  } else {
    finish();
  }

  eos(src, { readable: true, writable: false }, (err) => {
    const r = src._readableState;
    if (err && err.code === 'ERR_STREAM_PREMATURE_CLOSE' && r && r.ended && !r.errored && !r.errorEmitted) {
      // Some streams emit 'close' before 'end'; what they hold is still to be read.
      src.once('end', finish).once('error', finish);
    } else {
      finish(err);
    }
  });
  return eos(dst, { readable: false, writable: true }, finish);
}

function callOnce(callback) {
  let called = false;
  return function(...args) {
    if (called) return;
    called = true;
    Reflect.apply(callback, this, args);
  };
}

function pipeline(...streams) {
  const callback = streams.pop();
  validateFunction(callback, 'streams[stream.length - 1]');
  return pipelineImpl(streams, callOnce(callback));
}

/** One pipeline: counts what is still to end, and brings all down on the first error. */
class Pipeline {
  constructor(callback, opts) {
    this.callback = callback;
    this.outerSignal = opts?.signal;
    this.endsLast = opts?.end !== false;
    this.controller = new AbortController();
    this.signal = this.controller.signal;
    this.error = undefined;
    this.value = undefined;
    this.destroys = [];
    this.lastStreamCleanup = [];
    this.finishCount = 0;
    this.disposable = undefined;
    this.finish = (err) => this.settle(err, --this.finishCount === 0);
    this.finishOnlyHandleError = (err) => this.settle(err, false);
    this.abort = () => this.settle(new AbortError(undefined, { cause: this.outerSignal?.reason }), false);
  }

  settle(err, final) {
    if (err && (!this.error || this.error.code === 'ERR_STREAM_PREMATURE_CLOSE')) this.error = err;
    if (!this.error && !final) return;
    while (this.destroys.length > 0) this.destroys.shift()(this.error);
    this.disposable?.[Symbol.dispose]();
    this.controller.abort();
    if (final) {
      if (!this.error) this.lastStreamCleanup.forEach((fn) => fn());
      process.nextTick(this.callback, this.error, this.value);
    }
  }

  /** Watches a Node stream for errors and for the need to destroy it. */
  watch(stream, reading, writing, isLast) {
    if (reading || this.endsLast) {
      const { destroy, cleanup } = makeDestroyer(stream, reading, writing);
      this.destroys.push(destroy);
      if (isReadable(stream) && isLast) this.lastStreamCleanup.push(cleanup);
    }
    // Also for errors that come after the pipes are done.
    const onError = (err) => {
      if (err && err.name !== 'AbortError' && err.code !== 'ERR_STREAM_PREMATURE_CLOSE') {
        this.finishOnlyHandleError(err);
      }
    };
    stream.on('error', onError);
    if (isReadable(stream) && isLast) {
      this.lastStreamCleanup.push(() => stream.removeListener('error', onError));
    }
  }

  source(stream) {
    if (typeof stream === 'function') {
      const ret = stream({ signal: this.signal });
      if (!isIterable(ret)) {
        throw new ERR_INVALID_RETURN_VALUE('Iterable, AsyncIterable or Stream', 'source', ret);
      }
      return ret;
    }
    if (isIterable(stream) || isReadableNodeStream(stream) || isTransformStream(stream)) return stream;
    return Duplex.from(stream);
  }

  callFunction(fn, input, index, reading) {
    const source = makeAsyncIterable(isTransformStream(input) ? input.readable : input);
    const ret = fn(source, { signal: this.signal });
    if (!reading) return this.lastFunction(ret, this.endsLast);
    if (!isIterable(ret, true)) {
      throw new ERR_INVALID_RETURN_VALUE('AsyncIterable', `transform[${index - 1}]`, ret);
    }
    return ret;
  }

  /** What the last function gave, as a stream that can be read on. */
  lastFunction(ret, end) {
    const PassThrough = require('#stream/passthrough');
    const pt = new PassThrough({ objectMode: true });
    const then = ret?.then;
    if (typeof then === 'function') {
      this.finishCount++;
      then.call(ret, (val) => {
        this.value = val;
        if (val != null) pt.write(val);
        if (end) pt.end();
        process.nextTick(this.finish);
      }, (err) => {
        pt.destroy(err);
        process.nextTick(this.finish, err);
      });
    } else if (isIterable(ret, true)) {
      this.finishCount++;
      pumpToNode(ret, pt, this.finish, { end });
    } else if (isReadableStream(ret) || isTransformStream(ret)) {
      this.finishCount++;
      pumpToNode(ret.readable || ret, pt, this.finish, { end });
    } else {
      throw new ERR_INVALID_RETURN_VALUE('AsyncIterable or Promise', 'destination', ret);
    }
    const { destroy, cleanup } = makeDestroyer(pt, false, true);
    this.destroys.push(destroy);
    this.lastStreamCleanup.push(cleanup);
    return pt;
  }

  intoNodeStream(input, stream, end, isLast) {
    if (isReadableNodeStream(input)) {
      this.finishCount += 2;
      const cleanup = pipe(input, stream, this.finish, this.finishOnlyHandleError, { end });
      if (isReadable(stream) && isLast) this.lastStreamCleanup.push(cleanup);
    } else if (isTransformStream(input) || isReadableStream(input)) {
      this.finishCount++;
      pumpToNode(input.readable || input, stream, this.finish, { end });
    } else if (isIterable(input)) {
      this.finishCount++;
      pumpToNode(input, stream, this.finish, { end });
    } else {
      throw badInput(input);
    }
    return stream;
  }

  intoWebStream(input, stream, end) {
    let source;
    if (isReadableNodeStream(input)) source = makeAsyncIterable(input);
    else if (isReadableStream(input) || isIterable(input)) source = input;
    else if (isTransformStream(input)) source = input.readable;
    else throw badInput(input);
    this.finishCount++;
    pumpToWeb(source, stream, this.finish, { end });
    return stream;
  }
}

function badInput(input) {
  return new ERR_INVALID_ARG_TYPE('val',
    ['Readable', 'Iterable', 'AsyncIterable', 'ReadableStream', 'TransformStream'], input);
}

/** @returns the last stream */
function pipelineImpl(streams, callback, opts) {
  if (streams.length === 1 && Array.isArray(streams[0])) streams = streams[0];
  if (streams.length < 2) throw new ERR_MISSING_ARGS('streams');

  const line = new Pipeline(callback, opts);
  const { outerSignal } = line;
  validateAbortSignal(outerSignal, 'options.signal');
  if (outerSignal) line.disposable = require('events').addAbortListener(outerSignal, line.abort);

  let ret;
  for (let i = 0; i < streams.length; i++) {
    const stream = streams[i];
    const reading = i < streams.length - 1;
    const end = reading || line.endsLast;
    if (isNodeStream(stream)) line.watch(stream, reading, i > 0, !reading);

    if (i === 0) ret = line.source(stream);
    else if (typeof stream === 'function') ret = line.callFunction(stream, ret, i, reading);
    else if (isNodeStream(stream)) ret = line.intoNodeStream(ret, stream, end, !reading);
    else if (isWebStream(stream)) ret = line.intoWebStream(ret, stream, end);
    else ret = Duplex.from(stream);
  }
  if (line.signal.aborted || outerSignal?.aborted) process.nextTick(line.abort);
  return ret;
}

module.exports = { pipelineImpl, pipeline };
