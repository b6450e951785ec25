'use strict';

// The standard streams of a worker: pieces that travel over the control channel.

const { Readable, Writable } = require('stream');

class PortReadable extends Readable {
  #waiting = [];
  #wanted = false;
  #forward;

  #whileReading;
  #reading = false;

  /** @param {{ ref(): void, unref(): void }} [keeper] what keeps the thread alive while more is waited for */
  constructor(keeper = undefined) {
    super();
    this.#whileReading = keeper;
  }

  #setReading(reading) {
    if (this.#whileReading === undefined || reading === this.#reading) return;
    this.#reading = reading;
    if (reading) this.#whileReading.ref();
    else this.#whileReading.unref();
  }

  _read() {
    this.#wanted = true;
    while (this.#wanted && this.#waiting.length > 0) this.#wanted = this.#give(this.#waiting.shift());
    this.#setReading(this.#wanted);
  }

  #give(chunk) {
    if (chunk === null) this.#setReading(false);
    return this.push(chunk);
  }

  _destroy(error, callback) {
    this.#setReading(false);
    callback(error);
  }

  /** Without a reader of its own, what comes goes to a stream of this thread. */
  forwardTo(target) {
    this.#forward = target;
    for (const event of ['data', 'readable']) {
      const stop = (name) => {
        if (name === event) this.#forward = undefined;
      };
      this.on('newListener', stop);
    }
  }

  /** @param {Uint8Array | string | null} chunk null at the end */
  take(chunk) {
    if (this.destroyed || this.readableEnded) return;
    if (this.#forward !== undefined) {
      if (chunk !== null) this.#forward().write(chunk);
      else this.push(null);
      return;
    }
    if (this.#wanted) {
      this.#wanted = this.#give(chunk);
      if (!this.#wanted) this.#setReading(false);
    } else {
      this.#waiting.push(chunk);
    }
  }
}

function makeReadable(keeper) {
  return new PortReadable(keeper);
}

function makeWritable(send) {
  return new Writable({
    decodeStrings: true,
    write(chunk, encoding, callback) {
      send(new Uint8Array(chunk));
      callback();
    },
    final(callback) {
      send(null);
      callback();
    },
  });
}

/** process.stdout of a worker: its text is in order with the messages of the control channel. */
function makeOutput(name, fd) {
  const state = require('#worker_threads/state');
  const stream = new Writable({
    decodeStrings: true,
    write(chunk, encoding, callback) {
      state.control.postMessage({ type: name, chunk: new Uint8Array(chunk) });
      callback();
    },
  });
  stream.fd = fd;
  stream._type = 'pipe';
  stream._isStdio = true;
  return stream;
}

/** The descriptor itself. */
function makeDirectOutput(name, fd) {
  const { writeSync } = require('fs');
  const stream = new Writable({
    decodeStrings: true,
    write(chunk, encoding, callback) {
      for (let rest = chunk; rest.length > 0;) rest = rest.subarray(writeSync(fd, rest));
      callback();
    },
  });
  return Object.assign(stream, { fd, _type: 'fs', _isStdio: true });
}

module.exports = { makeReadable, makeWritable, makeOutput, makeDirectOutput };
