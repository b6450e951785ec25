'use strict';

// How messages lie on a channel: JSON lines, or V8's structured-clone format behind a length.

const { Buffer } = require('buffer');

/** One JSON text a line. */
class JsonCodec {
  #rest = '';
  #decoder = new (require('string_decoder').StringDecoder)('utf8');

  /** @param {unknown} message @returns {string} */
  encode(message) {
    return `${JSON.stringify(message)}\n`;
  }

  /** @param {Buffer} chunk @returns {unknown[]} the messages that are complete now */
  decode(chunk) {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n');
    this.#rest = lines.pop();
    return lines.map((line) => JSON.parse(line));
  }

  get isPartial() {
    return this.#rest !== '';
  }
}

const kHeader = 4;

/** A big-endian length, then what v8.serialize() makes. */
class AdvancedCodec {
  #rest = Buffer.alloc(0);

  /** @param {unknown} message @returns {Buffer} */
  encode(message) {
    const body = require('v8').serialize(message);
    const framed = Buffer.allocUnsafe(kHeader + body.length);
    framed.writeUInt32BE(body.length, 0);
    body.copy(framed, kHeader);
    return framed;
  }

  /** @param {Buffer} chunk @returns {unknown[]} */
  decode(chunk) {
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const messages = [];
    while (rest.length >= kHeader) {
      const end = kHeader + rest.readUInt32BE(0);
      if (rest.length < end) break;
      // A copy: what the deserializer makes may look at the bytes for long.
      messages.push(require('v8').deserialize(Buffer.from(rest.subarray(kHeader, end))));
      rest = rest.subarray(end);
    }
    this.#rest = rest;
    return messages;
  }

  get isPartial() {
    return this.#rest.length > 0;
  }
}

/** @param {'json' | 'advanced'} mode */
function createCodec(mode) {
  return mode === 'advanced' ? new AdvancedCodec() : new JsonCodec();
}

module.exports = { createCodec };
