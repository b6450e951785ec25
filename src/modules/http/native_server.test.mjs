// The native server core as programs see it.
import assert from 'node:assert';
import http from 'node:http';
import net from 'node:net';
import { once } from 'node:events';
import { test } from '../../../test/harness.mjs';
import { exchange, listen } from '../../../test/faults/raw_http.mjs';

const get = (url, more = '') => `GET ${url} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
const last = 'Connection: close\r\n';

test('ticks and microtasks run between pipelined requests', async () => {
  const order = [];
  const { port, close } = await listen((req, res) => {
    order.push(`request ${req.url}`);
    process.nextTick(() => order.push(`tick ${req.url}`));
    Promise.resolve().then(() => order.push(`micro ${req.url}`));
    res.end();
  });
  await exchange(port, get('/1') + get('/2', last));
  assert.deepStrictEqual(order, ['request /1', 'tick /1', 'micro /1', 'request /2', 'tick /2', 'micro /2']);
  await close();
});

test('answers keep the order of the requests', async () => {
  const waiting = [];
  const { port, close } = await listen((req, res) => {
    waiting.unshift(() => res.end(`<${req.url}>`));
    if (waiting.length === 3) waiting.forEach((answer) => answer());
  });
  const text = await exchange(port, get('/1') + get('/2') + get('/3', last));
  assert.deepStrictEqual(text.match(/<[^>]*>/g), ['</1>', '</2>', '</3>']);
  await close();
});

test('listeners added behind end() are told within the turn, and in order', async () => {
  const order = [];
  const { port, close } = await listen((req, res) => {
    res.end('x');
    for (const event of ['finish', 'close']) res.on(event, () => order.push(`res ${event}`));
    for (const event of ['end', 'close']) req.on(event, () => order.push(`req ${event}`));
  });
  await exchange(port, get('/', last));
  assert.deepStrictEqual(order.filter((event) => event.startsWith('res')), ['res finish', 'res close']);
  assert.deepStrictEqual(order.filter((event) => event.startsWith('req')), ['req end', 'req close']);
  await close();
});

test('end() calls back, wherever the callback stands', async () => {
  const called = [];
  const { port, close } = await listen((req, res) => {
    if (req.url === '/1') res.end(Buffer.from('x'), () => called.push(1));
    else if (req.url === '/2') res.end('x', () => called.push(2));
    else if (req.url === '/3') res.end(() => called.push(3));
    else res.end('x', 'utf8', () => called.push(4));
  });
  await exchange(port, get('/1') + get('/2') + get('/3') + get('/4', last));
  assert.deepStrictEqual(called, [1, 2, 3, 4]);
  await close();
});

test('an answer is over after its turn though nobody listened', async () => {
  let kept;
  const { port, close } = await listen((req, res) => {
    kept = { req, res };
    res.end('x');
    assert.strictEqual(res.writableEnded, true);
    assert.strictEqual(res.destroyed, false);
  });
  await exchange(port, get('/', `X: y\r\n${last}`));
  const { req, res } = kept;
  assert.deepStrictEqual([res.destroyed, res.closed, res.writableFinished, req.complete], [true, true, true, true]);
  assert.strictEqual(req.headers.x, 'y');
  assert.deepStrictEqual(req.rawHeaders, ['Host', 'a', 'X', 'y', 'Connection', 'close']);
  await close();
});

test('header objects are each request\'s own', async () => {
  const { port, close } = await listen((req, res) => {
    const before = req.headers.extra;
    req.headers.extra = 'mine';
    req.rawHeaders.push('extra', 'mine');
    res.end(`<${before} ${req.rawHeaders.length}>`);
  });
  const text = await exchange(port, get('/') + get('/') + get('/', last));
  assert.deepStrictEqual(text.match(/<[^>]*>/g), ['<undefined 4>', '<undefined 4>', '<undefined 6>']);
  await close();
});

test('what was written goes out before process.exit()', async () => {
  const { spawn } = await import('node:child_process');
  const program = `require('http').createServer((req, res) => { res.end('bye'); process.exit(0); })
    .listen(0, '127.0.0.1', function() { console.log(this.address().port); })`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  const text = await exchange(Number(port), get('/'));
  assert.ok(text.endsWith('bye'), text);
});

test('a body comes in pieces, and waits for who pauses', async () => {
  const { port, close } = await listen(async (req, res) => {
    let size = 0;
    for await (const chunk of req) {
      size += chunk.length;
      await new Promise(setImmediate);
    }
    res.end(`<${size}>`);
  });
  const size = 3 << 20;
  const text = await exchange(port, `POST / HTTP/1.1\r\nHost: a\r\n${last}Content-Length: ${size}\r\n\r\n` + 'x'.repeat(size));
  assert.ok(text.endsWith(`<${size}>`));
  await close();
});

test('write() says when to wait, and drain comes', async () => {
  let drains = 0;
  const { port, close } = await listen((req, res) => {
    let left = 50;
    const more = () => {
      while (left-- > 0) {
        if (!res.write(Buffer.alloc(100_000, 'x'))) return void res.once('drain', () => { drains++; more(); });
      }
      res.end();
    };
    more();
  });
  const res = await new Promise((resolve) => http.get({ port, host: '127.0.0.1', agent: false }, resolve));
  let size = 0;
  for await (const chunk of res) size += chunk.length;
  assert.strictEqual(size, 5_000_000);
  assert.ok(drains > 0);
  await close();
});

test('an upgrade hands the socket over with what came behind it', async () => {
  const { server, port, close } = await listen();
  server.on('upgrade', (req, socket, head) => {
    assert.ok(socket instanceof net.Socket);
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n[${head}]`);
    socket.on('end', () => socket.end());
  });
  const text = await exchange(port, `${get('/', 'Connection: upgrade\r\nUpgrade: echo\r\n')}head`, { until: /\[head\]/ });
  assert.match(text, /\[head\]/);
  await close();
});

test('a client that goes away is told of', async () => {
  const events = [];
  const gone = Promise.withResolvers();
  const { port, close } = await listen((req, res) => {
    req.on('aborted', () => events.push('aborted')).on('error', (error) => events.push(error.code));
    req.on('close', () => { events.push('close'); gone.resolve(); });
    res.on('close', () => events.push('res close'));
    req.resume();
  });
  const socket = net.connect(port, '127.0.0.1', () => {
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab`);
    setImmediate(() => setImmediate(() => socket.destroy()));
  });
  await gone.promise;
  assert.ok(events.includes('aborted') && events.includes('ECONNRESET') && events.includes('res close'), events.join());
  await close();
});

test('req.socket is one socket for the whole connection', async () => {
  const sockets = new Set();
  const { port, close } = await listen((req, res) => {
    sockets.add(req.socket);
    assert.strictEqual(req.socket, res.socket);
    assert.strictEqual(req.socket.remoteAddress, '127.0.0.1');
    assert.strictEqual(req.socket.localPort, port);
    res.end();
  });
  await exchange(port, get('/') + get('/', last));
  assert.strictEqual(sockets.size, 1);
  await close();
});

test('headers that do not come in time: 408', async () => {
  const { port, close } = await listen(undefined, { headersTimeout: 20, requestTimeout: 40, connectionsCheckingInterval: 10 });
  assert.match(await exchange(port, 'GET / HTTP/1.1\r\nHost:'), /^HTTP\/1\.1 408 /);
  assert.match(await exchange(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab'), /^HTTP\/1\.1 408 /);
  await close();
});

test('idle connections are closed', async () => {
  const { port, close } = await listen(undefined, { keepAliveTimeout: 10, keepAliveTimeoutBuffer: 0 });
  assert.match(await exchange(port, get('/')), /ok$/);
  await close();
});

test('server.setTimeout(): a silent connection times out, also amid a request', async () => {
  const told = [];
  const { server, port, close } = await listen((req, res) => res.flushHeaders());
  server.setTimeout(10, (socket) => {
    told.push(socket.remoteAddress);
    socket.destroy();
  });
  assert.strictEqual(await exchange(port, 'GET'), '');
  assert.match(await exchange(port, get('/')), /^HTTP\/1\.1 200 OK/);
  assert.deepStrictEqual(told, ['127.0.0.1', '127.0.0.1']);
  await close();
});

test('listeners of \'connection\' get the socket that requests have, and may push input', async () => {
  let socket;
  const { server, port, close } = await listen((req, res) => {
    assert.strictEqual(req.socket, socket);
    res.end(`<${req.url}>`);
  });
  server.on('connection', (connected) => {
    socket = connected;
    socket.push(get('/pushed'));
  });
  const text = await exchange(port, '', { until: /<\/pushed>/ });
  assert.match(text, /<\/pushed>/);
  await close();
});
