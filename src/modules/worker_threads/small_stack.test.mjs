// A worker that asks for next to no stack gets what a realm needs to start.
import assert from 'node:assert';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { test } from '../../../test/harness.mjs';

test('resourceLimits.stackSizeMb that is too small', async () => {
  const code = `
    const { parentPort } = require('node:worker_threads');
    function deep() { deep(); }
    try { deep(); } catch (error) { parentPort.postMessage(error.name); }`;
  for (const stackSizeMb of [0.01, 0.2]) {
    const worker = new Worker(code, { eval: true, resourceLimits: { stackSizeMb } });
    const [message] = await once(worker, 'message');
    assert.strictEqual(message, 'RangeError');
    await once(worker, 'exit');
  }
});
