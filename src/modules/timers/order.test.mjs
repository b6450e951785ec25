import assert from 'node:assert';
import { test } from '../../../test/harness.mjs';

test('ticks, then microtasks, run between two timers of one turn', async () => {
  const log = [];
  await new Promise((done) => {
    setTimeout(() => {
      log.push('first');
      Promise.resolve().then(() => log.push('microtask'));
      process.nextTick(() => log.push('tick'));
    }, 1);
    setTimeout(() => {
      log.push('second');
      done();
    }, 1);
    const end = performance.now() + 5;
    while (performance.now() < end);
  });
  assert.deepStrictEqual(log, ['first', 'tick', 'microtask', 'second']);
});

test('an immediate made by an immediate waits for the next turn', async () => {
  const log = [];
  await new Promise((done) => {
    setImmediate(() => {
      log.push(1);
      setImmediate(() => {
        log.push(3);
        done();
      });
    });
    setImmediate(() => log.push(2));
  });
  assert.deepStrictEqual(log, [1, 2, 3]);
});

test('a timer that throws does not take the others with it', async () => {
  const log = [];
  process.once('uncaughtException', (error) => log.push(error.message));
  await new Promise((done) => {
    setTimeout(() => { throw new Error('thrown'); }, 1);
    setTimeout(() => {
      log.push('next');
      done();
    }, 1);
  });
  assert.deepStrictEqual(log, ['thrown', 'next']);
});
