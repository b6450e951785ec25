'use strict';

// node:stream/consumers: the whole of a stream as one value.

const {
  codes: { ERR_INVALID_ARG_TYPE },
} = require('#internal/errors');

/** @param {AsyncIterable<unknown>} stream */
async function chunksOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

async function blob(stream) {
  const { Blob } = require('buffer');
  return new Blob(await chunksOf(stream));
}

async function arrayBuffer(stream) {
  return (await blob(stream)).arrayBuffer();
}

async function buffer(stream) {
  return Buffer.from(await arrayBuffer(stream));
}

async function text(stream) {
  const decoder = new TextDecoder();
  let result = '';
  for await (const chunk of stream) {
    if (typeof chunk === 'string') {
      result += chunk;
    } else if (typeof chunk === 'object' && (ArrayBuffer.isView(chunk) || isAnyArrayBuffer(chunk))) {
      result += decoder.decode(chunk, { stream: true });
    } else {
      throw new ERR_INVALID_ARG_TYPE('chunk', ['string', 'ArrayBuffer', 'ArrayBufferView'], chunk);
    }
  }
  // The rest of a character that the last chunk cut short.
  return result + decoder.decode(undefined, { stream: false });
}

function isAnyArrayBuffer(value) {
  return require('util').types.isAnyArrayBuffer(value);
}

async function json(stream) {
  return JSON.parse(await text(stream));
}

module.exports = { arrayBuffer, blob, buffer, text, json };
