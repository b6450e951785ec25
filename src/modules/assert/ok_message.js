'use strict';

// The message of a failed assert.ok() without one of its own: the call as it stands in the source.

const { getErrorSource } = binding('util');

const kDefault = 'false == true';

/** The tokens of one line of source; a token that the line does not end is left out. */
function tokenize(line) {
  const { tokenizer } = require('~acorn');
  const tokens = [];
  try {
    for (const token of tokenizer(line, { ecmaVersion: 'latest', allowHashBang: true })) tokens.push(token);
  } catch {
    // The rest of the line is the beginning of something longer.
  }
  return tokens;
}

const isDot = (token) => token !== undefined && (token.type.label === '.' || token.type.label === '?.');
const isName = (token) => token !== undefined && (token.type.label === 'name' || token.type.keyword !== undefined);

/** The index of the bracket that token `i`, a closing one, belongs to. */
function openingOf(tokens, i) {
  let depth = 0;
  for (; i >= 0; i--) {
    if (tokens[i].type.label === ']') depth++;
    else if (tokens[i].type.label === '[' && --depth === 0) return i;
  }
  return -1;
}

/** Goes from `i` back to where the member expression `a.b['c'].d` begins. */
function chainStart(tokens, i) {
  for (;;) {
    if (tokens[i]?.type.label === '[') {
      if (!isName(tokens[i - 1]) && tokens[i - 1]?.type.label !== ']') return i;
      i--;
    } else if (isDot(tokens[i - 1]) && (isName(tokens[i - 2]) || tokens[i - 2]?.type.label === ']')) {
      i -= 2;
    } else {
      return i;
    }
    if (tokens[i].type.label === ']') i = openingOf(tokens, i);
    if (i < 0) return 0;
  }
}

/** Where the call whose callee or bracket is at `column` begins and ends. */
function callRange(line, column) {
  const tokens = tokenize(line);
  let i = tokens.findIndex((token) => token.start <= column && column < token.end);
  if (i === -1) return { start: column, end: line.length };
  // A computed name: the position may be within its brackets.
  if (!isName(tokens[i]) && tokens[i - 1]?.type.label === '[') i--;
  const first = i;
  if (tokens[i].type.label === '(' && tokens[i - 1]?.type.label === ']') i = openingOf(tokens, i - 1);
  const start = tokens[chainStart(tokens, i)].start;
  let depth = 0;
  for (i = first; i < tokens.length; i++) {
    const { label } = tokens[i].type;
    if (label === '(' || label === '[' || label === '{' || label === '${') depth++;
    else if ((label === ')' || label === ']' || label === '}') && --depth === 0 && label === ')') {
      return { start, end: tokens[i].end };
    }
  }
  return { start, end: line.length };
}

const kControl = /[\x00-\x08\x0b\x0c\x0e-\x1f]/g;

function escapeControl(character) {
  if (character === '\b') return '\\b';
  if (character === '\f') return '\\f';
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** @param {Error} error whose stack begins at the call of assert.ok() */
function okMessage(error) {
  const source = getErrorSource(error);
  if (source === undefined) return kDefault;
  const { sourceLine, startColumn } = source;
  if (sourceLine === '' || startColumn < 0 || startColumn >= sourceLine.length) return kDefault;
  const { start, end } = callRange(sourceLine, startColumn);
  const call = sourceLine.slice(start, end).replace(kControl, escapeControl);
  return `The expression evaluated to a falsy value:\n\n  ${call}\n`;
}

module.exports = { okMessage };
