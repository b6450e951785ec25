'use strict';

// compose(): several streams as one Duplex, from the first one's input to the last one's output.

const {
  AbortError,
  codes: { ERR_INVALID_ARG_VALUE, ERR_MISSING_ARGS },
} = require('#internal/errors');
const Duplex = require('#stream/duplex');
const { pipeline } = require('#stream/pipeline');
const { destroyer } = require('#stream/destroy');
const { eos } = require('#stream/end_of_stream');
const {
  isNodeStream, isReadable, isReadableStream, isTransformStream, isWebStream, isWritable, isWritableStream,
} = require('#stream/utils');

const canRead = (stream) => isReadable(stream) || isReadableStream(stream) || isTransformStream(stream);
const canWrite = (stream) => isWritable(stream) || isWritableStream(stream) || isTransformStream(stream);

function check(streams, given) {
  for (let n = 0; n < streams.length; ++n) {
    // Functions and iterables are taken as they are.
    if (!isNodeStream(streams[n]) && !isWebStream(streams[n])) continue;
    if (n < streams.length - 1 && !canRead(streams[n])) {
      throw new ERR_INVALID_ARG_VALUE(`streams[${n}]`, given[n], 'must be readable');
    }
    if (n > 0 && !canWrite(streams[n])) {
      throw new ERR_INVALID_ARG_VALUE(`streams[${n}]`, given[n], 'must be writable');
    }
  }
}

function compose(...streams) {
  if (streams.length === 0) throw new ERR_MISSING_ARGS('streams');
  if (streams.length === 1) return Duplex.from(streams[0]);

  const given = [...streams];
  if (typeof streams[0] === 'function') streams[0] = Duplex.from(streams[0]);
  const last = streams.length - 1;
  if (typeof streams[last] === 'function') streams[last] = Duplex.from(streams[last]);
  check(streams, given);

  // Callbacks that wait for something of the head or tail.
  const waiting = { drain: null, finish: null, close: undefined };
  let duplex;
  const head = streams[0];
  const tail = pipeline(streams, (err) => {
    const callback = waiting.close;
    waiting.close = null;
    if (callback) callback(err);
    else if (err) duplex.destroy(err);
    else if (!readable && !writable) duplex.destroy();
  });
  const writable = !!canWrite(head);
  const readable = !!canRead(tail);

  duplex = new Duplex({
    // Object mode of the ends is that of the whole.
    writableObjectMode: !!head?.writableObjectMode,
    readableObjectMode: !!tail?.readableObjectMode,
    writable,
    readable,
  });
  if (writable) connectHead(duplex, head, tail, waiting);
  if (readable) connectTail(duplex, tail);

  duplex._destroy = function(err, callback) {
    if (!err && waiting.close !== null) err = new AbortError();
    waiting.drain = null;
    waiting.finish = null;
    if (isNodeStream(tail)) destroyer(tail, err);
    if (waiting.close === null) callback(err);
    else waiting.close = callback;
  };
  return duplex;
}

function fire(waiting, name) {
  const callback = waiting[name];
  if (!callback) return;
  waiting[name] = null;
  callback();
}

function connectHead(duplex, head, tail, waiting) {
  if (isNodeStream(head)) {
    duplex._write = function(chunk, encoding, callback) {
      if (head.write(chunk, encoding)) callback();
      else waiting.drain = callback;
    };
    duplex._final = function(callback) {
      head.end();
      waiting.finish = callback;
    };
    head.on('drain', () => fire(waiting, 'drain'));
  } else {
    const writer = (isTransformStream(head) ? head.writable : head).getWriter();
    duplex._write = async function(chunk, encoding, callback) {
      try {
        await writer.ready;
        writer.write(chunk).catch(() => {});
        callback();
      } catch (err) {
        callback(err);
      }
    };
    duplex._final = async function(callback) {
      try {
        await writer.ready;
        writer.close().catch(() => {});
        waiting.finish = callback;
      } catch (err) {
        callback(err);
      }
    };
  }
  // Written to the end means: through to the tail.
  eos(isTransformStream(tail) ? tail.readable : tail, () => fire(waiting, 'finish'));
}

function connectTail(duplex, tail) {
  if (isNodeStream(tail)) {
    // In flow, so that chunks keep their bounds and those that the tail gave before it failed still come
    // through.
    tail.on('data', (chunk) => {
      if (!duplex.push(chunk)) tail.pause();
    });
    tail.on('end', () => duplex.push(null));
    duplex._read = () => tail.resume();
    return;
  }
  const reader = (isTransformStream(tail) ? tail.readable : tail).getReader();
  duplex._read = async function() {
    while (true) {
      try {
        const { value, done } = await reader.read();
        if (done) {
          duplex.push(null);
          return;
        }
        if (!duplex.push(value)) return;
      } catch {
        return; // the pipeline tells
      }
    }
  };
}

module.exports = compose;
