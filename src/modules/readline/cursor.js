'use strict';

// Control sequences that move a terminal's cursor and clear its screen.

const {
  codes: { ERR_INVALID_ARG_VALUE, ERR_INVALID_CURSOR_POS },
} = require('#internal/errors');
const { validateFunction } = require('#internal/validators');

const kClearToLineBeginning = '\x1b[1K';
const kClearToLineEnd = '\x1b[0K';
const kClearLine = '\x1b[2K';
const kClearScreenDown = '\x1b[0J';

function noStream(stream, callback) {
  if (stream !== null && stream !== undefined) return false;
  if (typeof callback === 'function') process.nextTick(callback, null);
  return true;
}

/** @param {number} x @param {number} [y] @returns {string} */
function cursorToSequence(x, y) {
  if (Number.isNaN(x)) throw new ERR_INVALID_ARG_VALUE('x', x);
  if (Number.isNaN(y)) throw new ERR_INVALID_ARG_VALUE('y', y);
  if (typeof x !== 'number' && typeof y !== 'number') return '';
  if (typeof x !== 'number') throw new ERR_INVALID_CURSOR_POS();
  return typeof y !== 'number' ? `\x1b[${x + 1}G` : `\x1b[${y + 1};${x + 1}H`;
}

function moveCursorSequence(dx, dy) {
  let data = '';
  if (dx < 0) data += `\x1b[${-dx}D`;
  else if (dx > 0) data += `\x1b[${dx}C`;
  if (dy < 0) data += `\x1b[${-dy}A`;
  else if (dy > 0) data += `\x1b[${dy}B`;
  return data;
}

function clearLineSequence(dir) {
  return dir < 0 ? kClearToLineBeginning : dir > 0 ? kClearToLineEnd : kClearLine;
}

/** @returns {boolean} false when the stream wishes that the caller waits for 'drain' */
function cursorTo(stream, x, y, callback) {
  if (callback !== undefined) validateFunction(callback, 'callback');
  if (typeof y === 'function') {
    callback = y;
    y = undefined;
  }
  const data = cursorToSequence(x, y);
  if (stream == null || data === '') {
    if (typeof callback === 'function') process.nextTick(callback, null);
    return true;
  }
  return stream.write(data, callback);
}

function moveCursor(stream, dx, dy, callback) {
  if (callback !== undefined) validateFunction(callback, 'callback');
  const data = moveCursorSequence(dx, dy);
  if (stream == null || data === '') {
    if (typeof callback === 'function') process.nextTick(callback, null);
    return true;
  }
  return stream.write(data, callback);
}

function clearLine(stream, dir, callback) {
  if (callback !== undefined) validateFunction(callback, 'callback');
  return noStream(stream, callback) ? true : stream.write(clearLineSequence(dir), callback);
}

function clearScreenDown(stream, callback) {
  if (callback !== undefined) validateFunction(callback, 'callback');
  return noStream(stream, callback) ? true : stream.write(kClearScreenDown, callback);
}

module.exports = {
  clearLine,
  clearLineSequence,
  clearScreenDown,
  cursorTo,
  cursorToSequence,
  kClearScreenDown,
  moveCursor,
  moveCursorSequence,
};
