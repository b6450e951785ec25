import assert from 'node:assert';
import { once } from 'node:events';
import http from 'node:http';
import { test } from '../../test/harness.mjs';

const reason = new Error('reason');
const isReason = (error) => error === reason;
let connectionsClosed = 0;

/** A server that never ends an answer: /silent says nothing, the rest gives a head and a part of the body. */
const server = http.createServer((req, res) => {
  req.on('error', () => {});
  res.on('close', () => { connectionsClosed++; server.emit('gone'); });
  if (req.url === '/silent') return void server.emit('asked');
  res.writeHead(200, { 'content-length': 100 });
  res.write('part');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const base = `http://127.0.0.1:${server.address().port}`;

test('before the request: no connection is made', async () => {
  await assert.rejects(fetch(`${base}/silent`, { signal: AbortSignal.abort(reason) }), isReason);
  await assert.rejects(fetch(`${base}/silent`, { signal: AbortSignal.abort() }), { name: 'AbortError', code: 20 });
  assert.strictEqual(connectionsClosed, 0);
});

test('in the same turn, and while the answer is waited for', async () => {
  const early = new AbortController();
  const promise = fetch(`${base}/silent`, { signal: early.signal });
  early.abort(reason);
  await assert.rejects(promise, isReason);
  const late = new AbortController();
  const gone = once(server, 'gone');
  server.once('asked', () => late.abort(reason));
  await assert.rejects(fetch(`${base}/silent`, { signal: late.signal }), isReason);
  await gone;
});

test('while the body is read, also of a clone', async () => {
  for (const read of [(body) => body.text(), async (body) => { for await (const chunk of body.body) void chunk; }]) {
    const controller = new AbortController();
    const response = await fetch(base, { signal: controller.signal });
    const copy = response.clone();
    const gone = once(server, 'gone');
    const reads = [read(response), read(copy)];
    setImmediate(() => controller.abort(reason));
    for (const one of reads) await assert.rejects(one, isReason);
    await gone;
  }
});

test('while a body is sent: no more of it is taken', async () => {
  const controller = new AbortController();
  let pulled = 0;
  const body = new ReadableStream({
    async pull(stream) {
      pulled++;
      await new Promise(setImmediate);
      stream.enqueue(new Uint8Array(100));
    },
  });
  const { signal } = controller;
  server.once('asked', () => controller.abort(reason));
  await assert.rejects(fetch(`${base}/silent`, { method: 'POST', duplex: 'half', body, signal }), isReason);
  const soon = pulled + 2;
  for (let i = 0; i < 50; i++) await new Promise(setImmediate);
  assert.ok(pulled <= soon, `${pulled} chunks were taken`);
});

test('a body that nobody wants any more ends its connection', async () => {
  for (const drop of [(body) => body.cancel(), async (body) => { for await (const chunk of body) return chunk; }]) {
    const gone = once(server, 'gone');
    await drop((await fetch(base)).body);
    await gone;
  }
});

test('a time-out tells its name', async () => {
  await assert.rejects(fetch(`${base}/silent`, { signal: AbortSignal.timeout(1) }), { name: 'TimeoutError' });
  server.closeAllConnections();
  server.close();
});
