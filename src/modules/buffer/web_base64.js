'use strict';

// The globals atob and btoa (HTML, "Base64 utility methods").

const native = binding('buffer');

function invalidCharacter(message) {
  const { DOMException } = require('#web/dom_exception');
  return new DOMException(message, 'InvalidCharacterError');
}

function requireInput(count) {
  if (count > 0) return;
  const { codes: { ERR_MISSING_ARGS } } = require('#internal/errors');
  throw new ERR_MISSING_ARGS('input');
}

function btoa(input) {
  requireInput(arguments.length);
  const result = native.btoa(`${input}`);
  if (result === undefined) throw invalidCharacter('Invalid character');
  return result;
}

const kBadCharacter = -1;
const kBadLength = -2;

function atob(input) {
  requireInput(arguments.length);
  const result = native.atob(`${input}`);
  if (result === kBadCharacter) throw invalidCharacter('Invalid character');
  if (result === kBadLength) throw invalidCharacter('The string to be decoded is not correctly encoded.');
  return result;
}

module.exports = { atob, btoa };
