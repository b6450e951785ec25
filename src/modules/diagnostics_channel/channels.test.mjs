import assert from 'node:assert';
import { AsyncLocalStorage } from 'node:async_hooks';
import { channel, hasSubscribers, tracingChannel } from 'node:diagnostics_channel';
import { test } from '../../../test/harness.mjs';

test('subscribers hear what is published, until they leave', () => {
  const seen = [];
  const listener = (data, name) => seen.push([data, name]);
  const mine = channel('mine');
  assert.strictEqual(mine.hasSubscribers, false);
  mine.subscribe(listener);
  assert.strictEqual(hasSubscribers('mine'), true);
  channel('mine').publish(1);
  assert.strictEqual(mine.unsubscribe(listener), true);
  mine.publish(2);
  assert.deepStrictEqual(seen, [[1, 'mine']]);
});

test('a tracing channel tells of a promise from start to asyncEnd', async () => {
  const log = [];
  const tracing = tracingChannel('work');
  const handlers = {};
  for (const name of ['start', 'end', 'asyncStart', 'asyncEnd', 'error']) handlers[name] = () => log.push(name);
  tracing.subscribe(handlers);
  assert.strictEqual(await tracing.tracePromise(async () => 5), 5);
  assert.deepStrictEqual(log, ['start', 'end', 'asyncStart', 'asyncEnd']);
});

test('a bound store is entered by runStores', () => {
  const storage = new AsyncLocalStorage();
  const mine = channel('stores');
  mine.bindStore(storage, (data) => data * 2);
  assert.strictEqual(mine.runStores(21, () => storage.getStore()), 42);
  assert.strictEqual(storage.getStore(), undefined);
});
