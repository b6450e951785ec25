'use strict';

// `node:querystring`: the older, lenient sibling of URLSearchParams.

const { Buffer } = require('buffer');
const { codes: { ERR_INVALID_URI } } = require('#internal/errors');

const kMaxKeys = 1000;

/** Characters that `escape` leaves as they are: unreserved by RFC 3986 plus `!'()*`. */
const kPlain = /^[\w\-.!~*'()]*$/;

function qsEscape(string) {
  if (typeof string !== 'string') string = typeof string === 'object' ? String(string) : string + '';
  if (kPlain.test(string)) return string;
  try {
    return encodeURIComponent(string);
  } catch {
    // A surrogate without its pair; Node.js refuses only one at the very end.
    return escapeWithSurrogates(string);
  }
}

/** A high surrogate takes whatever unit follows as its pair, and cannot come last. */
function escapeWithSurrogates(string) {
  let out = '';
  for (let i = 0; i < string.length; i++) {
    const unit = string.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdfff) {
      out += encodeURIComponent(string[i]);
      continue;
    }
    if (++i >= string.length) throw new ERR_INVALID_URI();
    const code = 0x10000 + (((unit & 0x3ff) << 10) | (string.charCodeAt(i) & 0x3ff));
    out += encodeURIComponent(String.fromCodePoint(code));
  }
  return out;
}

const hexValue = new Int8Array(256).fill(-1);
for (let i = 0; i < 16; i++) {
  hexValue[i.toString(16).charCodeAt(0)] = i;
  hexValue[i.toString(16).toUpperCase().charCodeAt(0)] = i;
}

const hexDigit = (code) => (code < 256 ? hexValue[code] : -1);

/** Decodes the `%xx` it understands and leaves the rest, as bytes. */
function unescapeBuffer(string, decodeSpaces) {
  const out = Buffer.allocUnsafe(string.length);
  let size = 0;
  for (let i = 0; i < string.length; i++) {
    const unit = string.charCodeAt(i);
    if (unit === 37 && i + 2 < string.length) {
      const high = hexDigit(string.charCodeAt(i + 1));
      const low = hexDigit(string.charCodeAt(i + 2));
      if (high >= 0 && low >= 0) {
        out[size++] = high * 16 + low;
        i += 2;
        continue;
      }
    }
    out[size++] = unit === 43 && decodeSpaces ? 32 : unit;
  }
  return size === out.length ? out : out.slice(0, size);
}

function qsUnescape(string, decodeSpaces) {
  try {
    return decodeURIComponent(string);
  } catch {
    return QueryString.unescapeBuffer(string, decodeSpaces).toString();
  }
}

function primitive(value) {
  switch (typeof value) {
    case 'string': return value;
    case 'number': return Number.isFinite(value) ? `${value}` : '';
    case 'bigint': return `${value}`;
    case 'boolean': return value ? 'true' : 'false';
    default: return '';
  }
}

function stringify(object, separator, equals, options) {
  separator ||= '&';
  equals ||= '=';
  let encode = QueryString.escape;
  if (typeof options?.encodeURIComponent === 'function') encode = options.encodeURIComponent;
  if (object === null || typeof object !== 'object') return '';
  const convert = encode === qsEscape ?
    (value) => (typeof value === 'string' || typeof value === 'bigint' ? qsEscape(`${value}`) : convertOther(value)) :
    (value) => encode(primitive(value));
  let out = '';
  for (const key of Object.keys(object)) {
    const value = object[key];
    const name = convert(key) + equals;
    if (Array.isArray(value)) {
      for (const item of value) out += (out === '' ? '' : separator) + name + convert(item);
    } else {
      out += (out === '' ? '' : separator) + name + convert(value);
    }
  }
  return out;
}

/** Numbers past 1e21 print with a `+`, which needs escaping; the others do not. */
function convertOther(value) {
  const text = primitive(value);
  return typeof value === 'number' && Math.abs(value) >= 1e21 ? qsEscape(text) : text;
}

function decodeWith(decode, text) {
  try {
    return decode(text);
  } catch {
    return QueryString.unescape(text, true);
  }
}

const kEncoded = /%[0-9a-fA-F]{2}/;

function parse(string, separator, equals, options) {
  const result = { __proto__: null };
  if (typeof string !== 'string' || string.length === 0) return result;
  separator = separator ? `${separator}` : '&';
  equals = equals ? `${equals}` : '=';
  let limit = kMaxKeys;
  if (typeof options?.maxKeys === 'number') limit = options.maxKeys;
  if (!(limit > 0)) limit = Infinity;
  let decode = QueryString.unescape;
  if (typeof options?.decodeURIComponent === 'function') decode = options.decodeURIComponent;
  // Where the next `equals` is, as far as it is known: found again only once the pairs have come to it.
  let cut = -1;
  for (let start = 0; start <= string.length && limit > 0;) {
    let end = separator === '' ? -1 : string.indexOf(separator, start);
    if (end === -1) end = string.length;
    if (end > start) {
      if (cut < start) cut = string.indexOf(equals, start);
      if (cut === -1) cut = Infinity;
      const hasValue = cut + equals.length <= end;
      const key = decodePart(string, start, hasValue ? cut : end, decode);
      append(result, key, hasValue ? decodePart(string, cut + equals.length, end, decode) : '');
    }
    limit--;
    start = end + Math.max(separator.length, 1);
  }
  return result;
}

/** What a key or value says; most have nothing to decode. */
function decodePart(string, from, to, decode) {
  let hasPlus = false;
  let hasPercent = false;
  for (let i = from; i < to; i++) {
    const unit = string.charCodeAt(i);
    if (unit === 43) hasPlus = true;
    else if (unit === 37) hasPercent = true;
  }
  let part = string.slice(from, to);
  if (decode !== qsUnescape) {
    if (hasPlus) part = part.replaceAll('+', '%20');
    return part === '' ? part : decodeWith(decode, part);
  }
  if (hasPlus) part = part.replaceAll('+', ' ');
  return hasPercent && kEncoded.test(part) ? decodeWith(decode, part) : part;
}

function append(result, key, value) {
  const current = result[key];
  if (current === undefined) result[key] = value;
  else if (Array.isArray(current)) current.push(value);
  else result[key] = [current, value];
}

const QueryString = module.exports = {
  unescapeBuffer,
  unescape: qsUnescape,
  escape: qsEscape,
  stringify,
  encode: stringify,
  parse,
  decode: parse,
};
