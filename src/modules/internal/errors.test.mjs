// Errors of the core carry code, class and wording of Node.js.
import assert from 'node:assert';
import { inspect, promisify, getSystemErrorName } from 'node:util';
import { test } from '../../../test/harness.mjs';

function thrown(fn) {
  try {
    fn();
  } catch (error) {
    return error;
  }
  return undefined;
}

test('shape of a coded error', () => {
  const error = thrown(() => promisify(1));
  assert.ok(error instanceof TypeError);
  assert.strictEqual(error.constructor, TypeError);
  assert.strictEqual(error.name, 'TypeError');
  assert.deepStrictEqual(Object.keys(error), ['code']);
  assert.strictEqual(String(error), `TypeError [ERR_INVALID_ARG_TYPE]: ${error.message}`);
  assert.ok(error.stack.startsWith(`TypeError [ERR_INVALID_ARG_TYPE]: ${error.message}\n    at promisify`));
  assert.match(inspect(error), /\{\n {2}code: 'ERR_INVALID_ARG_TYPE'\n\}$/);
});

const received = [
  [1, 'type number (1)'], ['x', "type string ('x')"], [null, 'null'], [undefined, 'undefined'], [5n, 'type bigint (5n)'],
  [[], 'an instance of Array'], [Object.create(null), '[Object: null prototype] {}'],
  ['a'.repeat(40), `type string ('${'a'.repeat(25)}...')`],
];
for (const [value, text] of received) {
  test(`what was received: ${text}`, () => {
    assert.strictEqual(thrown(() => promisify(value)).message,
      `The "original" argument must be of type function. Received ${text}`);
  });
}

test('ranges show large numbers with separators', () => {
  assert.strictEqual(thrown(() => getSystemErrorName(2 ** 40)).message,
    'The value of "err" is out of range. It must be a negative integer. Received 1_099_511_627_776');
});

test('Error.prepareStackTrace of the program is called', () => {
  const original = Error.prepareStackTrace;
  Error.prepareStackTrace = (error, sites) => sites;
  const sites = new Error('x').stack;
  Error.prepareStackTrace = original;
  assert.ok(Array.isArray(sites));
  assert.strictEqual(typeof sites[0].getLineNumber(), 'number');
  assert.match(new Error('y').stack, /^Error: y\n {4}at /);
});
