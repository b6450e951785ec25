'use strict';

// Readable.from(): a stream of what an iterable gives.

const {
  codes: { ERR_INVALID_ARG_TYPE, ERR_STREAM_NULL_VALUES },
} = require('#internal/errors');
const { Buffer } = require('buffer');

function from(Readable, iterable, opts) {
  if (typeof iterable === 'string' || iterable instanceof Buffer) {
    return new Readable({
      objectMode: true,
      ...opts,
      read() {
        this.push(iterable);
        this.push(null);
      },
    });
  }

  let iterator;
  let isAsync;
  if (iterable?.[Symbol.asyncIterator]) {
    isAsync = true;
    iterator = iterable[Symbol.asyncIterator]();
  } else if (iterable?.[Symbol.iterator]) {
    isAsync = false;
    iterator = iterable[Symbol.iterator]();
  } else {
    throw new ERR_INVALID_ARG_TYPE('iterable', ['Iterable'], iterable);
  }

  const readable = new Readable({
    objectMode: true,
    highWaterMark: 1,
    ...opts,
  });

  let reading = false;
  let isAsyncValues = false;
  readable._read = function() {
    if (reading) return;
    reading = true;
    if (isAsync) nextAsync();
    else if (isAsyncValues) nextSyncWithAsyncValues();
    else nextSync();
  };
  const ownDestroy = readable._destroy;
  readable._destroy = function(error, cb) {
    // On a tick, so that what cb throws is not a rejection of close().
    close(error).then(
      () => process.nextTick(() => ownDestroy.call(this, error, cb)),
      (e) => process.nextTick(() => ownDestroy.call(this, e || error, cb)),
    );
  };

  async function close(error) {
    const hadError = error !== undefined && error !== null;
    const hasThrow = typeof iterator.throw === 'function';
    if (hadError && hasThrow) {
      const { value, done } = await iterator.throw(error);
      await value;
      if (done) return;
    }
    if (typeof iterator.return === 'function') {
      const { value } = await iterator.return();
      await value;
    }
  }

  /** Pushes. @returns whether to go on at once */
  function take(value) {
    if (value === null) throw new ERR_STREAM_NULL_VALUES();
    if (readable.push(value)) return true;
    reading = false;
    return false;
  }

  function nextSync() {
    for (;;) {
      try {
        const { value, done } = iterator.next();
        if (done) {
          readable.push(null);
          return;
        }
        if (value && typeof value.then === 'function') {
          isAsyncValues = true;
          takeAsyncValue(value);
          return;
        }
        if (!take(value)) return;
      } catch (err) {
        readable.destroy(err);
        return;
      }
    }
  }

  async function takeAsyncValue(promise) {
    try {
      const value = await promise;
      if (!take(value)) return;
    } catch (err) {
      readable.destroy(err);
      return;
    }
    nextSyncWithAsyncValues();
  }

  async function nextSyncWithAsyncValues() {
    for (;;) {
      try {
        const { value, done } = iterator.next();
        if (done) {
          readable.push(null);
          return;
        }
        const result = value && typeof value.then === 'function' ? await value : value;
        if (!take(result)) return;
      } catch (err) {
        readable.destroy(err);
        return;
      }
    }
  }

  async function nextAsync() {
    for (;;) {
      try {
        const { value, done } = await iterator.next();
        if (done) {
          readable.push(null);
          return;
        }
        if (!take(value)) return;
      } catch (err) {
        readable.destroy(err);
        return;
      }
    }
  }

  return readable;
}

module.exports = from;
