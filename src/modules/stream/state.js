'use strict';

// The buffer limits of streams and how options set them.

const { validateInteger } = require('#internal/validators');
const {
  codes: { ERR_INVALID_ARG_VALUE },
} = require('#internal/errors');

let defaultBytes = 64 * 1024;
let defaultObjects = 16;

function getDefaultHighWaterMark(objectMode) {
  return objectMode ? defaultObjects : defaultBytes;
}

function setDefaultHighWaterMark(objectMode, value) {
  validateInteger(value, 'value', 0);
  if (objectMode) defaultObjects = value;
  else defaultBytes = value;
}

/** The limit that `options` asks for, or undefined. The side's own key counts only in a duplex. */
function askedHighWaterMark(options, isDuplex, duplexKey) {
  if (options.highWaterMark != null) return options.highWaterMark;
  return isDuplex ? options[duplexKey] : null;
}

function getHighWaterMark(objectMode, options, duplexKey, isDuplex) {
  const asked = askedHighWaterMark(options, isDuplex, duplexKey);
  if (asked == null) return getDefaultHighWaterMark(objectMode);
  if (!Number.isInteger(asked) || asked < 0) {
    const name = isDuplex ? `options.${duplexKey}` : 'options.highWaterMark';
    throw new ERR_INVALID_ARG_VALUE(name, asked);
  }
  return Math.floor(asked);
}

module.exports = { getDefaultHighWaterMark, setDefaultHighWaterMark, getHighWaterMark };
