'use strict';

// Renders the head of an outgoing message: the given fields, and those that frame it and keep its connection.

const {
  codes: { ERR_HTTP_TRAILER_INVALID },
} = require('#internal/errors');
const { validateHeaderName, validateHeaderValue } = require('#http/header_rules');
const { utcDate } = require('#http/date');
const { kOutHeaders, kUniqueHeaders } = require('#http/outgoing_symbols');

const chunkExpression = /(?:^|\W)chunked(?:$|\W)/i;
const closeExpression = /(?:^|\W)close(?:$|\W)/i;

/** What the fields say that matters for framing. */
class HeadState {
  text;
  connection = false;
  contentLength = false;
  transferEncoding = false;
  date = false;
  expect = false;
  trailer = false;

  constructor(firstLine) {
    this.text = firstLine;
  }
}

function fieldMatters(message, state, key, value) {
  switch (key.toLowerCase()) {
    case 'connection':
      state.connection = true;
      message._removedConnection = false;
      if (closeExpression.test(value)) message._last = true;
      else message.shouldKeepAlive = true;
      break;
    case 'transfer-encoding':
      state.transferEncoding = true;
      message._removedTE = false;
      if (chunkExpression.test(value)) message.chunkedEncoding = true;
      break;
    case 'content-length':
      state.contentLength = true;
      message._contentLength = +value;
      message._removedContLen = false;
      break;
    case 'date':
      state.date = true;
      break;
    case 'expect':
      state.expect = true;
      break;
    case 'trailer':
      state.trailer = true;
      break;
    case 'keep-alive':
      message._defaultKeepAlive = false;
      break;
  }
}

function addLine(message, state, key, value, check) {
  if (check) validateHeaderValue(key, value);
  state.text += `${key}: ${value}\r\n`;
  const { length } = key;
  // The names that matter have 4 to 10, 14 or 17 letters; most others need not be lower-cased.
  if ((length >= 4 && length <= 10) || length === 14 || length === 17) fieldMatters(message, state, key, value);
}

function isCookie(key) {
  return key.length === 6 && key.toLowerCase() === 'cookie';
}

function isContentDisposition(key) {
  return key.length === 19 && key.toLowerCase() === 'content-disposition';
}

const fromBytes = (value) => Buffer.from(String(value), 'latin1').toString();

function addField(message, state, key, value, check) {
  if (check) validateHeaderName(key);
  // A file name may be given as bytes of UTF-8; head and body are encoded together, as UTF-8.
  if (isContentDisposition(key) && message._contentLength) {
    if (Array.isArray(value)) value = value.map(fromBytes);
    else value = fromBytes(value);
  }
  if (!Array.isArray(value)) return addLine(message, state, key, value, check);
  const unique = message[kUniqueHeaders]?.has(key.toLowerCase());
  if ((value.length < 2 || !isCookie(key)) && !unique) {
    for (const one of value) addLine(message, state, key, one, check);
    return;
  }
  addLine(message, state, key, value.join('; '), check);
}

function addFields(message, state, headers) {
  if (headers === message[kOutHeaders]) {
    for (const key in headers) {
      const entry = headers[key];
      addField(message, state, entry[0], entry[1], false);
    }
  } else if (Array.isArray(headers)) {
    if (headers.length && Array.isArray(headers[0])) {
      for (const entry of headers) addField(message, state, entry[0], entry[1], true);
    } else {
      for (let i = 0; i < headers.length; i += 2) addField(message, state, headers[i], headers[i + 1], true);
    }
  } else {
    for (const key in headers) {
      if (Object.hasOwn(headers, key)) addField(message, state, key, headers[key], true);
    }
  }
}

function keepAliveLine(message) {
  if (!message._keepAliveTimeout || !message._defaultKeepAlive) return '';
  const seconds = Math.floor(message._keepAliveTimeout / 1000);
  const max = ~~message._maxRequestsPerSocket > 0 ? `, max=${message._maxRequestsPerSocket}` : '';
  return `Keep-Alive: timeout=${seconds}${max}\r\n`;
}

function addConnection(message, state) {
  if (message._removedConnection) {
    message._last = !message.shouldKeepAlive;
  } else if (!state.connection) {
    const keep = message.shouldKeepAlive &&
      (state.contentLength || message.useChunkedEncodingByDefault || message.agent);
    if (message.maxRequestsOnConnectionReached) {
      state.text += 'Connection: close\r\n';
    } else if (keep) {
      state.text += `Connection: keep-alive\r\n${keepAliveLine(message)}`;
    } else {
      message._last = true;
      state.text += 'Connection: close\r\n';
    }
  }
}

// RFC 9112 6: how the body is delimited.
function addFraming(message, state) {
  if (state.contentLength || state.transferEncoding) return;
  if (!message._hasBody) {
    message.chunkedEncoding = false;
  } else if (!message.useChunkedEncodingByDefault) {
    message._last = true;
  } else if (!state.trailer && !message._removedContLen && typeof message._contentLength === 'number') {
    state.text += `Content-Length: ${message._contentLength}\r\n`;
  } else if (!message._removedTE) {
    state.text += 'Transfer-Encoding: chunked\r\n';
    message.chunkedEncoding = true;
  } else {
    // The end of the connection is the end of the body.
    message._last = true;
  }
}

function completeHead(message, state) {
  if (message.sendDate && !state.date) state.text += `Date: ${utcDate()}\r\n`;
  // RFC 9110 15.3.5 and 15.4.5: these have no body, so nothing of it may be framed.
  if (message.chunkedEncoding && (message.statusCode === 204 || message.statusCode === 304)) {
    message.chunkedEncoding = false;
    message.shouldKeepAlive = false;
  }
  addConnection(message, state);
  addFraming(message, state);
  if (message.chunkedEncoding !== true && state.trailer) throw new ERR_HTTP_TRAILER_INVALID();
  message._header = state.text + '\r\n';
  message._headerSent = false;
  if (state.expect) message._send('');
}

/** Sets `message._header`. */
function storeHeader(message, firstLine, headers) {
  const state = new HeadState(firstLine);
  if (headers) addFields(message, state, headers);
  completeHead(message, state);
}

/** Sets `message._header` from lines among which none but Content-Length matters. */
function storeLines(message, lines, hasLength) {
  const state = new HeadState(lines);
  state.contentLength = hasLength;
  completeHead(message, state);
}

module.exports = { storeHeader, storeLines };
