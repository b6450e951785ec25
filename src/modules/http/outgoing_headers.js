'use strict';

// The header fields of an outgoing message, as setHeader() and its kin keep them: lower-case name -> [name, value].

const {
  codes: { ERR_HTTP_HEADERS_SENT, ERR_INVALID_ARG_TYPE },
} = require('#internal/errors');
const { validateString } = require('#internal/validators');
const { validateHeaderName, validateHeaderValue } = require('#http/header_rules');
const { kOutHeaders } = require('#http/outgoing_symbols');

const invalidCharExpression = /[^\t\x20-\x7e\x80-\xff]/;
const hasInvalidChar = (value) => invalidCharExpression.test(value);

function checkNotSent(message, action) {
  if (message._header) throw new ERR_HTTP_HEADERS_SENT(action);
}

const methods = {
  setHeader(name, value) {
    checkNotSent(this, 'set');
    validateHeaderName(name);
    validateHeaderValue(name, value);
    const headers = (this[kOutHeaders] ??= { __proto__: null });
    headers[name.toLowerCase()] = [name, value];
    return this;
  },

  setHeaders(headers) {
    checkNotSent(this, 'set');
    const usable = headers && !Array.isArray(headers) && typeof headers.keys === 'function' &&
      typeof headers.get === 'function';
    if (!usable) throw new ERR_INVALID_ARG_TYPE('headers', ['Headers', 'Map'], headers);
    // Headers joins cookies in its iteration only, see getSetCookie().
    const cookies = [];
    for (const [name, value] of headers) {
      if (name === 'set-cookie') {
        if (Array.isArray(value)) cookies.push(...value);
        else cookies.push(value);
        continue;
      }
      this.setHeader(name, value);
    }
    if (cookies.length > 0) this.setHeader('set-cookie', cookies);
    return this;
  },

  appendHeader(name, value) {
    checkNotSent(this, 'append');
    validateHeaderName(name);
    validateHeaderValue(name, value);
    const key = name.toLowerCase();
    const headers = (this[kOutHeaders] ??= { __proto__: null });
    const entry = headers[key];
    if (entry === undefined) {
      headers[key] = [name, value];
      return this;
    }
    if (!Array.isArray(entry[1])) entry[1] = [entry[1]];
    if (Array.isArray(value)) entry[1].push(...value);
    else entry[1].push(value);
    return this;
  },

  getHeader(name) {
    validateString(name, 'name');
    return this[kOutHeaders]?.[name.toLowerCase()]?.[1];
  },

  getHeaderNames() {
    return this[kOutHeaders] === null || this[kOutHeaders] === undefined ? [] : Object.keys(this[kOutHeaders]);
  },

  getRawHeaderNames() {
    const headers = this[kOutHeaders];
    return headers ? Object.keys(headers).map((key) => headers[key][0]) : [];
  },

  getHeaders() {
    const headers = this[kOutHeaders];
    const copy = { __proto__: null };
    if (headers) {
      for (const key of Object.keys(headers)) copy[key] = headers[key][1];
    }
    return copy;
  },

  hasHeader(name) {
    validateString(name, 'name');
    return Boolean(this[kOutHeaders]?.[name.toLowerCase()]);
  },

  removeHeader(name) {
    validateString(name, 'name');
    checkNotSent(this, 'remove');
    const key = name.toLowerCase();
    if (key === 'connection') this._removedConnection = true;
    else if (key === 'content-length') this._removedContLen = true;
    else if (key === 'transfer-encoding') this._removedTE = true;
    else if (key === 'date') this.sendDate = false;
    if (this[kOutHeaders]) delete this[kOutHeaders][key];
  },
};

module.exports = { hasInvalidChar, methods };
