'use strict';

// Whether an input that does not parse is only unfinished, so that more lines can complete it.

let parsers;

/** Two acorn parsers that note whether the error lies at the end of the input. */
function parser() {
  if (parsers !== undefined) return parsers;
  const { Parser, tokTypes } = require('~acorn');
  const state = { recoverable: false };
  const Noting = Parser.extend((Base) => class extends Base {
    nextToken() {
      super.nextToken();
      if (this.type === tokTypes.eof) state.recoverable = true;
    }

    raise(position, message) {
      if (message === 'Unterminated template' || message === 'Unterminated comment') state.recoverable = true;
      // A string goes on behind a backslash at the end of its line.
      if (message === 'Unterminated string constant' &&
        /\\(?:\r\n?|\n|\u2028|\u2029)$/.test(this.input.slice(this.start, this.pos))) {
        state.recoverable = true;
      }
      super.raise(position, message);
    }
  });
  return (parsers = { Parser, Noting, state });
}

/** @param {unknown} error what the engine said @param {string} code @returns {boolean} */
function isRecoverableError(error, code) {
  if (error?.name !== 'SyntaxError') return false;
  // What begins with a brace may be meant as an object.
  if (/^\s*{/.test(code) && endsUnfinished(`(${code}`)) return true;
  return endsUnfinished(code);
}

function endsUnfinished(code) {
  const { Noting, state } = parser();
  state.recoverable = false;
  try {
    Noting.parse(code, { ecmaVersion: 'latest', allowAwaitOutsideFunction: true });
    // The engine refuses what acorn takes: that is wrong, not unfinished.
    return false;
  } catch {
    return state.recoverable;
  }
}

const kParseOptions = { ecmaVersion: 'latest', allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true };

/** Whether `code` parses as an input: by itself, or as an expression in parentheses. @param {string} code */
function isValidSyntax(code) {
  const { Parser } = parser();
  for (const text of [code, `_=${code}`]) {
    try {
      Parser.parse(text, kParseOptions);
      return true;
    } catch {
      // the other form may do
    }
  }
  return false;
}

module.exports = { isRecoverableError, isValidSyntax };
