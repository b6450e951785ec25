'use strict';

// Reading a stream with `for await`.

const { aggregateTwoErrors } = require('#internal/errors');
const { validateObject } = require('#internal/validators');
const { destroyer } = require('#stream/destroy');
const { nop } = require('#stream/utils');

async function* iterate(stream, options) {
  const { eos } = require('#stream/end_of_stream');
  let wake = nop;
  const next = function(resolve) {
    if (this === stream) {
      wake();
      wake = nop;
    } else {
      wake = resolve;
    }
  };
  stream.on('readable', next);

  let error; // undefined: goes on; null: ended
  const stop = eos(stream, { writable: false }, (err) => {
    error = err ? aggregateTwoErrors(error, err) : null;
    wake();
    wake = nop;
  });

  try {
    while (true) {
      const chunk = stream.destroyed ? null : stream.read();
      if (chunk !== null) yield chunk;
      else if (error) throw error;
      else if (error === null) return;
      else await new Promise(next);
    }
  } catch (err) {
    error = aggregateTwoErrors(error, err);
    throw error;
  } finally {
    const wanted = error || options?.destroyOnReturn !== false;
    if (wanted && (error === undefined || stream._readableState.autoDestroy)) {
      destroyer(stream, null);
    } else {
      stream.off('readable', next);
      stop();
    }
  }
}

function toAsyncIterator(stream, options) {
  if (typeof stream.read !== 'function') {
    const Readable = require('#stream/readable');
    stream = Readable.wrap(stream, { objectMode: true });
  }
  const iterator = iterate(stream, options);
  iterator.stream = stream;
  return iterator;
}

function install(Readable) {
  Readable.prototype[Symbol.asyncIterator] = function() {
    return toAsyncIterator(this);
  };
  Readable.prototype.iterator = function(options) {
    if (options !== undefined) validateObject(options, 'options');
    return toAsyncIterator(this, options);
  };
}

module.exports = { install, toAsyncIterator };
