'use strict';

// Differences between two sequences, by Myers' algorithm ("An O(ND) Difference Algorithm and Its
// Variations").

const { validateStringArray, validateString } = require('#internal/validators');

const kDelete = -1;
const kNop = 0;
const kInsert = 1;

/** Lines of inspected objects are alike when only a trailing comma differs. */
function areLinesEqual(actual, expected, ignoresComma) {
  if (actual === expected) return true;
  return ignoresComma && (`${actual},` === expected || actual === `${expected},`);
}

/** Goes back from the end; `trace[d]` holds the furthest x of the diagonals -d-1..d+1 before step d. */
function backtrack(trace, actual, expected, ignoresComma) {
  let x = actual.length;
  let y = expected.length;
  const result = [];
  for (let d = trace.length - 1; d >= 0; d--) {
    const furthest = trace[d];
    const at = (diagonal) => furthest[diagonal + d + 1];
    const diagonal = x - y;
    const previous = diagonal === -d || (diagonal !== d && at(diagonal - 1) < at(diagonal + 1)) ?
      diagonal + 1 : diagonal - 1;
    const previousX = at(previous);
    const previousY = previousX - previous;
    while (x > previousX && y > previousY) {
      const item = actual[x - 1];
      result.push([kNop, ignoresComma && !item.endsWith(',') ? expected[y - 1] : item]);
      x--;
      y--;
    }
    if (d > 0) {
      if (x > previousX) result.push([kInsert, actual[--x]]);
      else result.push([kDelete, expected[--y]]);
    }
  }
  return result;
}

/** @returns {Array<[number, string]>} the steps, last one first */
function myersDiff(actual, expected, ignoresComma = false) {
  const max = actual.length + expected.length;
  const furthest = new Int32Array(2 * max + 3);
  const trace = [];
  for (let d = 0; d <= max; d++) {
    trace.push(furthest.slice(max - d, max + d + 3));
    for (let diagonal = -d; diagonal <= d; diagonal += 2) {
      const at = diagonal + max + 1;
      let x = diagonal === -d || (diagonal !== d && furthest[at - 1] < furthest[at + 1]) ?
        furthest[at + 1] : furthest[at - 1] + 1;
      let y = x - diagonal;
      while (x < actual.length && y < expected.length && areLinesEqual(actual[x], expected[y], ignoresComma)) {
        x++;
        y++;
      }
      furthest[at] = x;
      if (x >= actual.length && y >= expected.length) return backtrack(trace, actual, expected, ignoresComma);
    }
  }
  return [];
}

function validateInput(value, name) {
  if (Array.isArray(value)) return validateStringArray(value, name);
  return validateString(value, name);
}

/** util.diff() @param {string | string[]} actual @param {string | string[]} expected */
function diff(actual, expected) {
  if (actual === expected) return [];
  validateInput(actual, 'actual');
  validateInput(expected, 'expected');
  return myersDiff(actual, expected).reverse();
}

module.exports = { diff, kDelete, kInsert, kNop, myersDiff };
