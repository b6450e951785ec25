'use strict';

// finished(): tells when a stream is done, well or not, for any make of stream.

const {
  AbortError,
  codes: { ERR_INVALID_ARG_TYPE, ERR_STREAM_PREMATURE_CLOSE },
} = require('#internal/errors');
const {
  validateAbortSignal, validateBoolean, validateFunction, validateObject,
} = require('#internal/validators');
const {
  kIsClosedPromise, isClosed, isNodeStream, isReadable, isReadableErrored, isReadableFinished,
  isReadableNodeStream, isReadableStream, isRequest, isWritable, isWritableErrored, isWritableFinished,
  isWritableNodeStream, isWritableStream, willEmitClose, nop,
} = require('#stream/utils');
const context = require('#async_hooks/context');
const { kEmptyObject } = require('#internal/util');

function callOnce(fn) {
  let called = false;
  return function(...args) {
    if (called) return;
    called = true;
    Reflect.apply(fn, this, args);
  };
}

/** `callback`, in the async context of now and at most once. */
function bindOnce(callback) {
  const frame = context.snapshot();
  if (frame === undefined && !require('#async_hooks/hooks').enabledHooksExist()) return callOnce(callback);
  const { AsyncResource } = require('async_hooks');
  return callOnce(AsyncResource.bind(callback, 'STREAM_END_OF_STREAM'));
}

/**
 * @param {object} stream
 * @param {{ readable?: boolean, writable?: boolean, error?: boolean, signal?: AbortSignal }} [options]
 * @param {(err?: Error) => void} callback
 * @returns {() => void} stops listening
 */
function eos(stream, options, callback) {
  if (arguments.length === 2) {
    callback = options;
    options = kEmptyObject;
  } else if (options == null) {
    options = kEmptyObject;
  } else {
    validateObject(options, 'options');
  }
  validateFunction(callback, 'callback');
  validateAbortSignal(options.signal, 'options.signal');
  callback = bindOnce(callback);

  if (isReadableStream(stream) || isWritableStream(stream)) return eosWeb(stream, options, callback);
  if (!isNodeStream(stream)) {
    throw new ERR_INVALID_ARG_TYPE('stream', ['ReadableStream', 'WritableStream', 'Stream'], stream);
  }
  return new NodeStreamEnd(stream, options, callback).start();
}

/**
 * Waits for the end of one stream: each listener is a method, and all know where the stream stood at the
 * start.
 */
class NodeStreamEnd {
  constructor(stream, options, callback) {
    this.stream = stream;
    this.options = options;
    this.callback = callback;
    this.readable = options.readable ?? isReadableNodeStream(stream);
    this.writable = options.writable ?? isWritableNodeStream(stream);
    this.w = stream._writableState;
    this.r = stream._readableState;
    // Whether 'close' is to be waited for after 'end' and 'finish'; where `options` narrow the question to
    // one side of a duplex it is not.
    this.willClose = willEmitClose(stream) &&
      isReadableNodeStream(stream) === this.readable && isWritableNodeStream(stream) === this.writable;
    this.writableFinished = isWritableFinished(stream, false);
    this.readableFinished = isReadableFinished(stream, false);
    this.closed = isClosed(stream);
    this.listeners = [];
  }

  on(name, listener) {
    this.stream.on(name, listener);
    this.listeners.push(name, listener);
  }

  start() {
    const { stream, options, w } = this;
    this.onclose = () => this.close();
    this.onfinish = () => this.finish();
    this.listen();

    if (this.closed) {
      process.nextTick(this.onclose);
    } else if (w?.errorEmitted || this.r?.errorEmitted) {
      if (!this.willClose) process.nextTick(this.onclose);
    } else if (!this.readable && (!this.willClose || isReadable(stream)) &&
               (this.writableFinished || isWritable(stream) === false) && !w?.pendingcb) {
      process.nextTick(this.onclose);
    } else if (!this.writable && (!this.willClose || isWritable(stream)) &&
               (this.readableFinished || isReadable(stream) === false)) {
      process.nextTick(this.onclose);
    }

    const cleanup = () => this.cleanup();
    if (options.signal && !this.closed) watchSignal(options.signal, this, cleanup);
    return cleanup;
  }

  listen() {
    const { stream, w } = this;
    if (isRequest(stream)) {
      this.on('complete', this.onfinish);
      if (!this.willClose) this.on('abort', this.onclose);
      if (stream.req) this.onrequest();
      else this.on('request', () => this.onrequest());
    } else if (this.writable && !w) {
      // A legacy stream.
      const onlegacyfinish = () => {
        if (!stream.writable || isWritableFinished(stream, false)) this.finish();
      };
      this.on('end', onlegacyfinish);
      this.on('close', onlegacyfinish);
    }
    if (!this.willClose && typeof stream.aborted === 'boolean') this.on('aborted', this.onclose);
    this.on('end', () => this.end());
    this.on('finish', this.onfinish);
    if (this.options.error !== false) this.on('error', (err) => this.callback.call(stream, err));
    this.on('close', this.onclose);
  }

  onrequest() {
    const { req } = this.stream;
    req.on('finish', this.onfinish);
    this.request = req;
  }

  finish() {
    const { stream } = this;
    this.writableFinished = true;
    // Destroyed now by autoDestroy: 'close' follows.
    if (stream.destroyed) this.willClose = false;
    if (this.willClose && (!stream.writable || this.readable)) return;
    if (!this.readable || this.readableFinished) this.callback.call(stream);
  }

  end() {
    const { stream } = this;
    this.readableFinished = true;
    if (stream.destroyed) this.willClose = false;
    if (this.willClose && (!stream.readable || this.writable)) return;
    if (!this.writable || this.writableFinished) this.callback.call(stream);
  }

  close() {
    const { stream } = this;
    this.closed = true;
    const errored = isWritableErrored(stream) || isReadableErrored(stream);
    if (errored && typeof errored !== 'boolean') {
      this.callback.call(stream, errored);
      return;
    }
    if (this.readable && !this.readableFinished && isReadableNodeStream(stream, true) &&
        !isReadableFinished(stream, false)) {
      this.callback.call(stream, new ERR_STREAM_PREMATURE_CLOSE());
      return;
    }
    if (this.writable && !this.writableFinished && !isWritableFinished(stream, false)) {
      this.callback.call(stream, new ERR_STREAM_PREMATURE_CLOSE());
      return;
    }
    this.callback.call(stream);
  }

  cleanup() {
    this.callback = nop;
    for (let i = 0; i < this.listeners.length; i += 2) {
      this.stream.removeListener(this.listeners[i], this.listeners[i + 1]);
    }
    this.listeners.length = 0;
    this.request?.removeListener('finish', this.onfinish);
  }
}

/** Calls back with an AbortError when `signal` aborts before the end. */
function watchSignal(signal, waiter, cleanup) {
  const abort = () => {
    const { callback, stream } = waiter;
    cleanup();
    callback.call(stream, new AbortError(undefined, { cause: signal.reason }));
  };
  if (signal.aborted) {
    process.nextTick(abort);
    return;
  }
  const disposable = require('events').addAbortListener(signal, abort);
  const original = waiter.callback;
  waiter.callback = callOnce(function(...args) {
    disposable[Symbol.dispose]();
    Reflect.apply(original, this, args);
  });
}

function eosWeb(stream, options, callback) {
  let isAborted = false;
  let abort = nop;
  if (options.signal) {
    abort = () => {
      isAborted = true;
      callback.call(stream, new AbortError(undefined, { cause: options.signal.reason }));
    };
    if (options.signal.aborted) {
      process.nextTick(abort);
    } else {
      const disposable = require('events').addAbortListener(options.signal, abort);
      const original = callback;
      callback = callOnce((...args) => {
        disposable[Symbol.dispose]();
        original.apply(stream, args);
      });
    }
  }
  const resolver = (...args) => {
    if (!isAborted) process.nextTick(() => callback.apply(stream, args));
  };
  stream[kIsClosedPromise].promise.then(resolver, resolver);
  return nop;
}

/** The promise form. */
function finished(stream, opts) {
  let autoCleanup = false;
  if (opts === null) opts = kEmptyObject;
  if (opts?.cleanup) {
    validateBoolean(opts.cleanup, 'cleanup');
    autoCleanup = opts.cleanup;
  }
  return new Promise((resolve, reject) => {
    const cleanup = eos(stream, opts, (err) => {
      if (autoCleanup) cleanup();
      if (err) reject(err);
      else resolve();
    });
  });
}

module.exports = { eos, finished };
