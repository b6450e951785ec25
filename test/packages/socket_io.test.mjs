import assert from 'node:assert';
import http from 'node:http';
import { once } from 'node:events';
import { Server } from 'socket.io';
import { io } from 'socket.io-client';
import { test } from '../harness.mjs';

const server = http.createServer();
const sockets = new Server(server);
sockets.on('connection', (socket) => {
  socket.on('ask', (value, answer) => answer({ got: value }));
  socket.join('room');
  sockets.to('room').emit('hello', Buffer.from('bytes'));
});
server.listen(0);
await once(server, 'listening');

for (const transports of [['polling'], ['websocket']]) {
  await test(`socket.io: events, bytes and answers by ${transports}`, async () => {
    const client = io(`http://127.0.0.1:${server.address().port}`, { transports });
    const hello = new Promise((resolve) => { client.once('hello', resolve); });
    assert.deepStrictEqual(await client.timeout(5000).emitWithAck('ask', { a: 1 }), { got: { a: 1 } });
    assert.strictEqual(Buffer.from(await hello).toString(), 'bytes');
    client.close();
  });
}
sockets.close();
