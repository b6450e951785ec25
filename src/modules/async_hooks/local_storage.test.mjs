import assert from 'node:assert';
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { stat } from 'node:fs';
import { test } from '../../../test/harness.mjs';

test('a store is seen by everything started inside run', async () => {
  const storage = new AsyncLocalStorage();
  const seen = await storage.run('store', () => Promise.all([
    new Promise((done) => setTimeout(() => done(storage.getStore()), 1)),
    new Promise((done) => setImmediate(() => done(storage.getStore()))),
    new Promise((done) => process.nextTick(() => done(storage.getStore()))),
    new Promise((done) => queueMicrotask(() => done(storage.getStore()))),
    new Promise((done) => stat('.', () => done(storage.getStore()))),
    Promise.resolve().then(() => storage.getStore()),
  ]));
  assert.deepStrictEqual(seen, Array(6).fill('store'));
  assert.strictEqual(storage.getStore(), undefined);
});

test('leaving run leaves what other storages have entered', () => {
  const one = new AsyncLocalStorage();
  const two = new AsyncLocalStorage();
  one.run(1, () => two.enterWith(2));
  assert.strictEqual(one.getStore(), undefined);
  assert.strictEqual(two.getStore(), 2);
});

test('disable reaches what was started before', async () => {
  const storage = new AsyncLocalStorage();
  await storage.run('store', async () => {
    const later = new Promise((done) => setImmediate(() => done(storage.getStore())));
    storage.disable();
    assert.strictEqual(await later, undefined);
  });
});

test('snapshot and bind keep the place where they were called', () => {
  const storage = new AsyncLocalStorage({ defaultValue: 'none', name: 'mine' });
  const runInside = storage.run('then', () => AsyncLocalStorage.snapshot());
  const resource = storage.run('resource', () => new AsyncResource('Mine'));
  assert.strictEqual(runInside(() => storage.getStore()), 'then');
  assert.strictEqual(resource.runInAsyncScope(() => storage.getStore()), 'resource');
  assert.strictEqual(storage.getStore(), 'none');
  assert.strictEqual(storage.name, 'mine');
});
