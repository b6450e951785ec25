// process.env is cloned as a plain object, and a worker's own copy is like it in all ways.
import assert from 'node:assert';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { test } from '../../../test/harness.mjs';

test('structuredClone and workerData', async () => {
  process.env.GYRE_TEST = 'x';
  assert.strictEqual(structuredClone(process.env).GYRE_TEST, 'x');
  const worker = new Worker('const { parentPort: p, workerData } = require("worker_threads"); p.postMessage([workerData.GYRE_TEST, process.env])',
                            { eval: true, workerData: process.env });
  const [[value, env]] = await once(worker, 'message');
  assert.strictEqual(value, 'x');
  assert.strictEqual(env.GYRE_TEST, 'x');
});

test("a worker's environment is its own", async () => {
  const worker = new Worker(`process.env.GYRE_TEST = 1; delete process.env.HOME;
    let refused; try { Object.defineProperty(process.env, 'A', { value: 1 }); } catch ({ code }) { refused = code; }
    require('worker_threads').parentPort.postMessage([process.env.GYRE_TEST, 'HOME' in process.env, refused])`, { eval: true });
  assert.deepStrictEqual((await once(worker, 'message'))[0], ['1', false, 'ERR_INVALID_OBJECT_DEFINE_PROPERTY']);
  assert.strictEqual(process.env.GYRE_TEST, 'x');
});
