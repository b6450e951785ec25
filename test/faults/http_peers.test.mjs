// Slow and abusive peers: the server stays, serves others, and holds no more than it must.
import assert from 'node:assert';
import net from 'node:net';
import { readdirSync } from 'node:fs';
import { once } from 'node:events';
import { test } from '../harness.mjs';
import { exchange, listen } from './raw_http.mjs';

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const descriptors = () => readdirSync('/proc/self/fd').length;
const settled = async (condition) => {
  for (let i = 0; i < 500 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 2));
  assert.ok(condition());
};

test('10,000 pipelined requests in one write are all answered, in order', async () => {
  let count = 0;
  const { port, close } = await listen((req, res) => res.end(`<${count++}>`));
  const text = await exchange(port, get.repeat(10_000), { until: /<9999>/ });
  assert.deepStrictEqual(text.match(/<\d+>/g).slice(-2), ['<9998>', '<9999>']);
  assert.strictEqual(text.match(/HTTP\/1\.1 200 OK/g).length, 10_000);
  await close();
});

test('a reader that reads nothing costs no memory beyond its answer, and others are served', async () => {
  let produced = 0;
  const { port, close } = await listen((req, res) => {
    if (req.url === '/small') return void res.end('small');
    const chunk = Buffer.alloc(65536, 'x');
    const more = () => {
      while (!res.destroyed && produced < 1 << 30) {
        produced += chunk.length;
        if (!res.write(chunk)) return void res.once('drain', more);
      }
      res.end();
    };
    more();
  });
  const idle = net.connect(port, '127.0.0.1');
  idle.pause();
  idle.write(get);
  await settled(() => produced > 0);
  const text = await exchange(port, 'GET /small HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  assert.ok(text.endsWith('small'));
  assert.ok(produced < 64 << 20, `${produced} bytes were made for a reader that reads nothing`);
  idle.destroy();
  await close();
});

test('connections that reset leave nothing behind', async () => {
  const { server, port, close } = await listen();
  const before = descriptors();
  for (let i = 0; i < 300; i++) {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    if (i % 3 === 1) socket.write(get);
    if (i % 3 === 2) socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc');
    socket.resetAndDestroy();
  }
  await settled(() => server._connections === 0 && descriptors() <= before);
  assert.match(await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'), /ok$/);
  await close();
});

test('a half-close behind the request: what is answered at once arrives', async () => {
  const { port, close } = await listen((req, res) => res.end('answered'));
  assert.match(await exchange(port, get, { half: true }), /answered$/);
  await close();
});

test('a half-close behind the request: with httpAllowHalfOpen a late answer arrives too', async () => {
  const { server, port, close } = await listen((req, res) => setTimeout(() => res.end('answered'), 5));
  server.httpAllowHalfOpen = true;
  assert.match(await exchange(port, get, { half: true }), /answered$/);
  await close();
});

test('a reset while answering: the answer closes', async () => {
  const closed = Promise.withResolvers();
  const { port, close } = await listen((req, res) => {
    res.on('close', () => closed.resolve(res.writableFinished));
    res.write('x'.repeat(1 << 20));
  });
  const socket = net.connect(port, '127.0.0.1', () => socket.write(get));
  socket.on('error', () => {});
  socket.once('data', () => socket.resetAndDestroy());
  assert.strictEqual(await closed.promise, false);
  await close();
});

test('a reset while uploading: aborted and close, once', async () => {
  const events = [];
  const closed = Promise.withResolvers();
  const { port, close } = await listen((req, res) => {
    req.on('data', () => {}).on('aborted', () => events.push('aborted')).on('error', () => events.push('error'));
    req.on('close', () => { events.push('close'); closed.resolve(); });
  });
  const socket = net.connect(port, '127.0.0.1', () => {
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc');
    setTimeout(() => socket.resetAndDestroy(), 5);
  });
  socket.on('error', () => {});
  await closed.promise;
  assert.deepStrictEqual(events, ['aborted', 'error', 'close']);
  await close();
});

test('an upgrade with a body behind it: the head is handed over, the server lives', async () => {
  const { server, port, close } = await listen();
  const got = Promise.withResolvers();
  server.on('upgrade', (req, socket, head) => {
    got.resolve(head.toString());
    socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');
  });
  await exchange(port, 'POST / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\nContent-Length: 4\r\n\r\nbody',
    { half: true });
  assert.strictEqual(await got.promise, 'body');
  await close();
});

test('answers to many slow readers are kept apart', async () => {
  const { port, close } = await listen((req, res) => res.end(req.url.slice(1).repeat(50_000)));
  const texts = await Promise.all(Array.from({ length: 20 }, (_, i) =>
    exchange(port, `GET /${String.fromCharCode(97 + i)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)));
  texts.forEach((text, i) => {
    const body = text.slice(text.indexOf('\r\n\r\n') + 4);
    assert.strictEqual(body, String.fromCharCode(97 + i).repeat(50_000));
  });
  await close();
});
