// Random values: shapes, limits, and no two alike, not even in two processes of one snapshot.
import assert from 'node:assert';
import crypto from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { test } from '../../../test/harness.mjs';

test('sizes around the block that small values come from', () => {
  for (const size of [0, 1, 63, 64, 65, 4096, 100_000]) assert.strictEqual(crypto.randomBytes(size).length, size);
});

test('many small values differ', () => {
  const seen = new Set();
  for (let i = 0; i < 5000; i++) seen.add(crypto.randomBytes(16).toString('hex'));
  for (let i = 0; i < 5000; i++) seen.add(crypto.randomUUID());
  assert.strictEqual(seen.size, 10_000);
});

test('a UUID of version 4', () => {
  assert.match(crypto.randomUUID(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('randomInt keeps its limits', () => {
  for (let i = 0; i < 1000; i++) {
    const value = crypto.randomInt(-3, 4);
    assert.ok(Number.isInteger(value) && value >= -3 && value < 4);
  }
  assert.throws(() => crypto.randomInt(0, 2 ** 48), { code: 'ERR_OUT_OF_RANGE' });
});

test('randomFill fills the part that it was given', async () => {
  const buffer = new Uint32Array(8);
  await new Promise((resolve, reject) => {
    crypto.randomFill(buffer, 2, 4, (error) => (error ? reject(error) : resolve()));
  });
  assert.deepStrictEqual([...buffer.subarray(0, 2), ...buffer.subarray(6)], [0, 0, 0, 0]);
  assert.ok(buffer.subarray(2, 6).some((n) => n !== 0));
});

test('two processes do not share their random values', () => {
  const code = 'const c = require("crypto"); c.randomUUID() + c.randomBytes(8).toString("hex")';
  const run = () => execFileSync(process.execPath, ['-p', code]);
  assert.notDeepStrictEqual(run(), run());
});
