import assert from 'node:assert';
import { test } from '../../../test/harness.mjs';

test('ticks queued by microtasks wait until all microtasks are done', async () => {
  const log = [];
  await new Promise((done) => {
    setImmediate(() => {
      Promise.resolve().then(() => {
        log.push('m1');
        process.nextTick(() => log.push('tick'));
        queueMicrotask(() => log.push('m3'));
      });
      queueMicrotask(() => log.push('m2'));
      setImmediate(done);
    });
  });
  assert.deepStrictEqual(log, ['m1', 'm2', 'm3', 'tick']);
});

test('a tick gets its arguments, however many', async () => {
  const seen = [];
  for (const count of [0, 1, 2, 3, 5]) {
    process.nextTick((...args) => seen.push(args), ...Array.from({ length: count }, (_, i) => i));
  }
  await new Promise(setImmediate);
  assert.deepStrictEqual(seen, [[], [0], [0, 1], [0, 1, 2], [0, 1, 2, 3, 4]]);
});

test('the queue keeps its order past one ring', async () => {
  let next = 0;
  for (let i = 0; i < 5000; i++) process.nextTick(() => assert.strictEqual(i, next++));
  await new Promise(setImmediate);
  assert.strictEqual(next, 5000);
});
