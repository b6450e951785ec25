'use strict';

// How a test file's process tells the one that runs it what happened: lines on stdout that begin with a mark,
// with values in JSON where what JSON lacks is tagged.

const kMark = '\u0000gyre-test\u0000';

const kErrorKeys = [
  'name', 'message', 'stack', 'code', 'failureType', 'generatedMessage', 'operator', 'exitCode', 'signal',
];

function encodeError(error, seen) {
  const fields = {};
  for (const key of kErrorKeys) {
    const value = error[key];
    if (value !== undefined) fields[key] = encode(value, seen);
  }
  for (const key of Object.keys(error)) {
    if (!Object.hasOwn(fields, key)) fields[key] = encode(error[key], seen);
  }
  if ('cause' in error) fields.cause = encode(error.cause, seen);
  return { $: 'error', fields, type: error.constructor?.name };
}

function encode(value, seen = new Set()) {
  switch (typeof value) {
    case 'undefined': return { $: 'undefined' };
    case 'bigint': return { $: 'bigint', text: `${value}` };
    case 'symbol': return { $: 'symbol', text: value.description };
    case 'function': return { $: 'text', text: `[Function: ${value.name}]` };
    case 'number': return Number.isFinite(value) ? value : { $: 'number', text: `${value}` };
    case 'object': break;
    default: return value;
  }
  if (value === null) return null;
  if (seen.has(value)) return { $: 'text', text: '[Circular]' };
  seen.add(value);
  try {
    if (value instanceof Error) return encodeError(value, seen);
    if (Array.isArray(value)) return value.map((item) => encode(item, seen));
    if (value instanceof RegExp) return { $: 'regexp', source: value.source, flags: value.flags };
    if (value instanceof Date) return { $: 'date', time: value.getTime() };
    const fields = {};
    for (const key of Object.keys(value)) fields[key] = encode(value[key], seen);
    return { $: 'object', fields };
  } finally {
    seen.delete(value);
  }
}

function decodeError({ fields, type }) {
  const { codes } = require('#internal/errors');
  const values = {};
  for (const key of Object.keys(fields)) values[key] = decode(fields[key]);
  let error;
  if (values.code === 'ERR_TEST_FAILURE') {
    error = new codes.ERR_TEST_FAILURE(values.cause ?? values.message, values.failureType);
  } else if (values.code === 'ERR_ASSERTION') {
    const { AssertionError } = require('assert');
    error = new AssertionError({ message: values.message ?? '' });
  } else {
    const Base = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError }[type] ?? Error;
    error = new Base(values.message);
  }
  for (const key of ['stack', 'message']) {
    if (values[key] !== undefined) {
      Object.defineProperty(error, key, { __proto__: null, value: values[key], writable: true, configurable: true });
    }
    delete values[key];
  }
  if (values.name === error.name) delete values.name;
  return Object.assign(error, values);
}

function decode(value) {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(decode);
  switch (value.$) {
    case 'undefined': return undefined;
    case 'bigint': return BigInt(value.text);
    case 'symbol': return Symbol(value.text);
    case 'number': return Number(value.text);
    case 'text': return value.text;
    case 'regexp': return new RegExp(value.source, value.flags);
    case 'date': return new Date(value.time);
    case 'error': return decodeError(value);
    default: {
      const object = {};
      for (const key of Object.keys(value.fields)) object[key] = decode(value.fields[key]);
      return object;
    }
  }
}

/** In the child. */
function send(event) {
  const data = {};
  for (const key of Object.keys(event.data)) data[key] = encode(event.data[key]);
  process.stdout.write(`${kMark}${JSON.stringify({ type: event.type, data: { $: 'object', fields: data } })}\n`);
}

/** In the parent: splits a child's output into events and text. */
class Receiver {
  #rest = '';
  constructor(onEvent, onText) {
    this.onEvent = onEvent;
    this.onText = onText;
  }

  #line(line) {
    const mark = line.indexOf(kMark);
    if (mark === -1) {
      this.onText(line);
      return;
    }
    if (mark > 0) this.onText(line.slice(0, mark));
    const { type, data } = JSON.parse(line.slice(mark + kMark.length));
    this.onEvent(type, decode(data));
  }

  push(text) {
    this.#rest += text;
    let end;
    while ((end = this.#rest.indexOf('\n')) !== -1) {
      const line = this.#rest.slice(0, end + 1);
      this.#rest = this.#rest.slice(end + 1);
      this.#line(line);
    }
  }

  end() {
    if (this.#rest !== '') this.#line(this.#rest);
    this.#rest = '';
  }
}

module.exports = { Receiver, send };
