import assert from 'node:assert';
import { once } from 'node:events';
import { WebSocket as WsClient, WebSocketServer } from 'ws';
import { test } from '../harness.mjs';

const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
await once(server, 'listening');
server.on('connection', (socket) => socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary })));
const url = `ws://127.0.0.1:${server.address().port}`;

await test('ws: an echo of text, of bytes, of a long text; a clean close', async () => {
  const client = new WsClient(url);
  await once(client, 'open');
  for (const [sent, binary] of [['text', false], [Buffer.from([1, 2, 255]), true], ['x'.repeat(300_000), false]]) {
    client.send(sent);
    const [data, isBinary] = await once(client, 'message');
    assert.strictEqual(isBinary, binary);
    assert.deepStrictEqual(isBinary ? data : data.toString(), sent);
  }
  client.close(1000, 'bye');
  const [code, reason] = await once(client, 'close');
  assert.deepStrictEqual([code, reason.toString()], [1000, 'bye']);
});
await test('ws: the global WebSocket as its client', async () => {
  const client = new WebSocket(url);
  await new Promise((resolve) => { client.onopen = resolve; });
  client.send('hello');
  const event = await new Promise((resolve) => { client.onmessage = resolve; });
  assert.strictEqual(event.data, 'hello');
  client.close();
  await new Promise((resolve) => { client.onclose = resolve; });
});
server.close();
