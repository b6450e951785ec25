import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '../../../test/harness.mjs';

const folder = mkdtempSync(join(tmpdir(), 'gyre-serve-'));
const app = join(folder, 'app.mjs');
writeFileSync(app, `
export default {
  async fetch(request, info) {
    const { pathname } = new URL(request.url);
    if (pathname === '/json') return Response.json({ method: request.method, seen: request.headers.get('x-seen') });
    if (pathname === '/echo') return new Response(await request.text(), { status: 201, headers: [['x-a', 'b'], ['set-cookie', 'a=1'], ['set-cookie', 'b=2']] });
    if (pathname === '/clone') return new Response(await request.clone().text() + await request.text());
    if (pathname === '/stream') return new Response(new ReadableStream({ async start(c) {
      for (const part of ['a', 'b', 'c']) { c.enqueue(new TextEncoder().encode(part)); await new Promise((r) => setTimeout(r, 1)); }
      c.close();
    } }));
    if (pathname === '/boom') throw new Error('boom');
    if (pathname === '/bad') return 'no response';
    if (pathname === '/instances') return Response.json([request instanceof Request, new Response() instanceof Response]);
    if (pathname === '/slow') { await new Promise((r) => setTimeout(r, 300)); return new Response('finished'); }
    if (pathname === '/never') { console.error('begun'); await new Promise(() => {}); }
    if (pathname === '/status') { try { new Response('', { status: 99 }); } catch (e) { return new Response(e.name); } }
    if (pathname === '/header') { try { new Response('', { headers: { 'x y': '1' } }); } catch (e) { return new Response(e.name); } }
    if (pathname === '/fields') {
      const values = new URL(request.url).searchParams.getAll('v');
      return new Response('', { headers: values.map((value) => ['X-V', value]) });
    }
    return new Response(null, { status: 404 });
  },
  error: (error) => error.message === 'boom' ? new Response('mended', { status: 503 }) : Promise.reject(error),
};`);

async function serve(...args) {
  const child = spawn(process.execPath, ['serve', app, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.errors = '';
  child.stderr.on('data', (part) => { child.errors += part; });
  const [line] = await once(child.stdout, 'data');
  child.base = /http:\S+(?=\/)/.exec(String(line))?.[0];
  return child;
}

const child = await serve('--port', '0', '--host', '127.0.0.1');
const get = (path, options) => fetch(child.base + path, options);

await test('serve: fields that come again, change, and come twice in an answer', async () => {
  const ask = async (...values) => (await get(`/fields?${values.map((v) => `v=${encodeURIComponent(v)}`).join('&')}`)).headers.get('x-v');
  for (let i = 0; i < 4; i++) assert.strictEqual(await ask('a'), 'a');
  for (let i = 0; i < 3; i++) assert.strictEqual(await ask(' \u00e9 '), '\u00e9');
  for (let i = 0; i < 3; i++) assert.strictEqual(await ask('a', 'b'), 'a, b');
  assert.strictEqual(await ask('a'), 'a');
  assert.strictEqual(await ask('x'.repeat(100)), 'x'.repeat(100));
  assert.strictEqual((await get('/fields?v=a%0ab')).status, 500);
  assert.strictEqual(await ask('a'), 'a');
});

await test('serve: JSON, headers of the request', async () => {
  const res = await get('/json', { headers: { 'x-seen': 'yes' } });
  assert.strictEqual(res.headers.get('content-type'), 'application/json');
  assert.deepStrictEqual(await res.json(), { method: 'GET', seen: 'yes' });
});
await test('serve: a body in, a status and several cookies out', async () => {
  const res = await get('/echo', { method: 'POST', body: 'h\u00e9llo' });
  assert.deepStrictEqual([res.status, await res.text(), res.headers.get('x-a')], [201, 'h\u00e9llo', 'b']);
  assert.deepStrictEqual(res.headers.getSetCookie(), ['a=1', 'b=2']);
});
await test('serve: a request can be cloned', async () => {
  assert.strictEqual(await (await get('/clone', { method: 'POST', body: 'xy' })).text(), 'xyxy');
});
await test('serve: a stream as the body', async () => {
  assert.strictEqual(await (await get('/stream')).text(), 'abc');
});
await test('serve: instanceof holds', async () => {
  assert.deepStrictEqual(await (await get('/instances')).json(), [true, true]);
});
await test('serve: what a full Response refuses is refused', async () => {
  assert.strictEqual(await (await get('/status')).text(), 'RangeError');
  assert.strictEqual(await (await get('/header')).text(), 'TypeError');
});
await test('serve: error() answers for a handler that threw; else 500 and the error on stderr', async () => {
  const mended = await get('/boom');
  assert.deepStrictEqual([mended.status, await mended.text()], [503, 'mended']);
  const bad = await get('/bad');
  assert.deepStrictEqual([bad.status, await bad.text()], [500, 'Internal Server Error']);
  assert.match(child.errors, /must return a Response/);
});
await test('serve: SIGTERM finishes what runs, with Connection: close, and takes nothing new', async () => {
  const running = get('/slow');
  await new Promise((resolve) => setTimeout(resolve, 100));
  child.kill('SIGTERM');
  const res = await running;
  assert.strictEqual(await res.text(), 'finished');
  assert.strictEqual(res.headers.get('connection'), 'close');
  const [status] = await once(child, 'exit');
  assert.strictEqual(status, 0);
  await assert.rejects(get('/json'));
});
await test('serve: what has not finished when the grace is over is cut', async () => {
  const path = join(folder, 'grace');
  const other = await serve('--unix', path, '--grace', '0');
  const request = http.get({ socketPath: path, path: '/never' });
  const failed = once(request, 'error');
  while (!other.errors.includes('begun')) await once(other.stderr, 'data');
  const exited = once(other, 'exit');
  other.kill('SIGTERM');
  assert.strictEqual((await failed)[0].code, 'ECONNRESET');
  assert.deepStrictEqual(await exited, [0, null]);
  assert.match(other.errors, /closing what is left/);
});
await test('serve: on a Unix socket', async () => {
  const path = join(folder, 'socket');
  const other = await serve('--unix', path);
  const [res] = await once(http.get({ socketPath: path, path: '/json' }), 'response');
  assert.strictEqual(res.statusCode, 200);
  res.resume();
  other.kill('SIGKILL');
});

const plain = join(folder, 'plain.mjs');
writeFileSync(plain, `
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export default {
  fetch(request, info) {
    const path = request.url.replace(/^http:..[^/]*/, '');
    if (path === '/later') return later(20).then(() => new Response('later'));
    if (path === '/now') return Promise.resolve(new Response('now'));
    if (path === '/throw') throw new Error('thrown');
    if (path === '/reject') return Promise.reject(new Error('rejected'));
    if (path === '/stream') return new Response(new Blob(['streamed']).stream());
    if (path === '/broken') return new Response(new ReadableStream({ pull() { throw new Error('broken'); } }));
    if (path === '/info') return new Response(info.remoteAddr.hostname);
    if (path === '/headers') return Response.json([...request.headers]);
    if (path === '/typed') return Response.json({}, { headers: { 'Content-Type': 'text/x' } });
    if (path === '/length') return new Response('abc', { headers: { 'content-length': '3', 'x-a': '1' } });
    if (path === '/body') return new Response(String(request.body));
    if (path === '/wait') {
      request.signal.addEventListener('abort', () => console.error('aborted'));
      return new Promise(() => {});
    }
    if (path === '/stuck') {
      console.error('stuck');
      return later(50).then(() => (console.error('given ' + request.signal.aborted), new Response(new ReadableStream({ cancel() { console.error('canceled'); } }))));
    }
    return new Response(request.url);
  },
  error: (error) => new Response(error.message, { status: 500 }),
};`);

/** What a server says to these bytes, all sent at once, until it closes or says nothing more. */
async function raw(base, text) {
  const { port, hostname } = new URL(base);
  const socket = net.connect(port, hostname);
  socket.write(text);
  let said = '';
  for await (const part of socket.setEncoding('latin1')) said += part;
  return said;
}

/** Status and body of each of several answers. */
function answers(said) {
  const found = [];
  while (said !== '') {
    const [head, ...rest] = said.split('\r\n\r\n');
    const body = rest.join('\r\n\r\n');
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? NaN);
    if (Number.isNaN(length)) {
      const [, size] = /^([0-9a-f]+)\r\n/.exec(body);
      const start = size.length + 2;
      const end = start + parseInt(size, 16);
      found.push([Number(head.slice(9, 12)), body.slice(start, end)]);
      said = body.slice(end + '\r\n0\r\n\r\n'.length);
    } else {
      found.push([Number(head.slice(9, 12)), body.slice(0, length)]);
      said = body.slice(length);
    }
  }
  return found;
}

async function servePlain() {
  const server = spawn(process.execPath, ['serve', plain, '--port', '0', '--host', '127.0.0.1'], { stdio: ['ignore', 'pipe', 'pipe'] });
  server.errors = '';
  server.stderr.on('data', (part) => { server.errors += part; });
  const [line] = await once(server.stdout, 'data');
  server.base = /http:\S+(?=\/)/.exec(String(line))[0];
  return server;
}

const other = await servePlain();
const ask = (path, more = '') => `GET ${path} HTTP/1.1\r\nHost: h\r\n${more}\r\n`;

await test('serve: pipelined answers keep their order, whether they come at once, later, in pieces or as errors', async () => {
  const paths = ['/a', '/later', '/b', '/now', '/throw', '/stream', '/reject', '/later', '/c'];
  const said = await raw(other.base, paths.map((path) => ask(path)).join('') + ask('/last', 'Connection: close\r\n'));
  assert.deepStrictEqual(answers(said), [
    [200, 'http://h/a'], [200, 'later'], [200, 'http://h/b'], [200, 'now'], [500, 'thrown'], [200, 'streamed'],
    [500, 'rejected'], [200, 'later'], [200, 'http://h/c'], [200, 'http://h/last'],
  ]);
});
await test('serve: the URL is what a URL makes of host and target', async () => {
  const hosts = ['h', 'H.Example:80', 'h:8080', '[::1]:3', '1.2.3'];
  const targets = ['/', '/a/b?c=d&e', '/a/../b', '/a/./b', '/.a', '/a.', '/a/..', '/a/.', '/..?x', '/%2e%2e/a', '/a%41', '/a?b/../c',
    '//x/y', '/a//b', "/it's?it's", '/a|b', '/a\\b', '/a"b', '/a?%zz', '/a{}', '/a;b=c', '/~a_b!$&()*+,', '/a:b@c'];
  for (const host of hosts) {
    for (const target of targets) {
      const said = await raw(other.base, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      if (/^HTTP\/1.1 400/.test(said)) continue;
      assert.strictEqual(answers(said)[0][1], new URL(`http://${host}${target}`).href, `${host} ${target}`);
    }
  }
});
await test('serve: what a request without a body is asked for before anything is made for it', async () => {
  const said = await raw(other.base, ['/info', '/headers', '/typed', '/length', '/body'].map((path) => ask(path, 'X-Twice: 1\r\nx-twice: 2\r\n')).join('') +
    ask('/x', 'Connection: close\r\n'));
  assert.deepStrictEqual(answers(said).map(([, body]) => body),
    ['127.0.0.1', '[["host","h"],["x-twice","1, 2"]]', '{}', 'abc', 'null', 'http://h/x']);
  assert.match(said, /^content-type: text\/x\r$/m);
  assert.match(said, /^x-a: 1\r$/m);
  assert.deepStrictEqual(answers(await raw(other.base, ask('/broken', 'Connection: close\r\n'))), [[500, 'Internal Server Error']]);
  const head = await raw(other.base, 'HEAD /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
  assert.match(head, /^content-length: 10\r$/im);
  assert.ok(head.endsWith('\r\n\r\n'));
});
await test('serve: a client that goes away aborts the signal, ends the stream that it would have got, and harms nobody', async () => {
  const { port } = new URL(other.base);
  for (const path of ['/wait', '/stuck']) {
    const socket = net.connect(port, '127.0.0.1');
    socket.write(ask(path));
    if (path === '/stuck') while (!other.errors.includes('stuck')) await once(other.stderr, 'data');
    else await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
  }
  while (!other.errors.includes('canceled')) await once(other.stderr, 'data');
  assert.match(other.errors, /^aborted$/m);
  assert.match(other.errors, /^given true$/m);
  assert.match(await raw(other.base, ask('/x', 'Connection: close\r\n')), /http:..h.x$/);
});
await test('serve: SIGTERM closes a connection whose answer was under way, at once', async () => {
  const { port } = new URL(other.base);
  const socket = net.connect(port, '127.0.0.1');
  socket.write(ask('/stuck'));
  other.errors = '';
  while (!other.errors.includes('stuck')) await once(other.stderr, 'data');
  other.kill('SIGTERM');
  const [first] = await once(socket, 'data');
  assert.match(String(first), /^connection: close\r$/im);
  socket.destroy();
  assert.deepStrictEqual(await once(other, 'exit'), [0, null]);
});
await test('serve: bad options are refused with status 9', async () => {
  for (const args of [['--port', 'x'], ['--nope'], []]) {
    const bad = spawn(process.execPath, ['serve', ...(args.length ? [app] : []), ...args], { stdio: 'ignore' });
    assert.deepStrictEqual(await once(bad, 'exit'), [9, null]);
  }
});
rmSync(folder, { recursive: true });
