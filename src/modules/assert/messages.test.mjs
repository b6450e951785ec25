// What failed assertions say.
import assert from 'node:assert';
import { test } from '../../../test/harness.mjs';

function message(fn) {
  try {
    fn();
  } catch (error) {
    return error.message;
  }
  return undefined;
}

const cases = [
  [() => assert.strictEqual(1, 2), 'Expected values to be strictly equal:\n\n1 !== 2\n'],
  [() => assert.strictEqual('abcdefghijk', 'abcdefghijz'),
    "Expected values to be strictly equal:\n+ actual - expected\n\n+ 'abcdefghijk'\n- 'abcdefghijz'\n             ^\n"],
  [() => assert.deepStrictEqual([1, 2, 3], [1, 2, 4]),
    'Expected values to be strictly deep-equal:\n+ actual - expected\n\n  [\n    1,\n    2,\n+   3\n-   4\n  ]\n'],
  [() => assert.deepStrictEqual([1], [2], 'mine'), 'mine\n+ actual - expected\n\n  [\n+   1\n-   2\n  ]\n'],
  [() => assert.equal(1, 2), '1 == 2'],
  [() => assert.deepEqual([1], [2]),
    'Expected values to be loosely deep-equal:\n\n[\n  1\n]\n\nshould loosely deep-equal\n\n[\n  2\n]'],
  [() => assert.notStrictEqual(1, 1), 'Expected "actual" to be strictly unequal to: 1'],
  [() => assert.ok(0), 'The expression evaluated to a falsy value:\n\n  assert.ok(0)\n'],
  [() => assert(1 > 2, undefined), 'The expression evaluated to a falsy value:\n\n  assert(1 > 2, undefined)\n'],
  [() => assert.ok(), 'No value argument passed to `assert.ok()`'],
  [() => assert.throws(() => {}), 'Missing expected exception.'],
  [() => assert.throws(() => { throw new Error('q'); }, /x/),
    "The input did not match the regular expression /x/. Input:\n\n'Error: q'\n"],
  [() => assert.throws(() => { throw new Error('q'); }, { message: 'z' }),
    "Expected values to be strictly deep-equal:\n+ actual - expected\n\n  Comparison {\n+   message: 'q'\n" +
    "-   message: 'z'\n  }\n"],
  [() => assert.doesNotThrow(() => { throw new Error('q'); }, 'mine'),
    'Got unwanted exception: mine\nActual message: "q"'],
  [() => assert.ifError(new Error('ie')), 'ifError got unwanted exception: ie'],
  [() => assert.match('abc', /x/), "The input did not match the regular expression /x/. Input:\n\n'abc'\n"],
  [() => assert.fail(), 'Failed'],
];
for (const [fn, expected] of cases) {
  test(`message of ${String(fn).slice(6, 60)}`, () => assert.strictEqual(message(fn), expected));
}

test('rejects', async () => {
  await assert.rejects(assert.rejects(Promise.resolve(1)), { message: 'Missing expected rejection.' });
  await assert.rejects(assert.rejects(() => 1), { code: 'ERR_INVALID_RETURN_VALUE' });
});

test('shape of an AssertionError', () => {
  const error = new assert.AssertionError({ actual: 1, expected: 2, operator: 'strictEqual' });
  assert.deepStrictEqual(Object.keys(error), ['generatedMessage', 'code', 'actual', 'expected', 'operator', 'diff']);
  assert.ok(error.stack.startsWith('AssertionError [ERR_ASSERTION]: Expected values'));
});
