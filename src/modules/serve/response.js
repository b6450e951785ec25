'use strict';

// The Response of `gyre serve`: it keeps what it was made of, and becomes a full Response (Fetch Standard, 5.5) only when
// somebody asks for more than its status and headers.

const { Buffer } = require('buffer');
const { Response: FullResponse, Headers } = require('#web/fetch');

const kBody = Symbol('body');
const kStatus = Symbol('status');
const kStatusText = Symbol('statusText');
const kPairs = Symbol('pairs');      // the headers as they were given: [name, value, ...], names in lower case
const kHeaders = Symbol('headers');  // the Headers object once somebody asked for it
const kFull = Symbol('full');
const kType = Symbol('type of the body');

const kLines = Symbol('lines');      // the pairs as they go out; null where a field among them is not for the user to say

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const badValue = /[\0\r\n]|[^\x00-\xff]/;

const kShortValue = 64;
/**
 * By name as it was given, what is known of a field: its name in lower case, whether it is the type of the body, whether it
 * frames the message, and the last short value: as given, checked, and the line of both. Most programs give the same again.
 * @type {Map<string, { name: string, isType: boolean, frames: boolean, given: string | undefined, clean: string, line: string | null }>}
 */
const knownFields = new Map();
const kMostFields = 1000;
const framing = new Set(['content-length', 'transfer-encoding', 'connection', 'date']);

function fieldOf(given) {
  let field = knownFields.get(given);
  if (field !== undefined) return field;
  if (!token.test(given)) throw new TypeError(`Headers constructor: ${given} is an invalid header name.`);
  const name = given.toLowerCase();
  field = { name, isType: name === 'content-type', frames: framing.has(name), given: undefined, clean: '', line: null };
  if (knownFields.size < kMostFields) knownFields.set(given, field);
  return field;
}

function checkValue(value) {
  if (badValue.test(value)) throw new TypeError(`Headers constructor: ${value} is an invalid header value.`);
  return value.trim();
}

/** Adds a field to those of a response. */
function addField(response, givenName, value) {
  const field = fieldOf(givenName);
  if (typeof value !== 'string') value = `${value}`;
  let clean;
  let line;
  if (field.given === value) {
    ({ clean, line } = field);
    // Asked for again: in one piece, as a string of parts would be put together for each answer.
    if (line === null) {
      line = Buffer.from(`${field.name}: ${clean}\r\n`, 'latin1').latin1Slice();
      field.line = line;
    }
  } else {
    clean = checkValue(value);
    line = `${field.name}: ${clean}\r\n`;
    if (value.length <= kShortValue) {
      field.given = value;
      field.clean = clean;
      field.line = null;
    }
  }
  response[kPairs].push(field.name, clean);
  if (field.isType) response[kType] = undefined;
  if (field.frames) response[kLines] = null;
  else if (response[kLines] !== null) response[kLines] += line;
}

/** Fields out of a plain object, a list of pairs or a Headers object. */
function addFields(response, init) {
  if (typeof init[Symbol.iterator] === 'function') {
    for (const entry of init) {
      const [name, value, ...more] = entry;
      if (more.length > 0 || value === undefined) throw new TypeError('Headers constructor: expected name/value pair');
      addField(response, `${name}`, value);
    }
    return;
  }
  for (const name in init) {
    if (Object.hasOwn(init, name)) addField(response, name, init[name]);
  }
}

function checkStatus(status) {
  const number = Number(status) & 0xffff;
  if (number < 200 || number > 599) {
    throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
  }
  return number;
}

function isSimpleBody(body) {
  return body === null || body === undefined || typeof body === 'string' || body instanceof Uint8Array;
}

class Response {
  constructor(body = null, init = undefined) {
    this[kFull] = undefined;
    this[kHeaders] = undefined;
    this[kStatus] = 200;
    this[kStatusText] = '';
    this[kPairs] = [];
    this[kLines] = '';
    this[kType] = typeof body === 'string' ? 'text/plain;charset=UTF-8' : undefined;
    if (init !== undefined && init !== null) {
      if (typeof init !== 'object') throw new TypeError('Response constructor: init is not an object');
      if (init.status !== undefined) this[kStatus] = checkStatus(init.status);
      if (init.statusText !== undefined) this[kStatusText] = `${init.statusText}`;
      const { headers } = init;
      if (headers !== undefined && headers !== null) addFields(this, headers);
      const status = this[kStatus];
      if (body !== null && body !== undefined && (status === 204 || status === 205 || status === 304)) {
        throw new TypeError(`Response constructor: Invalid response status code ${status}`);
      }
    }
    if (isSimpleBody(body)) {
      this[kBody] = body ?? null;
    } else {
      this[kBody] = null;
      this[kFull] = new FullResponse(body, init ?? undefined);
      this[kHeaders] = this[kFull].headers;
    }
  }

  static error() {
    return FullResponse.error();
  }

  static redirect(url, status) {
    return FullResponse.redirect(url, status);
  }

  static json(data, init = undefined) {
    const text = JSON.stringify(data);
    if (text === undefined) throw new TypeError('Value is not JSON serializable');
    const response = new Response(text, init);
    // None if a type was given.
    if (response[kType] !== undefined) response[kType] = 'application/json';
    return response;
  }

  static [Symbol.hasInstance](value) {
    return this === Response ? FullResponse[Symbol.hasInstance](value) || isLazy(value) :
      Function.prototype[Symbol.hasInstance].call(this, value);
  }

  get status() { return this[kStatus]; }
  get ok() { return this[kStatus] >= 200 && this[kStatus] <= 299; }
  get statusText() { return this[kStatusText]; }
  get type() { return 'default'; }
  get url() { return ''; }
  get redirected() { return false; }

  get headers() {
    if (this[kHeaders] === undefined) {
      const headers = new Headers();
      const pairs = this[kPairs];
      for (let i = 0; i < pairs.length; i += 2) headers.append(pairs[i], pairs[i + 1]);
      if (this[kType] !== undefined && !headers.has('content-type')) headers.set('content-type', this[kType]);
      this[kHeaders] = headers;
    }
    return this[kHeaders];
  }

  get body() { return this[kBody] === null && this[kFull] === undefined ? null : full(this).body; }
  get bodyUsed() { return this[kFull] !== undefined && this[kFull].bodyUsed; }

  clone() { return full(this).clone(); }
  arrayBuffer() { return full(this).arrayBuffer(); }
  blob() { return full(this).blob(); }
  bytes() { return full(this).bytes(); }
  formData() { return full(this).formData(); }
  json() { return full(this).json(); }
  text() { return full(this).text(); }
}

Object.setPrototypeOf(Response.prototype, FullResponse.prototype);
for (const name of Object.getOwnPropertyNames(Response.prototype)) {
  if (name !== 'constructor') Object.defineProperty(Response.prototype, name, {
    __proto__: null, enumerable: true,
  });
}

function isLazy(value) {
  return typeof value === 'object' && value !== null && kPairs in value;
}

/** @param {Response} response */
function full(response) {
  return (response[kFull] ??= new FullResponse(response[kBody], {
    status: response[kStatus], statusText: response[kStatusText], headers: response.headers,
  }));
}

/** What a lazy response that nobody looked into is made of, or undefined for any other. */
function partsOf(response) {
  if (!isLazy(response) || response[kFull] !== undefined) return undefined;
  return {
    body: response[kBody], status: response[kStatus], statusText: response[kStatusText], type: response[kType],
    pairs: response[kPairs], headers: response[kHeaders],
  };
}

/** The fields of a lazy response that nobody looked into, as they go out; null where they have to go the usual way. */
function linesOf(response) {
  if (response[kFull] !== undefined || response[kHeaders] !== undefined || response[kStatusText] !== '') return null;
  const lines = response[kLines];
  const type = response[kType];
  return type === undefined || lines === null ? lines : `${lines}content-type: ${type}\r\n`;
}

const statusOf = (response) => response[kStatus];
const bodyOf = (response) => response[kBody];

module.exports = { Response, partsOf, isLazy, linesOf, statusOf, bodyOf };
