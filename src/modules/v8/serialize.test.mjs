import assert from 'node:assert';
import v8 from 'node:v8';
import { test } from '../../../test/harness.mjs';

test('values come back as they were', () => {
  const value = {
    map: new Map([[1, { a: [1n, undefined, -0] }]]), date: new Date(5), bytes: Buffer.from('abc'),
    wide: new Float64Array([1.5]), text: 'é'.repeat(3),
  };
  value.self = value;
  const copy = v8.deserialize(v8.serialize(value));
  assert.deepStrictEqual(copy, value);
  assert.ok(Buffer.isBuffer(copy.bytes));
});

test('bad input is an error, not a crash', () => {
  assert.throws(() => v8.deserialize(Buffer.from('nonsense')), /invalid or unsupported version/);
  assert.throws(() => v8.deserialize(Buffer.from([255, 15, 92])), /ReadUint32\(\) failed/);
  assert.throws(() => v8.deserialize(Buffer.from([255, 15, 92, 200, 1])), Error);
  assert.throws(() => v8.serialize(() => {}), /could not be cloned/);
  assert.throws(() => v8.deserialize('text'), { code: 'ERR_INVALID_ARG_TYPE' });
});

test('the heap can be looked at', () => {
  assert.ok(v8.getHeapStatistics().used_heap_size > 0);
  class Mine {}
  const kept = [new Mine(), new Mine()];
  assert.strictEqual(v8.queryObjects(Mine), kept.length);
});
