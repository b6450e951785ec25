'use strict';

// URLSearchParams (URL Standard, clause 6.2) and the application/x-www-form-urlencoded format (clause 5).

const {
  codes: { ERR_ARG_NOT_ITERABLE, ERR_INVALID_THIS, ERR_INVALID_TUPLE, ERR_MISSING_ARGS },
} = require('#internal/errors');
const { validateFunction } = require('#internal/validators');
const { makeEnumerable, setTag } = require('#web/event');
const { inspectSymbol } = require('#web/inspect');
const { setTransferMode, kUncloneable } = require('#web/transferable');

function toUSVString(value) {
  return `${value}`.toWellFormed();
}

/** Percent-decodes bytes that may not be UTF-8; those that are not become U+FFFD. */
function decodeLeniently(text) {
  const { Buffer } = require('buffer');
  const bytes = Buffer.from(text);
  let at = 0;
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i];
    if (byte === 0x25 && i + 2 < bytes.length) {
      const digits = bytes.latin1Slice(i + 1, i + 3);
      if (/^[0-9a-f]{2}$/i.test(digits)) {
        byte = parseInt(digits, 16);
        i += 2;
      }
    }
    bytes[at++] = byte;
  }
  return bytes.utf8Slice(0, at);
}

/** One name or value out of a query. */
function decode(text) {
  if (text.includes('+')) text = text.replaceAll('+', ' ');
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return decodeLeniently(text);
  }
}

const kPercent = 37;
const kAmpersand = 38;
const kPlus = 43;
const kEquals = 61;

/** @returns {string[]} names and values by turns */
function parseQuery(query) {
  const list = [];
  const { length } = query;
  for (let start = 0, end; start < length; start = end + 1) {
    let equals = -1;
    let isEncoded = false;
    for (end = start; end < length; end++) {
      const unit = query.charCodeAt(end);
      if (unit === kAmpersand) break;
      if (unit === kEquals) {
        if (equals === -1) equals = end;
      } else if (unit === kPercent || unit === kPlus) {
        isEncoded = true;
      }
    }
    if (end === start) continue;
    const name = query.slice(start, equals === -1 ? end : equals);
    const value = equals === -1 ? '' : query.slice(equals + 1, end);
    if (isEncoded) list.push(decode(name), decode(value));
    else list.push(name, value);
  }
  return list;
}

const needsEncoding = /[^A-Za-z0-9*\-._]/;
const leftByComponent = /%20|[!'()~]/g;
const encodedByHand = { '%20': '+', '!': '%21', "'": '%27', '(': '%28', ')': '%29', '~': '%7E' };

function encode(text) {
  if (!needsEncoding.test(text)) return text;
  return encodeURIComponent(text).replace(leftByComponent, (found) => encodedByHand[found]);
}

function serialize(list) {
  let text = '';
  for (let i = 0; i < list.length; i += 2) {
    if (i > 0) text += '&';
    text += `${encode(list[i])}=${encode(list[i + 1])}`;
  }
  return text;
}

/** A stable sort by names in code units. */
function sortPairs(list) {
  const pairs = [];
  for (let i = 0; i < list.length; i += 2) pairs.push([list[i], list[i + 1]]);
  pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  for (let i = 0; i < pairs.length; i++) {
    list[2 * i] = pairs[i][0];
    list[2 * i + 1] = pairs[i][1];
  }
}

function listOfSequence(init, method) {
  if (typeof method !== 'function') throw new ERR_ARG_NOT_ITERABLE('Query pairs');
  const list = [];
  for (const pair of init) {
    const isObject = (typeof pair === 'object' && pair !== null) || typeof pair === 'function';
    if (!isObject || typeof pair[Symbol.iterator] !== 'function') {
      throw new ERR_INVALID_TUPLE('Each query pair', '[name, value]');
    }
    const members = Array.isArray(pair) ? pair : [...pair];
    if (members.length !== 2) throw new ERR_INVALID_TUPLE('Each query pair', '[name, value]');
    list.push(toUSVString(members[0]), toUSVString(members[1]));
  }
  return list;
}

function listOfRecord(init) {
  const list = [];
  const places = new Map();
  for (const key of Reflect.ownKeys(init)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(init, key);
    if (descriptor === undefined || !descriptor.enumerable) continue;
    const name = toUSVString(key);
    const value = toUSVString(init[key]);
    const place = places.get(name);
    if (place !== undefined) {
      list[place] = value;
    } else {
      places.set(name, list.push(name, value) - 1);
    }
  }
  return list;
}

// Set by the static block of URLSearchParams, for the iterator and for URL.
let listOf;
let isSearchParams;
let createSearchParams;
let setList;

class URLSearchParams {
  #list = [];
  #onUpdate = null;

  static {
    listOf = (params) => params.#list;
    isSearchParams = (value) => typeof value === 'object' && value !== null && #list in value;
    /** Makes the params of a URL; `onUpdate(query)` hears of every change. */
    createSearchParams = (query, onUpdate) => {
      const params = new URLSearchParams();
      params.#list = parseQuery(query);
      params.#onUpdate = onUpdate;
      return params;
    };
    setList = (params, query) => { params.#list = parseQuery(query); };
  }

  constructor(init = undefined) {
    if (init === undefined || init === null) return;
    if (typeof init === 'object' || typeof init === 'function') {
      const method = init[Symbol.iterator];
      const isPlain = method === URLSearchParams.prototype[Symbol.iterator] && isSearchParams(init);
      if (isPlain) this.#list = init.#list.slice();
      else if (method !== undefined && method !== null) this.#list = listOfSequence(init, method);
      else this.#list = listOfRecord(init);
      return;
    }
    const query = toUSVString(init);
    this.#list = parseQuery(query[0] === '?' ? query.slice(1) : query);
  }

  #changed() {
    this.#onUpdate?.(serialize(this.#list));
  }

  get size() {
    if (!isSearchParams(this)) throw new ERR_INVALID_THIS('URLSearchParams');
    return this.#list.length / 2;
  }

  append(name, value) {
    if (!isSearchParams(this)) throw new ERR_INVALID_THIS('URLSearchParams');
    if (arguments.length < 2) throw new ERR_MISSING_ARGS('name', 'value');
    this.#list.push(toUSVString(name), toUSVString(value));
    this.#changed();
  }

  delete(name, value = undefined) {
    if (!isSearchParams(this)) throw new ERR_INVALID_THIS('URLSearchParams');
    if (arguments.length < 1) throw new ERR_MISSING_ARGS('name');
    name = toUSVString(name);
    if (value !== undefined) value = toUSVString(value);
    const list = this.#list;
    let at = 0;
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] === name && (value === undefined || list[i + 1] === value)) continue;
      list[at++] = list[i];
      list[at++] = list[i + 1];
    }
    list.length = at;
    this.#changed();
  }

  get(name) {
    if (!isSearchParams(this)) throw new ERR_INVALID_THIS('URLSearchParams');
    if (arguments.length < 1) throw new ERR_MISSING_ARGS('name');
    const list = this.#list;
    name = toUSVString(name);
    for (let i = 0; i < list.length; i += 2) if (list[i] === name) return list[i + 1];
    return null;
  }

  getAll(name) {
    if (!isSearchParams(this)) throw new ERR_INVALID_THIS('URLSearchParams');
    if (arguments.length < 1) throw new ERR_MISSING_ARGS('name');
    const list = this.#list;
    const values = [];
    name = toUSVString(name);
    for (let i = 0; i < list.length; i += 2) if (list[i] === name) values.push(list[i + 1]);
    return values;
  }

  has(name, value = undefined) {
    if (!isSearchParams(this)) throw new ERR_INVALID_THIS('URLSearchParams');
    if (arguments.length < 1) throw new ERR_MISSING_ARGS('name');
    const list = this.#list;
    name = toUSVString(name);
    if (value !== undefined) value = toUSVString(value);
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] === name && (value === undefined || list[i + 1] === value)) return true;
    }
    return false;
  }

  set(name, value) {
    if (!isSearchParams(this)) throw new ERR_INVALID_THIS('URLSearchParams');
    if (arguments.length < 2) throw new ERR_MISSING_ARGS('name', 'value');
    name = toUSVString(name);
    value = toUSVString(value);
    const list = this.#list;
    let found = false;
    let at = 0;
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] !== name) {
        list[at++] = list[i];
        list[at++] = list[i + 1];
      } else if (!found) {
        found = true;
        list[at++] = name;
        list[at++] = value;
      }
    }
    list.length = at;
    if (!found) list.push(name, value);
    this.#changed();
  }

  sort() {
    if (!isSearchParams(this)) throw new ERR_INVALID_THIS('URLSearchParams');
    sortPairs(this.#list);
    this.#changed();
  }

  entries() {
    if (!isSearchParams(this)) throw new ERR_INVALID_THIS('URLSearchParams');
    return createIterator(this, 'key+value');
  }

  forEach(callback, thisArg = undefined) {
    if (!isSearchParams(this)) throw new ERR_INVALID_THIS('URLSearchParams');
    validateFunction(callback, 'callback');
    for (let i = 0; i < this.#list.length; i += 2) callback.call(thisArg, this.#list[i + 1], this.#list[i], this);
  }

  keys() {
    if (!isSearchParams(this)) throw new ERR_INVALID_THIS('URLSearchParams');
    return createIterator(this, 'key');
  }

  values() {
    if (!isSearchParams(this)) throw new ERR_INVALID_THIS('URLSearchParams');
    return createIterator(this, 'value');
  }

  toString() {
    if (!isSearchParams(this)) throw new ERR_INVALID_THIS('URLSearchParams');
    return serialize(this.#list);
  }

  [inspectSymbol](depth, options) {
    if (!isSearchParams(this)) throw new ERR_INVALID_THIS('URLSearchParams');
    if (typeof depth === 'number' && depth < 0) return options.stylize('[Object]', 'special');
    const { inspect } = require('util');
    const inner = { ...options };
    if (depth !== null) inner.depth = depth - 1;
    const output = [];
    for (let i = 0; i < this.#list.length; i += 2) {
      output.push(`${inspect(this.#list[i], inner)} => ${inspect(this.#list[i + 1], inner)}`);
    }
    return braced(this.constructor.name, output, ', ', options);
  }
}

const colorCodes = /\u001b\[\d\d?m/g;

/** `Name { a, b }`, over several lines if it would be too wide. */
function braced(name, output, separator, { breakLength }, empty = '{}') {
  let width = -separator.length;
  for (const part of output) width += part.replace(colorCodes, '').length + separator.length;
  if (width > breakLength) return `${name} {\n  ${output.join(',\n  ')} }`;
  return output.length > 0 ? `${name} { ${output.join(separator)} }` : `${name} ${empty}`;
}

makeEnumerable(URLSearchParams.prototype, [
  'size', 'append', 'delete', 'get', 'getAll', 'has', 'set', 'sort', 'entries', 'forEach', 'keys', 'values', 'toString',
]);
setTag(URLSearchParams);
setTransferMode(URLSearchParams.prototype, kUncloneable);
Object.defineProperty(URLSearchParams.prototype, Symbol.iterator, {
  __proto__: null, configurable: true, writable: true, value: URLSearchParams.prototype.entries,
});

let createIterator;

/** The iterator of keys, values or pairs; it sees changes made meanwhile. */
class URLSearchParamsIterator {
  #params;
  #kind;
  #index = 0;

  static {
    createIterator = (params, kind) => new URLSearchParamsIterator(params, kind);
  }

  constructor(params, kind) {
    this.#params = params;
    this.#kind = kind;
  }

  #at(list, index) {
    if (this.#kind === 'key') return list[index];
    if (this.#kind === 'value') return list[index + 1];
    return [list[index], list[index + 1]];
  }

  next() {
    if (typeof this !== 'object' || this === null || !(#params in this)) {
      throw new ERR_INVALID_THIS('URLSearchParamsIterator');
    }
    const list = listOf(this.#params);
    const index = this.#index;
    if (index >= list.length) return { value: undefined, done: true };
    this.#index = index + 2;
    return { value: this.#at(list, index), done: false };
  }

  [inspectSymbol](depth, options) {
    if (typeof this !== 'object' || this === null || !(#params in this)) {
      throw new ERR_INVALID_THIS('URLSearchParamsIterator');
    }
    if (typeof depth === 'number' && depth < 0) return options.stylize('[Object]', 'special');
    const { inspect } = require('util');
    const inner = { ...options };
    if (depth !== null) inner.depth = depth - 1;
    const list = listOf(this.#params);
    const output = [];
    for (let i = this.#index; i < list.length; i += 2) output.push(inspect(this.#at(list, i), inner));
    return braced(this[Symbol.toStringTag], output, ', ', options, '{  }');
  }
}

delete URLSearchParamsIterator.prototype.constructor;
makeEnumerable(URLSearchParamsIterator.prototype, ['next']);
Object.defineProperty(URLSearchParamsIterator.prototype, Symbol.toStringTag, {
  __proto__: null, configurable: true, value: 'URLSearchParams Iterator',
});
const iteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
Object.setPrototypeOf(URLSearchParamsIterator.prototype, iteratorPrototype);

module.exports = { URLSearchParams, createSearchParams, isSearchParams, setList, toUSVString };
