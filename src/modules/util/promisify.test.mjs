// util.promisify(), callbackify(), deprecate(), inherits().
import assert from 'node:assert';
import { callbackify, inherits, promisify } from 'node:util';
import { test } from '../../../test/harness.mjs';

test('promisify resolves, rejects and keeps properties', async () => {
  function original(value, callback) {
    process.nextTick(callback, value === 'bad' ? new Error(value) : null, value);
  }
  original.extra = 1;
  const fn = promisify(original);
  assert.strictEqual(await fn('good'), 'good');
  await assert.rejects(fn('bad'), { message: 'bad' });
  assert.strictEqual(fn.extra, 1);
  assert.strictEqual(promisify(fn), fn);
});

test('promisify.custom wins', () => {
  const custom = () => {};
  const original = () => {};
  original[promisify.custom] = custom;
  assert.strictEqual(promisify(original), custom);
});

test('callbackify wraps a falsy reason', async () => {
  const { promise, resolve } = Promise.withResolvers();
  callbackify(() => Promise.reject(null))((error) => resolve(error));
  const error = await promise;
  assert.strictEqual(error.code, 'ERR_FALSY_VALUE_REJECTION');
  assert.strictEqual(error.reason, null);
});

test('inherits', () => {
  function Child() {}
  function Parent() {}
  inherits(Child, Parent);
  assert.strictEqual(Child.super_, Parent);
  assert.ok(new Child() instanceof Parent);
  assert.throws(() => inherits(Child, null), { code: 'ERR_INVALID_ARG_TYPE' });
});
