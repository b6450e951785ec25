import assert from 'node:assert';
import { test } from '../../test/harness.mjs';

test('abort gives a reason and fires once', () => {
  const controller = new AbortController();
  let count = 0;
  controller.signal.onabort = () => count++;
  controller.abort();
  controller.abort('again');
  assert.strictEqual(count, 1);
  assert.strictEqual(controller.signal.reason.name, 'AbortError');
  assert.throws(() => controller.signal.throwIfAborted(), { name: 'AbortError', code: 20 });
});

test('any follows its sources, and all are aborted before anybody hears', () => {
  const controller = new AbortController();
  const one = AbortSignal.any([controller.signal]);
  const two = AbortSignal.any([one, AbortSignal.timeout(1e6)]);
  let seen;
  one.addEventListener('abort', () => { seen = two.aborted; });
  controller.abort('why');
  assert.strictEqual(seen, true);
  assert.strictEqual(two.reason, 'why');
  assert.ok(AbortSignal.any([AbortSignal.abort('x'), one]).aborted);
  assert.throws(() => AbortSignal.any([1]), { code: 'ERR_INVALID_ARG_TYPE' });
});

test('timeout aborts with a TimeoutError', async () => {
  const signal = AbortSignal.timeout(1);
  const alive = setInterval(() => {}, 1000);
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  clearInterval(alive);
  assert.strictEqual(signal.reason.name, 'TimeoutError');
});

test('no public constructor', () => {
  assert.throws(() => new AbortSignal(), { code: 'ERR_ILLEGAL_CONSTRUCTOR' });
});
