import assert from 'node:assert';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { test } from '../../../test/harness.mjs';

await test('a datagram arrives with its sender', async () => {
  const receiver = dgram.createSocket('udp4').bind(0, '127.0.0.1');
  await once(receiver, 'listening');
  const sender = dgram.createSocket('udp4');
  const sent = new Promise((resolve) => {
    sender.send(['a', Buffer.from('b'), ''], receiver.address().port, '127.0.0.1', (error, bytes) => resolve([error, bytes]));
  });
  const [message, rinfo] = await once(receiver, 'message');
  assert.strictEqual(message.toString(), 'ab');
  assert.deepStrictEqual(rinfo, { address: '127.0.0.1', family: 'IPv4', port: sender.address().port, size: 2 });
  assert.deepStrictEqual(await sent, [null, 2]);
  sender.close();
  receiver.close();
});
