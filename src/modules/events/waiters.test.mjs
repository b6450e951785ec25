import assert from 'node:assert';
import { EventEmitter, getEventListeners, on, once } from 'node:events';
import { test } from '../../../test/harness.mjs';

test('once resolves with the arguments and leaves no listener', async () => {
  const emitter = new EventEmitter();
  const promise = once(emitter, 'x');
  emitter.emit('x', 1, 2);
  assert.deepStrictEqual(await promise, [1, 2]);
  assert.strictEqual(emitter.listenerCount('error'), 0);
});

test('an aborted once rejects and leaves no listener', async () => {
  const emitter = new EventEmitter();
  const controller = new AbortController();
  const promise = once(emitter, 'x', { signal: controller.signal });
  controller.abort();
  await assert.rejects(promise, { name: 'AbortError' });
  assert.deepStrictEqual(emitter.eventNames(), []);
});

test('on iterates over events in order until it is closed', async () => {
  const emitter = new EventEmitter();
  const iterator = on(emitter, 'x', { close: ['end'] });
  emitter.emit('x', 1);
  emitter.emit('x', 2);
  emitter.emit('end');
  const seen = [];
  for await (const [value] of iterator) seen.push(value);
  assert.deepStrictEqual(seen, [1, 2]);
});

test('getEventListeners sees those of event targets', () => {
  const target = new EventTarget();
  const listener = () => {};
  target.addEventListener('x', listener);
  assert.deepStrictEqual(getEventListeners(target, 'x'), [listener]);
});
