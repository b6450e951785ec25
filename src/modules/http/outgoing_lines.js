'use strict';

// Field lines of an answer whose fields say nothing about framing or the connection: most of them.

const { validateHeaderName, validateHeaderValue } = require('#http/header_rules');
const { kOutHeaders } = require('#http/outgoing_symbols');

// Fields that the long way (outgoing_head.js) must look at.
const kSpecial = new Set(['connection', 'transfer-encoding', 'date', 'trailer', 'expect', 'keep-alive',
  'content-disposition', 'cookie']);

/** What was rendered. `text` has a line for each field. */
class Lines {
  text = '';
  hasLength = false;
}

function addValue(lines, name, value) {
  if (Array.isArray(value)) for (const one of value) lines.text += `${name}: ${one}\r\n`;
  else lines.text += name + ': ' + value + '\r\n';
}

function noteLength(res, lines, value) {
  lines.hasLength = true;
  res._contentLength = +value;
  res._removedContLen = false;
}

/** @returns {Lines | null} null: something needs the long way, and nothing has changed */
function renderLines(res, headers) {
  const lines = new Lines();
  if (!headers) return lines;
  if (headers === res[kOutHeaders]) return renderStored(res, lines, headers);
  if (Array.isArray(headers)) return null;
  let length;
  for (const name in headers) {
    if (!Object.hasOwn(headers, name)) continue;
    const key = name.toLowerCase();
    if (kSpecial.has(key)) return null;
    const value = headers[name];
    validateHeaderName(name);
    if (Array.isArray(value)) for (const one of value) validateHeaderValue(name, one);
    else validateHeaderValue(name, value);
    if (key === 'content-length') length = value;
    addValue(lines, name, value);
  }
  if (length !== undefined) noteLength(res, lines, length);
  return lines;
}

/** Fields of setHeader(): they have been checked. */
function renderStored(res, lines, headers) {
  for (const key in headers) {
    if (kSpecial.has(key)) return null;
    const entry = headers[key];
    addValue(lines, entry[0], entry[1]);
  }
  const length = headers['content-length'];
  if (length !== undefined) noteLength(res, lines, length[1]);
  return lines;
}

module.exports = { renderLines };
