import assert from 'node:assert';
import { once } from 'node:events';
import net from 'node:net';
import { test } from '../../../test/harness.mjs';

await test('what is written comes back, in both directions and in order', async () => {
  const server = net.createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = net.connect(server.address().port, '127.0.0.1');
  const sent = Buffer.alloc(1 << 20, 'gyre');
  const chunks = [];
  client.on('data', (chunk) => chunks.push(chunk));
  client.end(sent);
  await once(client, 'close');
  assert.deepStrictEqual(Buffer.concat(chunks), sent);
  assert.strictEqual(client.bytesRead, sent.length);
  assert.strictEqual(client.bytesWritten, sent.length);
  server.close();
  await once(server, 'close');
});
