// Deep equality in its three modes.
import assert from 'node:assert';
import { inspect, isDeepStrictEqual } from 'node:util';
import { test } from '../../../test/harness.mjs';

const holds = (check, a, b) => {
  try {
    check(a, b);
    return true;
  } catch (error) {
    if (error.code !== 'ERR_ASSERTION') throw error;
    return false;
  }
};
const cycle = () => {
  const value = { list: [] };
  value.list.push(value);
  return value;
};

const label = (value) => inspect(value, { breakLength: Infinity, depth: 1 }).split('\n')[0];

// [a, b, loosely, strictly, partially]
const cases = [
  [1, '1', true, false, false], [0, -0, true, false, false], [NaN, NaN, true, true, true], [null, undefined, true, false, false],
  [[1, 2], [1, 2], true, true, true], [[1, 2], [2], false, false, true], [[1, 2, 3], [3, 1], false, false, false],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true, true, true], [{ a: 1, b: 2 }, { a: 1 }, false, false, true],
  [{ a: undefined }, {}, false, false, true], [[undefined], [null], false, false, false], [[, 1], [undefined, 1], false, false, false],
  [new Set([{ a: 1 }, 2]), new Set([2, { a: 1 }]), true, true, true], [new Set([1]), new Set(['1']), true, false, false],
  [new Map([[{ k: 1 }, [1]]]), new Map([[{ k: 1 }, [1]]]), true, true, true], [new Map([[1, 2], [3, 4]]), new Map([[3, 4]]), false, false, true],
  [new Date(0), new Date(0), true, true, true], [/a/g, /a/i, false, false, false], [new Error('a'), new Error('b'), false, false, false],
  [new Error('a', { cause: 1 }), new Error('a', { cause: 2 }), false, false, false], [new Uint8Array([1]), new Int8Array([1]), false, false, false],
  [new Float32Array([0]), new Float32Array([-0]), true, false, false], [Object.create(null), {}, true, false, true],
  [cycle(), cycle(), true, true, true], [new Number(1), new Number(2), false, false, false], [[1], { 0: 1, length: 1 }, false, false, false],
];
for (const [a, b, loose, strict, partial] of cases) {
  test(`${label(a)} and ${label(b)}`, () => {
    assert.strictEqual(holds(assert.deepEqual, a, b), loose);
    assert.strictEqual(isDeepStrictEqual(a, b), strict);
    assert.strictEqual(holds(assert.partialDeepStrictEqual, a, b), partial);
  });
}

test('arrays that are nearly all holes cost nothing', () => {
  const make = () => Object.assign(new Array(100_000_000), { 5: 1, 1_000_000: 2 });
  assert.ok(isDeepStrictEqual(make(), make()));
  assert.partialDeepStrictEqual(make(), Object.assign(new Array(90_000_000), { 5: 1 }));
});
