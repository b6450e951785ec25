// resourceLimits: however small, they end the worker and never the process.
import assert from 'node:assert';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { test } from '../../../test/harness.mjs';

for (const megabytes of [0, 1, 2, 3]) {
  test(`${megabytes} MB of old space`, async () => {
    const worker = new Worker('let a = []; setInterval(() => { for (let i = 0; i < 1000; i++) a.push(new Array(1000).fill(i)); }, 0)',
                              { eval: true, resourceLimits: { maxOldGenerationSizeMb: megabytes } });
    const [error] = await once(worker, 'error');
    assert.strictEqual(error.code, 'ERR_WORKER_OUT_OF_MEMORY');
  });
}

test('an error whose stack cannot be had', async () => {
  const worker = new Worker(`Error.prepareStackTrace = () => { throw new Error('no'); }; throw new Error('yes');`, { eval: true });
  const [error] = await once(worker, 'error');
  assert.strictEqual(error.message, 'yes');
});
