// terminate() ends a worker whose queues would run on and on after the code that it interrupted.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { test } from '../../../test/harness.mjs';

test('ticks that never end, behind code that never ends', async () => {
  const worker = new Worker(`
    const { parentPort } = require('node:worker_threads');
    process.on('uncaughtException', () => {});
    for (let i = 0; i < 5; i++) process.nextTick(() => { for (;;); });
    for (let i = 0; i < 5; i++) queueMicrotask(() => { for (;;); });
    for (let i = 0; i < 5; i++) setImmediate(() => { for (;;); });
    parentPort.postMessage('here');
    for (;;);`, { eval: true });
  await once(worker, 'message');
  await worker.terminate();
});
