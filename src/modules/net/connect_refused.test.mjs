import assert from 'node:assert';
import { once } from 'node:events';
import net from 'node:net';
import { test } from '../../../test/harness.mjs';

async function closedPort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

await test('a refused connection names the address', async () => {
  const port = await closedPort();
  const [error] = await once(net.connect(port, '127.0.0.1'), 'error');
  assert.strictEqual(error.message, `connect ECONNREFUSED 127.0.0.1:${port}`);
  assert.deepStrictEqual({ ...error }, { errno: -111, code: 'ECONNREFUSED', syscall: 'connect', address: '127.0.0.1', port });
});

await test('several refused addresses make an AggregateError', async () => {
  const port = await closedPort();
  const lookup = (host, options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }, { address: '127.0.0.2', family: 4 }]);
  const socket = net.connect({ port, host: 'two.test', lookup });
  const [error] = await once(socket, 'error');
  assert.strictEqual(error.constructor, AggregateError);
  assert.strictEqual(error.code, 'ECONNREFUSED');
  assert.deepStrictEqual(error.errors.map((e) => e.address), ['127.0.0.1', '127.0.0.2']);
  assert.deepStrictEqual(socket.autoSelectFamilyAttemptedAddresses, [`127.0.0.1:${port}`, `127.0.0.2:${port}`]);
});
