import assert from 'node:assert';
import { Worker } from 'node:worker_threads';
import { test } from '../../test/harness.mjs';

const { locks } = navigator;

test('exclusive locks take turns, shared ones do not', async () => {
  const order = [];
  const hold = (name) => locks.request('turns', async () => {
    order.push(`${name}+`);
    await new Promise((resolve) => setImmediate(resolve));
    order.push(`${name}-`);
    return name;
  });
  assert.deepStrictEqual(await Promise.all([hold('a'), hold('b')]), ['a', 'b']);
  assert.deepStrictEqual(order, ['a+', 'a-', 'b+', 'b-']);
  const inner = await locks.request('s', { mode: 'shared' }, () => locks.request('s', { mode: 'shared' }, (lock) => lock.mode));
  assert.strictEqual(inner, 'shared');
});

test('ifAvailable, steal, signal', async () => {
  await locks.request('x', async () => {
    assert.strictEqual(await locks.request('x', { ifAvailable: true }, (lock) => lock), null);
    const controller = new AbortController();
    const waiting = locks.request('x', { signal: controller.signal }, () => assert.fail('granted'));
    assert.strictEqual((await locks.query()).pending[0].name, 'x');
    controller.abort();
    await assert.rejects(waiting, { name: 'AbortError' });
  });
  const robbed = assert.rejects(locks.request('y', () => new Promise(() => {})), { name: 'AbortError' });
  assert.strictEqual(await locks.request('y', { steal: true }, () => 'mine'), 'mine');
  await robbed;
  await assert.rejects(locks.request('-y', () => {}), { name: 'NotSupportedError' });
});

test('a lock of another thread is released when the thread ends', async () => {
  const worker = new Worker(`
    const { parentPort } = require('worker_threads');
    navigator.locks.request('w', () => { parentPort.postMessage(''); return new Promise(() => {}); });
    parentPort.on('message', () => {});
  `, { eval: true });
  await new Promise((resolve) => worker.once('message', resolve));
  assert.strictEqual(await locks.request('w', { ifAvailable: true }, (lock) => lock), null);
  const later = locks.request('w', () => 'free');
  await worker.terminate();
  const alive = setInterval(() => {}, 1000);
  assert.strictEqual(await later, 'free');
  clearInterval(alive);
});
