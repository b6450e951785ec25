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

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const badValue = /[\0\r\n]|[^\x00-\xff]/;
/** Names that were checked before, in lower case. */
const knownNames = new Map();

function lowerName(name) {
  let lower = knownNames.get(name);
  if (lower !== undefined) return lower;
  if (!token.test(name)) throw new TypeError(`Headers constructor: ${name} is an invalid header name.`);
  lower = name.toLowerCase();
  if (knownNames.size < 1000) knownNames.set(name, lower);
  return lower;
}

function checkValue(value) {
  if (badValue.test(value)) throw new TypeError(`Headers constructor: ${value} is an invalid header value.`);
  return value.trim();
}

const kShortValue = 64;
/** By name in lower case, the last short value: as it was given, and checked. Most programs give the same again. */
const knownValues = new Map();

function cleanValue(name, value) {
  if (typeof value !== 'string') value = `${value}`;
  const known = knownValues.get(name);
  if (known !== undefined && known.given === value) return known.clean;
  const clean = checkValue(value);
  if (value.length <= kShortValue && (known !== undefined || knownValues.size < 1000)) {
    knownValues.set(name, { given: value, clean, line: undefined });
  }
  return clean;
}

/** The line of a field as it goes out. */
function lineOf(name, value) {
  const known = knownValues.get(name);
  if (known === undefined || known.clean !== value) return `${name}: ${value}\r\n`;
  if (known.line === undefined) {
    known.line = null;
    return `${name}: ${value}\r\n`;
  }
  // Asked for again: in one piece, as a string of parts would be put together for each answer.
  return (known.line ??= Buffer.from(`${name}: ${value}\r\n`, 'latin1').latin1Slice());
}

function pushPair(pairs, name, value) {
  const lower = lowerName(name);
  pairs.push(lower, cleanValue(lower, value));
}

/** Pairs out of a plain object, a list of pairs or a Headers object. */
function pairsOf(init) {
  if (init === undefined) return [];
  const pairs = [];
  if (typeof init[Symbol.iterator] === 'function') {
    for (const entry of init) {
      const [name, value, ...more] = entry;
      if (more.length > 0 || value === undefined) throw new TypeError('Headers constructor: expected name/value pair');
      pushPair(pairs, `${name}`, value);
    }
    return pairs;
  }
  for (const name of Object.keys(init)) pushPair(pairs, name, init[name]);
  return pairs;
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
    this[kType] = typeof body === 'string' ? 'text/plain;charset=UTF-8' : undefined;
    if (init !== undefined && init !== null) {
      if (typeof init !== 'object') throw new TypeError('Response constructor: init is not an object');
      if (init.status !== undefined) this[kStatus] = checkStatus(init.status);
      if (init.statusText !== undefined) this[kStatusText] = `${init.statusText}`;
      this[kPairs] = pairsOf(init.headers ?? undefined);
      const status = this[kStatus];
      if (body !== null && body !== undefined && (status === 204 || status === 205 || status === 304)) {
        throw new TypeError(`Response constructor: Invalid response status code ${status}`);
      }
    } else {
      this[kPairs] = [];
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
    response[kType] = 'application/json';
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

module.exports = { Response, partsOf, isLazy, lineOf };
