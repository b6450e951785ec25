import assert from 'node:assert';
import http from 'node:http';
import { test } from '../../test/harness.mjs';

const server = http.createServer((request, response) => {
  if (request.url === '/redirect') {
    response.writeHead(302, { location: '/echo' }).end();
    return;
  }
  response.setHeader('x-method', request.method);
  response.setHeader('content-type', 'text/plain');
  request.pipe(response);
});
await new Promise((resolve) => server.listen(0, resolve));
const base = `http://localhost:${server.address().port}`;

await test('a body goes there and back', async () => {
  const response = await fetch(`${base}/echo`, { method: 'POST', body: 'h\u00e9llo' });
  assert.strictEqual(response.status, 200);
  assert.strictEqual(response.headers.get('x-method'), 'POST');
  assert.strictEqual(await response.text(), 'h\u00e9llo');
});

await test('redirects are followed, forms are encoded', async () => {
  const response = await fetch(`${base}/redirect`);
  assert.ok(response.redirected);
  assert.strictEqual(await response.text(), '');
  const form = new FormData();
  form.append('f', new File(['content'], 'name.txt'));
  const text = await (await fetch(`${base}/echo`, { method: 'POST', body: form })).text();
  assert.match(text, /filename="name\.txt"[^]*content/);
});

await test('an abort and a refused connection reject', async () => {
  await assert.rejects(fetch(base, { signal: AbortSignal.abort() }), { name: 'AbortError' });
  await assert.rejects(fetch('http://127.0.0.1:1/'), (error) => error.message === 'fetch failed' && error.cause !== undefined);
});

server.close();
server.closeAllConnections();
