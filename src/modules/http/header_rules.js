'use strict';

// How header fields are checked and joined.

const {
  codes: { ERR_HTTP_INVALID_HEADER_VALUE, ERR_INVALID_CHAR, ERR_INVALID_HTTP_TOKEN },
} = require('#internal/errors');
const { validateString } = require('#internal/validators');

const tokenExpression = /^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/;
const invalidCharExpression = /[^\t\x20-\x7e\x80-\xff]/;

/** @param {string} name @param {string} [label] */
function validateHeaderName(name, label) {
  if (typeof name !== 'string' || !name || !tokenExpression.test(name)) {
    throw new ERR_INVALID_HTTP_TOKEN(label || 'Header name', name);
  }
}

function validateHeaderValue(name, value) {
  if (value === undefined) throw new ERR_HTTP_INVALID_HEADER_VALUE(value, name);
  if (invalidCharExpression.test(value)) throw new ERR_INVALID_CHAR('header content', name);
}

/** @param {string[] | undefined} headers @returns {Set<string> | null} lower-case names */
function parseUniqueHeadersOption(headers) {
  if (!Array.isArray(headers)) return null;
  const unique = new Set();
  for (const header of headers) {
    validateString(header, 'uniqueHeaders');
    unique.add(header.toLowerCase());
  }
  return unique;
}

// Of these only the first of several counts, see the documentation of message.headers.
const kOnce = new Set([
  'age', 'authorization', 'content-length', 'content-type', 'etag', 'expires', 'from', 'host', 'if-modified-since',
  'if-unmodified-since', 'last-modified', 'location', 'max-forwards', 'proxy-authorization', 'referer', 'retry-after',
  'server', 'user-agent',
]);

function setOwn(target, name, value) {
  // An assignment to __proto__ would not make an ordinary entry.
  if (name === '__proto__') {
    Object.defineProperty(target, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
  } else {
    target[name] = value;
  }
}

function ownValue(target, name) {
  const value = target[name];
  if (value === undefined || Object.hasOwn(target, name)) return value;
  return undefined;
}

/** Adds a field as message.headers shows it. */
function joinHeader(target, field, value, joinDuplicates) {
  const name = field.toLowerCase();
  const before = ownValue(target, name);
  if (name === 'set-cookie') {
    if (before !== undefined) before.push(value);
    else target[name] = [value];
  } else if (before === undefined) {
    setOwn(target, name, value);
  } else if (name === 'cookie') {
    target[name] = `${before}; ${value}`;
  } else if (joinDuplicates || !kOnce.has(name)) {
    setOwn(target, name, `${before}, ${value}`);
  }
}

/** Adds a field as message.headersDistinct shows it. */
function addDistinct(target, field, value) {
  const name = field.toLowerCase();
  const before = ownValue(target, name);
  if (before) before.push(value);
  else setOwn(target, name, [value]);
}

module.exports = { addDistinct, joinHeader, parseUniqueHeadersOption, validateHeaderName, validateHeaderValue };
