import assert from 'node:assert';
import { setInterval, setTimeout } from 'node:timers/promises';
import { test } from '../../../test/harness.mjs';

test('a wait gives its value, and rejects with the reason of an abort', async () => {
  assert.strictEqual(await setTimeout(1, 'value'), 'value');
  const controller = new AbortController();
  const waiting = setTimeout(1e6, null, { signal: controller.signal });
  controller.abort(new Error('why'));
  await assert.rejects(waiting, (error) => error.name === 'AbortError' && error.cause.message === 'why');
});

test('an interval yields once for each time that passed', async () => {
  let count = 0;
  for await (const value of setInterval(1, 'v')) {
    assert.strictEqual(value, 'v');
    if (++count === 3) break;
  }
  assert.strictEqual(count, 3);
});
