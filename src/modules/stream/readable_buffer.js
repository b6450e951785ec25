'use strict';

// Taking from a Readable's buffer, an array of which the first `bufferIndex` places are spent.

const { kState, kObjectMode, kDecoder } = require('#stream/readable_state');

const kSpentPlaces = 1024; // how many may gather before the array is cut

/** Drops the places before `index`. */
function advance(state, index) {
  const { buffer } = state;
  if (index === buffer.length) {
    buffer.length = 0;
    state.bufferIndex = 0;
  } else if (index > kSpentPlaces) {
    buffer.splice(0, index);
    state.bufferIndex = 0;
  } else {
    state.bufferIndex = index;
  }
}

function takeAll(state) {
  const { buffer, bufferIndex } = state;
  let all;
  if ((state[kState] & kDecoder) !== 0) {
    all = '';
    for (let i = bufferIndex; i < buffer.length; i++) all += buffer[i];
  } else if (buffer.length - bufferIndex === 1) {
    all = buffer[bufferIndex];
  } else if (buffer.length - bufferIndex === 0) {
    all = Buffer.alloc(0);
  } else {
    all = Buffer.allocUnsafe(state.length);
    let at = 0;
    for (let i = bufferIndex; i < buffer.length; i++) {
      all.set(buffer[i], at);
      at += buffer[i].length;
    }
  }
  buffer.length = 0;
  state.bufferIndex = 0;
  return all;
}

function takeString(n, state) {
  const { buffer } = state;
  let index = state.bufferIndex;
  let text = '';
  while (index < buffer.length) {
    const chunk = buffer[index];
    if (n < chunk.length) {
      text += chunk.slice(0, n);
      buffer[index] = chunk.slice(n);
      break;
    }
    text += chunk;
    n -= chunk.length;
    buffer[index++] = null;
    if (n === 0) break;
  }
  advance(state, index);
  return text;
}

function takeBytes(n, state) {
  const { buffer } = state;
  let index = state.bufferIndex;
  const bytes = Buffer.allocUnsafe(n);
  let at = 0;
  while (index < buffer.length && at < n) {
    const chunk = buffer[index];
    const rest = n - at;
    if (rest < chunk.length) {
      bytes.set(chunk.subarray(0, rest), at);
      buffer[index] = chunk.subarray(rest);
      break;
    }
    bytes.set(chunk, at);
    at += chunk.length;
    buffer[index++] = null;
  }
  advance(state, index);
  return bytes;
}

/** Takes `n` bytes (characters, with a decoder), or one object in object mode. */
function takeFromBuffer(n, state) {
  if (state.length === 0) return null;
  const { buffer, bufferIndex } = state;
  const isObject = (state[kState] & kObjectMode) !== 0;
  if (!isObject && (!n || n >= state.length)) return takeAll(state);

  const first = buffer[bufferIndex];
  if (isObject || n === first.length) {
    buffer[bufferIndex] = null;
    advance(state, bufferIndex + 1);
    return first;
  }
  if (n < first.length) {
    buffer[bufferIndex] = first.slice(n);
    return first.slice(0, n);
  }
  return (state[kState] & kDecoder) !== 0 ? takeString(n, state) : takeBytes(n, state);
}

module.exports = { takeFromBuffer };
