// What becomes of answers when their connection is closed under them by the program, and of what was written before.
import assert from 'node:assert';
import http from 'node:http';
import net from 'node:net';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { test } from '../../../test/harness.mjs';

const get = (path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

/** What the peer gets for `input`, and what `handler` noted. */
async function serve(input, handler, { half = false } = {}) {
  const events = [];
  const server = http.createServer((req, res) => {
    for (const name of ['aborted', 'error', 'close', 'end']) req.on(name, () => events.push(`req ${name}`));
    for (const name of ['finish', 'close', 'error']) res.on(name, () => events.push(`res ${name}`));
    handler(req, res, events, server);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = net.connect({ port: server.address().port, allowHalfOpen: true }, () => {
    socket.write(input);
    if (half) socket.end();
  });
  let text = '';
  socket.on('data', (part) => { text += part; }).on('error', () => {});
  await once(socket, 'end');
  socket.destroy();
  server.close();
  await once(server, 'close');
  await new Promise((resolve) => setImmediate(resolve));
  return { text, events };
}

const aborted = ['req aborted', 'res close', 'req error', 'req close'];

test('end() behind destroy() of the answer: nothing is sent, and it does not count as finished', async () => {
  const { text, events } = await serve(get('/'), (req, res) => {
    res.destroy();
    res.end('x');
  });
  assert.strictEqual(text, '');
  assert.deepStrictEqual(events, aborted);
});

test('end() behind destroy() of the socket', async () => {
  const { text, events } = await serve(get('/'), (req, res) => {
    req.socket.destroy();
    res.end('x');
  });
  assert.strictEqual(text, '');
  assert.deepStrictEqual(events, aborted);
});

test('closeAllConnections() within a request', async () => {
  const { text, events } = await serve(get('/'), (req, res, _, server) => {
    server.closeAllConnections();
    assert.ok(req.socket.destroyed);
    res.end('x');
  });
  assert.strictEqual(text, '');
  assert.deepStrictEqual(events, aborted);
});

test('what was written before the socket is destroyed goes out', async () => {
  const { text } = await serve(get('/'), (req, res) => {
    res.end('sent');
    req.socket.destroy();
  });
  assert.match(text, /sent$/);
});

test('a destroyed answer that waits for its turn takes none of those before it along', async () => {
  const { text } = await serve(get('/1') + get('/2'), (req, res) => {
    if (req.url === '/2') res.destroy();
    else setImmediate(() => res.end('first'));
  });
  assert.match(text, /first$/);
});

test('finished() of an answer that never ended says so', async () => {
  let code;
  await serve(get('/'), (req, res) => finished(res).catch((error) => { code = error.code; }), { half: true });
  assert.strictEqual(code, 'ERR_STREAM_PREMATURE_CLOSE');
});

test('a program that replaces write() of the socket is called for what answers write', async () => {
  const pieces = [];
  const { text } = await serve(get('/'), (req, res) => {
    const { write } = res.socket;
    res.socket.write = function (data, ...rest) {
      pieces.push(String(data));
      return Reflect.apply(write, this, [data, ...rest]);
    };
    res.setHeader('Connection', 'close');
    res.cork();
    assert.strictEqual(res.socket.writableCorked, 1);
    res.write('a');
    res.end('b');
    assert.strictEqual(res.socket.writableCorked, 0);
  });
  assert.strictEqual(pieces.join(''), text);
  assert.match(text, /\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n$/);
});

test('pipelined requests whose answers wait are bounded, and all are answered', async () => {
  const kCount = 2000;
  const waiting = [];
  let most = 0;
  const last = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  const { text } = await serve(get('/').repeat(kCount - 1) + last, (req, res) => {
    waiting.push(res);
    most = Math.max(most, waiting.length);
    if (waiting.length > 1) return;
    setTimeout(() => {
      for (const one of waiting.splice(0)) one.end();
    }, 1);
  });
  assert.strictEqual(text.match(/HTTP\/1\.1 200 OK/g).length, kCount);
  assert.ok(most < 1000, `${most} at once`);
});
