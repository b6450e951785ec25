import assert from 'node:assert';
import { once } from 'node:events';
import Koa from 'koa';
import { test } from '../harness.mjs';

const app = new Koa();
app.silent = true;
app.use(async (context, next) => {
  await next();
  context.set('x-after', 'yes');
});
app.use(async (context) => {
  if (context.path === '/error') context.throw(418, 'teapot');
  context.body = { path: context.path, query: context.query };
});
const server = app.listen(0);
await once(server, 'listening');
const base = `http://127.0.0.1:${server.address().port}`;

await test('koa: middleware around a JSON answer', async () => {
  const response = await fetch(`${base}/a?b=1`);
  assert.strictEqual(response.headers.get('x-after'), 'yes');
  assert.deepStrictEqual(await response.json(), { path: '/a', query: { b: '1' } });
});

await test('koa: an error with a status', async () => {
  const response = await fetch(`${base}/error`);
  assert.deepStrictEqual([response.status, await response.text()], [418, 'teapot']);
});

server.close();
server.closeAllConnections();
