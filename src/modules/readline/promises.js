'use strict';

// node:readline/promises.

const {
  AbortError,
  codes: { ERR_INVALID_ARG_TYPE },
} = require('#internal/errors');
const { validateAbortSignal, validateBoolean, validateInteger } = require('#internal/validators');
const { Interface: CallbackInterface } = require('#readline/interface');
const { clearLineSequence, kClearScreenDown, moveCursorSequence } = require('#readline/cursor');

class Interface extends CallbackInterface {
  constructor(input, output, completer, terminal) {
    super(input, output, completer, terminal);
  }

  /** @param {string} query @param {{ signal?: AbortSignal }} [options] @returns {Promise<string>} */
  question(query, options = {}) {
    return new Promise((resolve, reject) => {
      let answered = resolve;
      if (options?.signal) {
        const { signal } = options;
        validateAbortSignal(signal, 'options.signal');
        if (signal.aborted) return reject(new AbortError(undefined, { cause: signal.reason }));
        const onAbort = () => {
          this._questionCancel();
          reject(new AbortError(undefined, { cause: signal.reason }));
        };
        signal.addEventListener('abort', onAbort, { once: true });
        answered = (answer) => {
          signal.removeEventListener('abort', onAbort);
          resolve(answer);
        };
      }
      this._question(query, answered);
    });
  }
}

/** Gathers control sequences and writes them at once. */
class Readline {
  #stream;
  #todo = [];
  #autoCommit = false;

  constructor(stream, options = undefined) {
    if (typeof stream?.write !== 'function' || typeof stream?.on !== 'function') {
      throw new ERR_INVALID_ARG_TYPE('stream', 'Writable', stream);
    }
    this.#stream = stream;
    if (options?.autoCommit != null) {
      validateBoolean(options.autoCommit, 'options.autoCommit');
      this.#autoCommit = options.autoCommit;
    }
  }

  #add(data) {
    if (this.#autoCommit) process.nextTick(() => this.#stream.write(data));
    else this.#todo.push(data);
    return this;
  }

  cursorTo(x, y = undefined) {
    validateInteger(x, 'x');
    if (y != null) validateInteger(y, 'y');
    return this.#add(y == null ? `\x1b[${x + 1}G` : `\x1b[${y + 1};${x + 1}H`);
  }

  moveCursor(dx, dy) {
    if (dx || dy) {
      validateInteger(dx, 'dx');
      validateInteger(dy, 'dy');
      return this.#add(moveCursorSequence(dx, dy));
    }
    return this;
  }

  clearLine(dir) {
    validateInteger(dir, 'dir', -1, 1);
    return this.#add(clearLineSequence(dir));
  }

  clearScreenDown() {
    return this.#add(kClearScreenDown);
  }

  /** @returns {Promise<void>} */
  commit() {
    return new Promise((resolve) => {
      this.#stream.write(this.#todo.join(''), resolve);
      this.#todo = [];
    });
  }

  rollback() {
    this.#todo = [];
    return this;
  }
}

function createInterface(input, output, completer, terminal) {
  return new Interface(input, output, completer, terminal);
}

module.exports = { Interface, Readline, createInterface };
