import assert from 'node:assert';
import { once } from 'node:events';
import net from 'node:net';
import { test } from '../../../test/harness.mjs';

await test('a port in use is an error of listen(), with its address', async () => {
  const first = net.createServer().listen(0, '127.0.0.1');
  await once(first, 'listening');
  const { port } = first.address();
  const second = net.createServer();
  second.listen(port, '127.0.0.1');
  const [error] = await once(second, 'error');
  assert.strictEqual(error.message, `listen EADDRINUSE: address already in use 127.0.0.1:${port}`);
  assert.deepStrictEqual({ ...error }, { code: 'EADDRINUSE', errno: -98, syscall: 'listen', address: '127.0.0.1', port });
  first.close();
});
