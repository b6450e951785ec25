// Slow peers get 408 when the time for the head or for the request is over; idle ones cost little; answers that nobody
// asked for are nobody's.
import assert from 'node:assert';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { test } from '../harness.mjs';

const options = { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 };
const server = http.createServer(options, (req, res) => {
  req.resume().on('end', () => res.end('whole')).on('error', () => {});
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address();

/** Sends `parts` with pauses of 60 ms until the server ends the connection; what it said. */
async function drip(parts) {
  const socket = net.connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (part) => { answer += part; }).on('error', () => {});
  // Not once(): what is dripped behind the answer may be met by a reset, which is no fault.
  const closed = new Promise((resolve) => socket.on('close', resolve));
  for (const part of parts) {
    if (socket.destroyed || socket.readableEnded) break;
    socket.write(part);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  await closed;
  return answer;
}

await test('a header block that does not come: 408 at the header time', async () => {
  const answer = await drip([...'GET / HTTP/1.1\r\nHost: slow\r\nX: '.match(/.{1,2}/gs), ...Array(20).fill('x')]);
  assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/);
  assert.match(answer, /Connection: close/);
});
await test('a body that does not come: 408 at the request time', async () => {
  const answer = await drip(['POST / HTTP/1.1\r\nHost: slow\r\nContent-Length: 1000\r\n\r\n', ...Array(30).fill('x')]);
  assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/);
});
for (const native of [true, false]) {
  await test(`a request that takes too long is told once, also when nobody closes it${native ? '' : ' (driven by JavaScript)'}`, async () => {
    const classes = native ? {} : { IncomingMessage: class extends http.IncomingMessage {} };
    const patient = http.createServer({ ...options, ...classes }, () => {});
    const codes = [];
    patient.on('clientError', (error) => codes.push(error.code));
    patient.listen(0, '127.0.0.1');
    await once(patient, 'listening');
    const socket = net.connect(patient.address().port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost'));
    socket.on('error', () => {}).resume();
    await once(patient, 'clientError');
    await new Promise((resolve) => setTimeout(resolve, 4 * options.connectionsCheckingInterval));
    assert.deepStrictEqual(codes, ['ERR_HTTP_REQUEST_TIMEOUT']);
    patient.closeAllConnections();
    await new Promise((resolve) => patient.close(resolve));
  });
}
await test('a thousand idle connections are kept and leave nothing behind', async () => {
  const sockets = [];
  for (let i = 0; i < 1000; i++) {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => {});
    sockets.push(once(socket, 'connect').then(() => socket));
  }
  const connected = await Promise.all(sockets);
  const [res] = await once(http.get({ port, host: '127.0.0.1' }), 'response');
  assert.strictEqual(res.statusCode, 200);
  res.resume();
  for (const socket of connected) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
  const count = await new Promise((resolve, reject) => server.getConnections((e, n) => (e ? reject(e) : resolve(n))));
  assert.strictEqual(count, 0);
});
await test('an answer before its request on a kept client socket is not taken for the next one', async () => {
  let served = 0;
  const rogue = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      served++;
      const body = `answer ${served}`;
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      if (served === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\npoisoned');
    });
  }).listen(0, '127.0.0.1');
  await once(rogue, 'listening');
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async () => {
    const [res] = await once(http.get({ port: rogue.address().port, host: '127.0.0.1', agent }), 'response');
    let text = '';
    for await (const part of res.setEncoding('utf8')) text += part;
    return text;
  };
  assert.strictEqual(await ask(), 'answer 1');
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.strictEqual(await ask(), 'answer 2');
  agent.destroy();
  rogue.close();
});
