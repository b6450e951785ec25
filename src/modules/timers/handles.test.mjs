import assert from 'node:assert';
import { test } from '../../../test/harness.mjs';

test('a timer can be cleared by its number', async () => {
  let fired = false;
  const timer = setTimeout(() => { fired = true; }, 1);
  clearTimeout(+timer);
  await new Promise((done) => setTimeout(done, 5));
  assert.strictEqual(fired, false);
});

test('refresh in the callback of a timer starts it again', async () => {
  let count = 0;
  await new Promise((done) => {
    const timer = setTimeout(() => {
      if (++count === 3) done();
      else timer.refresh();
    }, 1);
  });
  assert.strictEqual(count, 3);
});

test('ref, unref and hasRef follow each other', () => {
  const timer = setTimeout(() => {}, 1e6);
  assert.strictEqual(timer.hasRef(), true);
  assert.strictEqual(timer.unref().hasRef(), false);
  assert.strictEqual(timer.ref().hasRef(), true);
  timer[Symbol.dispose]();
  assert.strictEqual(timer._destroyed, true);
});

test('many durations that were set and cleared leave nothing behind', async () => {
  for (let i = 0; i < 1000; i++) clearTimeout(setTimeout(() => {}, 1000 + i));
  await new Promise((done) => setTimeout(done, 1));
  assert.deepStrictEqual(process.getActiveResourcesInfo().filter((name) => name === 'Timeout'), []);
});
