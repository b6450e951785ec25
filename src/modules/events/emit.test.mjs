import assert from 'node:assert';
import { EventEmitter } from 'node:events';
import { test } from '../../../test/harness.mjs';

test('listeners run in order, with the emitter and all arguments', () => {
  const emitter = new EventEmitter();
  const seen = [];
  for (let n = 0; n < 3; n++) {
    emitter.on('x', function(...args) {
      assert.strictEqual(this, emitter);
      seen.push([n, ...args]);
    });
  }
  for (const args of [[], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4]]) {
    seen.length = 0;
    assert.strictEqual(emitter.emit('x', ...args), true);
    assert.deepStrictEqual(seen, [0, 1, 2].map((n) => [n, ...args]));
  }
  assert.strictEqual(emitter.emit('y'), false);
});

test('a listener removed during emit still runs in that emit', () => {
  for (const extra of [0, 1, 2]) {
    const emitter = new EventEmitter();
    const seen = [];
    const last = () => seen.push('last');
    emitter.on('x', () => emitter.removeListener('x', last));
    for (let i = 0; i < extra; i++) emitter.on('x', () => seen.push(i));
    emitter.on('x', last);
    emitter.emit('x');
    emitter.emit('x');
    assert.strictEqual(seen.filter((name) => name === 'last').length, 1);
  }
});

test('an error event without listener throws', () => {
  const emitter = new EventEmitter();
  const error = new Error('mine');
  assert.throws(() => emitter.emit('error', error), error);
  assert.throws(() => emitter.emit('error', { a: 1 }), { code: 'ERR_UNHANDLED_ERROR', context: { a: 1 } });
});

test('a rejecting listener reaches the error event once', async () => {
  const emitter = new EventEmitter({ captureRejections: true });
  emitter.on('x', async () => { throw new Error('rejected'); });
  const [error] = await new Promise((resolve) => {
    emitter.once('error', (...args) => resolve(args));
    emitter.emit('x');
  });
  assert.strictEqual(error.message, 'rejected');
});
