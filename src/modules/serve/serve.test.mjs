import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
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
await test('serve: bad options are refused with status 9', async () => {
  for (const args of [['--port', 'x'], ['--nope'], []]) {
    const bad = spawn(process.execPath, ['serve', ...(args.length ? [app] : []), ...args], { stdio: 'ignore' });
    assert.deepStrictEqual(await once(bad, 'exit'), [9, null]);
  }
});
rmSync(folder, { recursive: true });
