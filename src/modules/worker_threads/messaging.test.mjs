// postMessageToThread: from any thread to any other, with an outcome.
import assert from 'node:assert';
import { once } from 'node:events';
import { postMessageToThread, threadId, Worker } from 'node:worker_threads';
import { test } from '../../../test/harness.mjs';

const listener = "process.on('workerMessage', (value, source) => { if (value === 'bad') throw new Error('no');" +
  "require('worker_threads').parentPort.postMessage([value, source]); setImmediate(() => process.exit()); })";

test('a thread that is only starting gets it once it listens', async () => {
  const worker = new Worker(`${listener}; setInterval(() => {}, 1000)`, { eval: true });
  const heard = once(worker, 'message');
  await postMessageToThread(worker.threadId, { a: 1 });
  assert.deepStrictEqual(await heard, [[{ a: 1 }, threadId]]);
});

test('a listener that throws is told of and harms nobody', async () => {
  const worker = new Worker(`${listener}; setInterval(() => {}, 1000)`, { eval: true });
  await assert.rejects(postMessageToThread(worker.threadId, 'bad'), { code: 'ERR_WORKER_MESSAGING_ERRORED' });
  await worker.terminate();
});

test('no thread, no listener, no time', async () => {
  await assert.rejects(postMessageToThread(threadId), { code: 'ERR_WORKER_MESSAGING_SAME_THREAD' });
  await assert.rejects(postMessageToThread(99999, 1), { code: 'ERR_WORKER_MESSAGING_FAILED' });
  await assert.rejects(postMessageToThread(-1.5, 1), { code: 'ERR_WORKER_MESSAGING_FAILED' });
  await assert.rejects(postMessageToThread(99999, () => {}), { name: 'DataCloneError' });
  const lock = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker('Atomics.wait(require("worker_threads").workerData, 0, 0)', { eval: true, workerData: lock });
  await assert.rejects(postMessageToThread(worker.threadId, 1, 1), { code: 'ERR_WORKER_MESSAGING_TIMEOUT' });
  await worker.terminate();
  await assert.rejects(postMessageToThread(worker.threadId, 1), { code: 'ERR_WORKER_MESSAGING_FAILED' });
});

test('a message to a worker that is ended has an outcome', async () => {
  const worker = new Worker('for (;;);', { eval: true });
  await once(worker, 'online');
  const sent = postMessageToThread(worker.threadId, 1);
  worker.terminate();
  await assert.rejects(sent, { code: 'ERR_WORKER_MESSAGING_FAILED' });
});

test('a port that is closing counts, unless somebody says otherwise', async () => {
  const { port1, port2 } = new MessageChannel();
  port1.on('message', () => {});
  port1.close();
  assert.strictEqual(port1.hasRef(), true);
  port1.unref();
  assert.strictEqual(port1.hasRef(), false);
  await Promise.all([once(port1, 'close'), once(port2, 'close')]);
  assert.strictEqual(port1.hasRef(), false);
});
