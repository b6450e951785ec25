'use strict';

// class AssertionError and the text of its messages: what was expected, and a diff of both values.

const { kIsNodeError } = require('#internal/errors');
const { validateObject, validateOneOf } = require('#internal/validators');
const { inspect } = require('#util/inspect');
const { kDelete, kInsert, kNop, myersDiff } = require('#util/diff');
const colors = require('#internal/colors');

const kReadableOperator = {
  __proto__: null,
  deepStrictEqual: 'Expected values to be strictly deep-equal:',
  partialDeepStrictEqual: 'Expected values to be partially and strictly deep-equal:',
  strictEqual: 'Expected values to be strictly equal:',
  strictEqualObject: 'Expected "actual" to be reference-equal to "expected":',
  deepEqual: 'Expected values to be loosely deep-equal:',
  notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
  notStrictEqual: 'Expected "actual" to be strictly unequal to:',
  notStrictEqualObject: 'Expected "actual" not to be reference-equal to "expected":',
  notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
  notIdentical: 'Values have same structure but are not reference-equal:',
  notDeepEqualUnequal: 'Expected values not to be loosely deep-equal:',
};

// Comparing shorter texts needs no diff.
const kMaxShortStringLength = 12;
const kMaxLongStringLength = 512;
const kMaxLines = 50;
/** Runs of equal lines beyond this are cut short. */
const kContextLines = 5;

const isFunction = (value) => typeof value === 'function';
const isObject = (value) => typeof value === 'object' && value !== null;

function inspectValue(value) {
  return inspect(value, {
    compact: false,
    customInspect: false,
    depth: 1000,
    maxArrayLength: Infinity,
    showHidden: false,
    showProxy: false,
    sorted: true,
    getters: true,
  });
}

/** A copy without stack, so that two errors do not differ by it. */
function copyError(source) {
  const target = Object.assign({ __proto__: Object.getPrototypeOf(source) }, source);
  Object.defineProperty(target, 'message', { __proto__: null, value: source.message });
  if (Object.hasOwn(source, 'cause')) {
    let { cause } = source;
    if (cause instanceof Error) cause = copyError(cause);
    Object.defineProperty(target, 'cause', { __proto__: null, value: cause });
  }
  return target;
}

function collapsed(lines, run) {
  // One or two lines are as short as the mark that stands for them.
  if (run === kContextLines + 1) return { text: `${colors.white}  ${lines[0]}\n`, skipped: false };
  if (run === kContextLines + 2) {
    return { text: `${colors.white}  ${lines[1]}\n${colors.white}  ${lines[0]}\n`, skipped: false };
  }
  return { text: `${colors.blue}...${colors.white}\n${colors.white}  ${lines[0]}\n`, skipped: true };
}

/** @param {Array<[number, string]>} diff steps, last first */
function printDiff(diff, operator) {
  let text = '';
  let skipped = false;
  let run = 0;
  for (let i = diff.length - 1; i >= 0; i--) {
    const { 0: operation, 1: value } = diff[i];
    const previous = i < diff.length - 1 ? diff[i + 1][0] : null;
    if (previous === kNop && operation !== kNop) {
      if (run > kContextLines) {
        const part = collapsed([diff[i + 1][1], diff[i + 2]?.[1]], run);
        text += part.text;
        skipped ||= part.skipped;
      }
      run = 0;
    }
    if (operation === kInsert) {
      text += operator === 'partialDeepStrictEqual' ?
        `${colors.gray}${colors.hasColors ? ' ' : '+'} ${value}${colors.white}\n` :
        `${colors.green}+${colors.white} ${value}\n`;
    } else if (operation === kDelete) {
      text += `${colors.red}-${colors.white} ${value}\n`;
    } else {
      if (run < kContextLines) text += `${colors.white}  ${value}\n`;
      run++;
    }
  }
  text = text.trimEnd();
  return { message: `\n${text}`, skipped };
}

function coloredStringDiff(actual, expected) {
  const header = `${colors.green}actual${colors.white} ${colors.red}expected${colors.white}`;
  const diff = myersDiff(actual, expected);
  let message = '\n';
  for (let i = diff.length - 1; i >= 0; i--) {
    const { 0: operation, 1: value } = diff[i];
    const color = operation === kInsert ? colors.green : operation === kDelete ? colors.red : colors.white;
    message += `${color}${value}${colors.white}`;
  }
  return { message, header };
}

function stackedDiff(actual, expected) {
  let message = `\n${colors.green}+${colors.white} ${actual}\n${colors.red}- ${colors.white}${expected}`;
  const width = process.stderr.isTTY ? process.stderr.columns : 80;
  if (typeof actual === 'string' && typeof expected === 'string' && actual.length + expected.length <= width) {
    let at = 0;
    while (at < actual.length && actual[at] === expected[at]) at++;
    // A difference at the very start needs no pointer.
    if (at < actual.length && at >= 3) message += `\n${' '.repeat(at + 2)}^`;
  }
  return { message };
}

function simpleDiff(actual, actualText, expected, expectedText) {
  let length = actualText.length + expectedText.length;
  if (typeof actual === 'string') length -= 2;
  if (typeof expected === 'string') length -= 2;
  if (length <= kMaxShortStringLength && (actual !== 0 || expected !== 0)) {
    return { message: `${actualText} !== ${expectedText}`, header: '' };
  }
  if (typeof actual === 'string' && typeof expected === 'string' && colors.hasColors) {
    return coloredStringDiff(actualText, expectedText);
  }
  return stackedDiff(actualText, expectedText);
}

function isSimple(actual, actualLines, expected, expectedLines) {
  if (actualLines.length > 1 || expectedLines.length > 1) return false;
  return !isObject(actual) || !isObject(expected);
}

function checkOperator(actual, expected, operator) {
  if (operator === 'strictEqual' &&
      ((isObject(actual) && isObject(expected)) || (isFunction(actual) && isFunction(expected)))) {
    return 'strictEqualObject';
  }
  return operator;
}

function createDiffMessage(actual, expected, operator, customMessage, diffType) {
  operator = checkOperator(actual, expected, operator);
  const actualText = inspectValue(actual);
  const expectedText = inspectValue(expected);
  const actualLines = actualText.split('\n');
  const expectedLines = expectedText.split('\n');
  let header = `${colors.green}+ actual${colors.white} ${colors.red}- expected${colors.white}`;
  let message;
  let skipped = false;
  if (isSimple(actual, actualLines, expected, expectedLines)) {
    const simple = simpleDiff(actual, actualLines[0], expected, expectedLines[0]);
    message = simple.message;
    if (simple.header !== undefined) header = simple.header;
  } else if (actualText === expectedText) {
    operator = 'notIdentical';
    if (actualLines.length > kMaxLines && diffType !== 'full') {
      message = `${actualLines.slice(0, kMaxLines).join('\n')}\n...}`;
      skipped = true;
    } else {
      message = actualLines.join('\n');
    }
    header = '';
  } else {
    const diff = myersDiff(actualLines, expectedLines, isObject(actual));
    ({ message, skipped } = printDiff(diff, operator));
  }
  const skippedText = skipped ? '\n... Skipped lines' : '';
  return `${customMessage || kReadableOperator[operator]}\n${header}${skippedText}\n${message}\n`;
}

function notEqualMessage(actual, operator, diffType) {
  let base = kReadableOperator[operator];
  const lines = inspectValue(actual).split('\n');
  if (operator === 'notStrictEqual' && (isObject(actual) || isFunction(actual))) {
    base = kReadableOperator.notStrictEqualObject;
  }
  if (lines.length > kMaxLines && diffType !== 'full') {
    lines[46] = `${colors.blue}...${colors.white}`;
    lines.length = 47;
  }
  if (lines.length === 1) return `${base}${lines[0].length > 5 ? '\n\n' : ' '}${lines[0]}`;
  return `${base}\n\n${lines.join('\n')}\n`;
}

const cutAt = (text, limit) => (text.length > limit ? `${text.slice(0, limit - 3)}...` : text);

function otherMessage(actual, expected, operator, diffType) {
  const shorten = diffType === 'full' ? (text) => text : cutAt;
  let left = inspectValue(actual);
  let right = inspectValue(expected);
  const known = kReadableOperator[operator];
  if (operator === 'notDeepEqual' && left === right) return shorten(`${known}\n\n${left}`, 1024);
  left = shorten(left, kMaxLongStringLength);
  right = shorten(right, kMaxLongStringLength);
  if (operator === 'deepEqual') return `${known}\n\n${left}\n\nshould loosely deep-equal\n\n${right}`;
  const unequal = kReadableOperator[`${operator}Unequal`];
  if (unequal) return `${unequal}\n\n${left}\n\nshould not loosely deep-equal\n\n${right}`;
  return `${left} ${operator} ${right}`;
}

const kDiffOperators = new Set(['deepStrictEqual', 'strictEqual', 'partialDeepStrictEqual']);

function createMessage(options, diffType) {
  const { message, operator } = options;
  let { actual, expected } = options;
  if (message != null && !kDiffOperators.has(operator)) return String(message);
  colors.refresh();
  const areErrors = actual instanceof Error && expected instanceof Error;
  if (message == null && areErrors && 'stack' in actual && 'stack' in expected) {
    actual = copyError(actual);
    expected = copyError(expected);
  }
  if (kDiffOperators.has(operator)) {
    return createDiffMessage(actual, expected, operator, message == null ? undefined : String(message), diffType);
  }
  if (operator === 'notDeepStrictEqual' || operator === 'notStrictEqual') {
    return notEqualMessage(actual, operator, diffType);
  }
  return otherMessage(actual, expected, operator, diffType);
}

function addEllipsis(text) {
  const lines = text.split('\n', 11);
  if (lines.length > 10) {
    lines.length = 10;
    return `${lines.join('\n')}\n...`;
  }
  // Node.js keeps the end, not the beginning; its tests ask for that.
  return text.length > kMaxLongStringLength ? `${text.slice(kMaxLongStringLength)}...` : text;
}

class AssertionError extends Error {
  constructor(options) {
    validateObject(options, 'options');
    const { message, operator, stackStartFn, details, stackStartFunction, diff = 'simple' } = options;
    if (diff != null) validateOneOf(diff, 'options.diff', ['simple', 'full']);
    super(createMessage(options, diff));
    this.generatedMessage = !message;
    Object.defineProperty(this, 'name', {
      __proto__: null, value: 'AssertionError', enumerable: false, writable: true, configurable: true,
    });
    this.code = 'ERR_ASSERTION';
    if (details) this.#addDetails(details);
    else Object.assign(this, { actual: options.actual, expected: options.expected, operator });
    this.diff = diff;
    Error.captureStackTrace(this, stackStartFn || stackStartFunction);
  }

  #addDetails(details) {
    this.actual = undefined;
    this.expected = undefined;
    this.operator = undefined;
    details.forEach((detail, i) => {
      this[`message ${i}`] = detail.message;
      this[`actual ${i}`] = detail.actual;
      this[`expected ${i}`] = detail.expected;
      this[`operator ${i}`] = detail.operator;
      this[`stack trace ${i}`] = detail.stack;
    });
  }

  toString() {
    return `${this.name} [${this.code}]: ${this.message}`;
  }

  [inspect.custom](recurseTimes, ctx) {
    const { actual, expected } = this;
    if (typeof actual === 'string') this.actual = addEllipsis(actual);
    if (typeof expected === 'string') this.expected = addEllipsis(expected);
    try {
      return inspect(this, { ...ctx, customInspect: false, depth: 0 });
    } finally {
      this.actual = actual;
      this.expected = expected;
    }
  }
}
Object.defineProperty(AssertionError.prototype, kIsNodeError, { __proto__: null, value: true });

module.exports = { AssertionError };
