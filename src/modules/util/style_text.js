'use strict';

// util.styleText(): text in colours that survive being nested.

const { codes: { ERR_INVALID_ARG_TYPE } } = require('#internal/errors');
const { kEmptyObject } = require('#internal/util');
const { validateBoolean, validateOneOf, validateString } = require('#internal/validators');
const { colors } = require('#util/inspect_text');
const { shouldColorize } = require('#internal/colors');

const escape = (code) => `\u001b[${code}m`;

/** Keeps the style on behind a nested style that ended inside the text. */
function reopen(text, [open, close]) {
  const closing = escape(close);
  let at = text.indexOf(closing);
  if (at === -1) return text;
  // Bold and dim share their closing code: it has to stay, to end the inner one.
  const replacement = close === 22 ? closing + escape(open) : escape(open);
  let result = '';
  let last = 0;
  while (at !== -1) {
    const after = at + closing.length;
    if (after >= text.length) break;
    result += text.slice(last, at) + replacement;
    last = after;
    at = text.indexOf(closing, last);
  }
  return result + text.slice(last);
}

function isStream(value) {
  if (value === null || typeof value !== 'object') return false;
  return (typeof value.write === 'function' && typeof value.on === 'function') ||
    (typeof value.pipe === 'function' && typeof value.on === 'function') ||
    typeof value.getReader === 'function' || typeof value.getWriter === 'function';
}

/**
 * @param {string | string[]} format @param {string} text
 * @param {{ validateStream?: boolean, stream?: object }} [options]
 */
function styleText(format, text, options = kEmptyObject) {
  const { validateStream = true } = options;
  validateString(text, 'text');
  validateBoolean(validateStream, 'options.validateStream');
  let skip = false;
  if (validateStream) {
    const { stream = process.stdout } = options;
    if (!isStream(stream)) {
      throw new ERR_INVALID_ARG_TYPE('stream', ['ReadableStream', 'WritableStream', 'Stream'], stream);
    }
    skip = !shouldColorize(stream);
  }
  let left = '';
  let right = '';
  for (const key of Array.isArray(format) ? format : [format]) {
    if (key === 'none') continue;
    const codes = typeof key === 'string' ? colors[key] : undefined;
    if (codes === undefined) validateOneOf(key, 'format', Object.keys(colors));
    if (skip) continue;
    left += escape(codes[0]);
    right = escape(codes[1]) + right;
    text = reopen(text, codes);
  }
  return skip ? text : left + text + right;
}

module.exports = { styleText };
