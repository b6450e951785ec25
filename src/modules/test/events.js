'use strict';

// The events of a run, as objects in a stream; see "Class: TestsStream" in the documentation.

const { Readable } = require('stream');

class TestsStream extends Readable {
  #buffer = [];
  #canPush = false;

  constructor() {
    super({ objectMode: true, highWaterMark: Number.MAX_SAFE_INTEGER });
  }

  _read() {
    this.#canPush = true;
    while (this.#buffer.length > 0) {
      const item = this.#buffer.shift();
      if (!this.#push(item)) return;
    }
  }

  #push(item) {
    if (this.#canPush) this.#canPush = this.push(item);
    else this.#buffer.push(item);
    return this.#canPush;
  }

  /** @param {{ type: string, data: object }} event */
  send(event) {
    this.emit(event.type, event.data);
    this.#push(event);
  }

  end() {
    this.#push(null);
  }
}

/** Makes events of tests and hands each to every sink. */
class Reporter {
  constructor() {
    /** @type {Array<(event: { type: string, data: object }) => void>} */
    this.sinks = [];
  }

  emit(type, data) {
    const event = { __proto__: null, type, data };
    for (const sink of this.sinks) sink(event);
  }

  #directive(test) {
    if (test.skipped) return { __proto__: null, skip: test.message ?? true };
    if (test.isTodo) return { __proto__: null, todo: test.message ?? true };
    return undefined;
  }

  #details(test) {
    const details = { __proto__: null, duration_ms: test.duration, type: test.type };
    if (!test.passed) details.error = test.error;
    return details;
  }

  enqueue(test) {
    const { nesting, name } = test;
    this.emit('test:enqueue', { __proto__: null, nesting, name, type: test.type, ...test.loc });
  }

  dequeue(test) {
    const { nesting, name } = test;
    this.emit('test:dequeue', { __proto__: null, nesting, name, type: test.type, ...test.loc });
  }

  complete(test) {
    const { name, nesting, testNumber } = test;
    const details = this.#details(test);
    details.passed = test.passed;
    this.emit('test:complete',
      { __proto__: null, name, nesting, testNumber, details, ...test.loc, ...this.#directive(test) });
  }

  start(test) {
    this.emit('test:start', { __proto__: null, nesting: test.nesting, name: test.name, ...test.loc });
  }

  result(test) {
    const { name, nesting, testNumber } = test;
    this.emit(test.passed ? 'test:pass' : 'test:fail', {
      __proto__: null, name, nesting, testNumber, details: this.#details(test), ...test.loc,
      ...this.#directive(test),
    });
  }

  plan(test) {
    this.emit('test:plan', { __proto__: null, nesting: test.nesting + 1, count: test.outputSubtestCount, ...test.loc });
  }

  diagnostic(test, message, level = 'info') {
    this.emit('test:diagnostic', { __proto__: null, nesting: Math.max(0, test.nesting), message, level, ...test.loc });
  }
}

module.exports = { Reporter, TestsStream };
