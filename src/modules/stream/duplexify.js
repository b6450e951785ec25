'use strict';

// Duplex.from(): one Duplex of whatever can be read from or written to.

const {
  AbortError,
  codes: { ERR_INVALID_ARG_TYPE, ERR_INVALID_RETURN_VALUE },
} = require('#internal/errors');
const { createDeferredPromise } = require('#internal/util');
const { destroyer } = require('#stream/destroy');
const Duplex = require('#stream/duplex');
const Readable = require('#stream/readable');
const Writable = require('#stream/writable');
const { eos } = require('#stream/end_of_stream');
const from = require('#stream/from');
const {
  isDuplexNodeStream, isIterable, isNodeStream, isReadable, isReadableNodeStream, isReadableStream,
  isWritable, isWritableNodeStream, isWritableStream,
} = require('#stream/utils');

class Duplexify extends Duplex {}

function isBlob(value) {
  return require('#web/blob').isBlob(value);
}

function duplexify(body, name) {
  if (isDuplexNodeStream(body)) return body;
  if (isReadableNodeStream(body)) return join({ readable: body });
  if (isWritableNodeStream(body)) return join({ writable: body });
  if (isNodeStream(body)) return join({ writable: false, readable: false });
  if (isReadableStream(body)) return join({ readable: Readable.fromWeb(body) });
  if (isWritableStream(body)) return join({ writable: Writable.fromWeb(body) });
  if (typeof body === 'function') return fromFunction(body, name);
  if (isBlob(body)) return duplexify(body.arrayBuffer());
  if (isIterable(body)) return from(Duplexify, body, { objectMode: true, writable: false });
  if (isReadableStream(body?.readable) && isWritableStream(body?.writable)) return Duplexify.fromWeb(body);
  if (typeof body?.writable === 'object' || typeof body?.readable === 'object') return fromPair(body);
  if (typeof body?.then === 'function') return fromPromise(body);
  throw new ERR_INVALID_ARG_TYPE(name, [
    'Blob', 'ReadableStream', 'WritableStream', 'Stream', 'Iterable', 'AsyncIterable', 'Function',
    '{ readable, writable } pair', 'Promise',
  ], body);
}

function fromPair(body) {
  let { readable, writable } = body;
  if (readable) readable = isReadableNodeStream(readable) ? readable : duplexify(readable);
  else readable = undefined;
  if (writable) writable = isWritableNodeStream(writable) ? writable : duplexify(writable);
  else writable = undefined;
  return join({ readable, writable });
}

function fromPromise(promise) {
  let duplex;
  promise.then((val) => {
    if (val != null) duplex.push(val);
    duplex.push(null);
  }, (err) => destroyer(duplex, err));
  return duplex = new Duplexify({ objectMode: true, writable: false, read() {} });
}

function fromFunction(fn, name) {
  const { value, write, final, destroy } = callGenerator(fn);
  if (isDuplexNodeStream(value)) return value;
  // An iterable is what comes out.
  if (isIterable(value)) return from(Duplexify, value, { objectMode: true, write, final, destroy });

  // A promise says when all that was written is dealt with.
  if (typeof value?.then === 'function') {
    let duplex;
    const promise = value.then((val) => {
      if (val != null) throw new ERR_INVALID_RETURN_VALUE('nully', 'body', val);
    }, (err) => destroyer(duplex, err));
    return duplex = new Duplexify({
      objectMode: true,
      readable: false,
      write,
      final(cb) {
        final(async () => {
          try {
            await promise;
            process.nextTick(cb, null);
          } catch (err) {
            process.nextTick(cb, err);
          }
        });
      },
      destroy,
    });
  }
  throw new ERR_INVALID_RETURN_VALUE('Iterable, AsyncIterable or AsyncFunction', name, value);
}

/** Calls `fn` with an async iterable of what will be written. */
function callGenerator(fn) {
  let { promise, resolve } = createDeferredPromise();
  const controller = new AbortController();
  const { signal } = controller;

  async function* written() {
    while (true) {
      const next = promise;
      promise = null;
      const { chunk, done, cb } = await next;
      process.nextTick(cb);
      if (done) return;
      if (signal.aborted) throw new AbortError(undefined, { cause: signal.reason });
      ({ promise, resolve } = createDeferredPromise());
      yield chunk;
    }
  }
  const value = fn(written(), { signal });

  function give(item) {
    const current = resolve;
    resolve = null;
    current(item);
  }
  return {
    value,
    write(chunk, encoding, cb) {
      give({ chunk, done: false, cb });
    },
    final(cb) {
      give({ done: true, cb });
    },
    destroy(err, cb) {
      controller.abort();
      cb(err);
    },
  };
}

/** A Duplex that reads from one stream and writes to another. */
function join(pair) {
  const isLegacy = pair.readable && typeof pair.readable.read !== 'function';
  const r = isLegacy ? Readable.wrap(pair.readable) : pair.readable;
  const w = pair.writable;
  const readable = !!isReadable(r);
  const writable = !!isWritable(w);
  const waiting = { drain: null, finish: null, readable: null, close: undefined };

  const duplex = new Duplexify({
    readableObjectMode: !!r?.readableObjectMode,
    writableObjectMode: !!w?.writableObjectMode,
    readable,
    writable,
  });

  function fire(name) {
    const callback = waiting[name];
    if (!callback) return;
    waiting[name] = null;
    callback();
  }
  function onfinished(err) {
    const callback = waiting.close;
    waiting.close = null;
    // Without an error the duplex ends by itself, when what it holds has been read.
    if (callback) callback(err);
    else if (err) duplex.destroy(err);
  }

  if (writable) {
    eos(w, (err) => {
      if (err) destroyer(r, err);
      onfinished(err);
    });
    duplex._write = function(chunk, encoding, callback) {
      if (w.write(chunk, encoding)) callback();
      else waiting.drain = callback;
    };
    duplex._final = function(callback) {
      w.end();
      waiting.finish = callback;
    };
    w.on('drain', () => fire('drain'));
    w.on('finish', () => fire('finish'));
  }

  if (readable) {
    eos(r, (err) => {
      if (err) destroyer(r, err);
      onfinished(err);
    });
    r.on('readable', () => fire('readable'));
    r.on('end', () => duplex.push(null));
    duplex._read = function() {
      while (true) {
        const chunk = r.read();
        if (chunk === null) {
          waiting.readable = duplex._read;
          return;
        }
        if (!duplex.push(chunk)) return;
      }
    };
  }

  duplex._destroy = function(err, callback) {
    if (!err && waiting.close !== null) err = new AbortError();
    waiting.readable = null;
    waiting.drain = null;
    waiting.finish = null;
    if (waiting.close === null) {
      callback(err);
    } else {
      waiting.close = callback;
      destroyer(w, err);
      destroyer(r, err);
    }
  };
  return duplex;
}

module.exports = duplexify;
