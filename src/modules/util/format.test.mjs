// util.format() fills directives, and appends what is left.
import assert from 'node:assert';
import { format, formatWithOptions } from 'node:util';
import { test } from '../../../test/harness.mjs';

class Named { toString() { return 'named'; } }

const cases = [
  [['%s', 'x'], 'x'], [['%s', -0], '-0'], [['%s', 5n], '5n'], [['%s', Symbol('a')], 'Symbol(a)'],
  [['%s', { a: { b: {} } }], '{ a: [Object] }'], [['%s', new Named()], 'named'], [['%s', () => 5], '() => 5'],
  [['%d', '42'], '42'], [['%d', {}], 'NaN'], [['%i', 4.7], '4'], [['%f', '1.5x'], '1.5'], [['%j', { a: 1 }], '{"a":1}'],
  [['%j', undefined], 'undefined'], [['%O', { a: 1 }], '{ a: 1 }'], [['%o', [1]], '[ 1, [length]: 1 ]'],
  [['%c%s', 'css', 'x'], 'x'], [['%%s %s'], '%%s %s'], [['%x', 1], '%x 1'], [['100%'], '100%'], [['%s'], '%s'],
  [['a', 'b', { c: 1 }], 'a b { c: 1 }'], [[1, 'a', [2]], '1 a [ 2 ]'], [[], ''], [['%s %s', 'only'], 'only %s'],
];
for (const [args, expected] of cases) {
  test(`format ${String(args[0])}`, () => assert.strictEqual(format(...args), expected));
}

test('%j of a cycle is [Circular]', () => {
  const value = {};
  value.self = value;
  assert.strictEqual(format('%j', value), '[Circular]');
});

test('formatWithOptions hands options to inspect', () => {
  assert.strictEqual(formatWithOptions({ compact: false }, 'x', { a: 1 }), 'x {\n  a: 1\n}');
  assert.throws(() => formatWithOptions(1, 'x'), { code: 'ERR_INVALID_ARG_TYPE' });
});
