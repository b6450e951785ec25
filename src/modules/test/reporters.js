'use strict';

// node:test/reporters. Each is a formatter of ours in the form that programs compose: a stream or an async
// generator.

const { Transform } = require('stream');
const { SpecFormatter } = require('#test/reporter_spec');

/** A Transform from events to text. */
class FormatterTransform extends Transform {
  #formatter;
  constructor(formatter) {
    super({ __proto__: null, writableObjectMode: true });
    this.#formatter = formatter;
  }

  _transform(event, encoding, callback) {
    callback(null, this.#formatter.format(event));
  }

  _flush(callback) {
    callback(null, this.#formatter.end());
  }
}

class SpecReporter extends FormatterTransform {
  constructor() {
    super(new SpecFormatter());
  }
}

class LcovReporter extends FormatterTransform {
  constructor() {
    const { LcovFormatter } = require('#test/reporter_lcov');
    super(new LcovFormatter());
  }
}

async function* generate(source, formatter) {
  const first = formatter.begin?.();
  if (first) yield first;
  for await (const event of source) {
    for (const text of formatter.parts?.(event) ?? [formatter.format(event)]) if (text !== '') yield text;
  }
  const last = formatter.end();
  if (last !== '') yield last;
}

async function* dotReporter(source) {
  const { DotFormatter } = require('#test/reporter_dot');
  yield* generate(source, new DotFormatter());
}

async function* tapReporter(source) {
  const { TapFormatter } = require('#test/reporter_tap');
  yield* generate(source, new TapFormatter());
}

async function* junitReporter(source) {
  const { JunitFormatter } = require('#test/reporter_junit');
  yield* generate(source, new JunitFormatter());
}

function spec(...args) {
  return Reflect.construct(SpecReporter, args);
}

/** A stream's maker: for compose() itself, with new or without. */
function lcov(...args) {
  return Reflect.construct(LcovReporter, args);
}

module.exports = {
  dot: dotReporter,
  junit: junitReporter,
  spec,
  tap: tapReporter,
  lcov,
};
