'use strict';

// node:stream/promises.

const { pipelineImpl } = require('#stream/pipeline');
const { finished } = require('#stream/end_of_stream');
const { isIterable, isNodeStream, isWebStream } = require('#stream/utils');
require('stream');

function pipeline(...streams) {
  return new Promise((resolve, reject) => {
    let signal;
    let end;
    const last = streams[streams.length - 1];
    if (last && typeof last === 'object' && !isNodeStream(last) && !isIterable(last) && !isWebStream(last)) {
      const options = streams.pop();
      signal = options.signal;
      end = options.end;
    }
    pipelineImpl(streams, (err, value) => {
      if (err) reject(err);
      else resolve(value);
    }, { signal, end });
  });
}

module.exports = { finished, pipeline };
