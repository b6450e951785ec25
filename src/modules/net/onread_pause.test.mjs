import assert from 'node:assert';
import { once } from 'node:events';
import net from 'node:net';
import { test } from '../../../test/harness.mjs';

await test('with onread, pause() inside the callback holds back what the buffer did not take', async () => {
  const message = Buffer.from('0123456789abcdefghij');
  const server = net.createServer((socket) => socket.end(message)).listen(0);
  await once(server, 'listening');
  const got = [];
  let paused = false;
  const socket = net.connect({
    port: server.address().port,
    onread: {
      buffer: Buffer.alloc(8),
      callback(length, buffer) {
        assert.strictEqual(paused, false);
        got.push(buffer.toString('latin1', 0, length));
        paused = true;
        this.pause();
        setImmediate(() => {
          paused = false;
          this.resume();
        });
      },
    },
  });
  await once(socket, 'end');
  assert.deepStrictEqual(got, ['01234567', '89abcdef', 'ghij']);
  server.close();
});
