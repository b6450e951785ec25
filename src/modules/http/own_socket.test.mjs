// An answer has a socket of its own, as the library `request` expects.
import assert from 'node:assert';
import http from 'node:http';
import { once } from 'node:events';
import { test } from '../../../test/harness.mjs';

test("an answer's socket is an own property", async () => {
  const server = http.createServer((request, response) => response.end('x')).listen(0);
  await once(server, 'listening');
  const [response] = await once(http.get({ port: server.address().port }), 'response');
  assert.ok(Object.hasOwn(response, 'socket'));
  assert.strictEqual(response.connection, response.socket);
  assert.strictEqual(new http.IncomingMessage('a').socket, 'a');
  response.resume();
  await once(response, 'close');
  server.close();
  server.closeAllConnections();
});
