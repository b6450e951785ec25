// What a parent can ask of a worker, also while it is busy or when it is gone.
import assert from 'node:assert';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { test } from '../../../test/harness.mjs';

test('a worker in an endless loop answers', async () => {
  const worker = new Worker('for (;;);', { eval: true });
  await once(worker, 'online');
  assert.ok((await worker.getHeapStatistics()).used_heap_size > 0);
  assert.ok((await worker.cpuUsage()).user >= 0);
  const profile = await worker.startCpuProfile();
  assert.ok(JSON.parse(await profile.stop()).nodes.length > 0);
  const allocations = await worker.startHeapProfile();
  await assert.rejects(worker.startHeapProfile(), { code: 'ERR_HEAP_PROFILE_HAVE_BEEN_STARTED' });
  assert.ok(JSON.parse(await allocations.stop()).head);
  assert.ok(JSON.parse((await worker.getHeapSnapshot()).read()).snapshot);
  await worker.terminate();
});

test('one that waits on a lock answers too', async () => {
  const worker = new Worker('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)', { eval: true });
  await once(worker, 'online');
  assert.ok((await worker.getHeapStatistics()).heap_size_limit > 0);
  await worker.terminate();
});

test('a worker may end, or be ended, amid its profiles', async () => {
  for (const program of ['for (;;);', 'require("worker_threads").parentPort.once("message", () => {})']) {
    const worker = new Worker(program, { eval: true });
    await once(worker, 'online');
    await worker.startCpuProfile();
    await worker.startCpuProfile();
    await worker.startHeapProfile();
    if (program.startsWith('for')) await worker.terminate();
    else worker.postMessage('end');
    if (worker.threadId !== -1) await once(worker, 'exit');
  }
});

test('questions that its end leaves open are rejected', async () => {
  const worker = new Worker('setInterval(() => {}, 1000)', { eval: true });
  await once(worker, 'online');
  const asked = [worker.getHeapStatistics(), worker.cpuUsage(), worker.getHeapSnapshot()].map(
    (promise) => promise.then(() => 'answered', ({ code }) => code));
  await worker.terminate();
  for (const outcome of await Promise.all(asked)) assert.match(outcome, /^(answered|ERR_WORKER_NOT_RUNNING)$/);
  await assert.rejects(worker.getHeapStatistics(), { code: 'ERR_WORKER_NOT_RUNNING' });
  assert.deepStrictEqual(worker.performance.eventLoopUtilization(), { idle: 0, active: 0, utilization: 0 });
});
