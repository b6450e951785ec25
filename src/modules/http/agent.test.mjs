// http.Agent: which connections are used again, and how many there may be.
import assert from 'node:assert';
import http from 'node:http';
import net from 'node:net';
import { once } from 'node:events';
import { test } from '../../../test/harness.mjs';
import { listen } from '../../../test/faults/raw_http.mjs';

const fetchText = (options) => new Promise((resolve, reject) => {
  http.get({ host: '127.0.0.1', ...options }, async (res) => {
    let text = '';
    for await (const chunk of res) text += chunk;
    resolve(text);
  }).on('error', reject);
});

test('a kept connection is used again', async () => {
  const ports = new Set();
  const { port, close } = await listen((req, res) => {
    ports.add(req.socket.remotePort);
    res.end('ok');
  });
  const agent = new http.Agent({ keepAlive: true });
  for (let i = 0; i < 3; i++) {
    assert.strictEqual(await fetchText({ port, agent }), 'ok');
    await new Promise(setImmediate);
  }
  assert.strictEqual(ports.size, 1);
  agent.destroy();
  await close();
});

test('maxSockets and maxTotalSockets hold', async () => {
  let now = 0;
  let most = 0;
  const { port, close } = await listen((req, res) => {
    most = Math.max(most, ++now);
    setTimeout(() => { now--; res.end('ok'); }, 2);
  });
  for (const options of [{ maxSockets: 2 }, { maxTotalSockets: 2 }]) {
    most = 0;
    const agent = new http.Agent(options);
    await Promise.all(Array.from({ length: 8 }, () => fetchText({ port, agent })));
    assert.strictEqual(most, 2);
  }
  await close();
});

test('an answer that comes before its request is not taken for one', async () => {
  let accepted = 0;
  const server = net.createServer((socket) => {
    accepted++;
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      setImmediate(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil'));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new http.Agent({ keepAlive: true });
  const { port } = server.address();
  assert.strictEqual(await fetchText({ port, agent }), 'ok');
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.strictEqual(await fetchText({ port, agent }), 'ok');
  assert.strictEqual(accepted, 2);
  agent.destroy();
  server.close();
});

test('a server that hangs up: the socket closes within the same turn of the loop', async () => {
  const server = http.createServer((req, res) => res.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const req = http.get({ port: server.address().port, host: '127.0.0.1', agent: new http.Agent({ keepAlive: true }) });
  const seen = [];
  const [error] = await once(req, 'error');
  assert.strictEqual(error.message, 'socket hang up');
  req.socket.on('close', () => seen.push('close'));
  // One turn has check before closing; the next begins with what its own check runs.
  setImmediate(() => setImmediate(() => seen.push('next turn')));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepStrictEqual(seen, ['close', 'next turn']);
  server.close();
});
