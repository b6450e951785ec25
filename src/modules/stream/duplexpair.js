'use strict';

// duplexPair(): two Duplex streams, each of which reads what is written to the other.

const Duplex = require('#stream/duplex');

const kCallback = Symbol('Callback');
const kOtherSide = Symbol('Other');

class DuplexSide extends Duplex {
  constructor(options) {
    super(options);
    this[kCallback] = null;
    this[kOtherSide] = null;
  }

  _read() {
    const callback = this[kCallback];
    if (callback) {
      this[kCallback] = null;
      callback();
    }
  }

  _write(chunk, encoding, callback) {
    const other = this[kOtherSide];
    if (chunk.length === 0) {
      process.nextTick(callback);
    } else {
      // Done when the other side has read it.
      other[kCallback] = callback;
      other.push(chunk);
    }
  }

  _final(callback) {
    const other = this[kOtherSide];
    other.on('end', callback);
    other.push(null);
  }
}

function duplexPair(options) {
  const side0 = new DuplexSide(options);
  const side1 = new DuplexSide(options);
  side0[kOtherSide] = side1;
  side1[kOtherSide] = side0;
  return [side0, side1];
}

module.exports = duplexPair;
