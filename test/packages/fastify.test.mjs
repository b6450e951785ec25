import assert from 'node:assert';
import Fastify from 'fastify';
import fastifyStatic from '@fastify/static';
import { test } from '../harness.mjs';

const app = Fastify({ logger: false });
const schema = { response: { 200: { type: 'object', properties: { id: { type: 'string' } } } } };
app.get('/books/:id', { schema }, async (req) => ({ id: req.params.id, hidden: 1 }));
app.post('/echo', async (req, reply) => {
  reply.code(201);
  return req.body;
});
app.register(fastifyStatic, { root: import.meta.dirname, prefix: '/static/' });
app.get('/boom', async () => { throw new Error('boom'); });
app.setErrorHandler((error, req, reply) => reply.code(error.statusCode ?? 500).send({ error: error.message }));
const base = await app.listen({ port: 0, host: '127.0.0.1' });
const post = (body) => fetch(`${base}/echo`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });

await test('fastify: a route with a parameter, its answer by a schema', async () => {
  assert.deepStrictEqual(await (await fetch(`${base}/books/7`)).json(), { id: '7' });
});
await test('fastify: a JSON body', async () => {
  const res = await post('{"a":[1,2]}');
  assert.strictEqual(res.status, 201);
  assert.deepStrictEqual(await res.json(), { a: [1, 2] });
});
await test('fastify: a body that is not JSON', async () => {
  assert.strictEqual((await post('{bad')).status, 400);
});
await test('fastify: a static file', async () => {
  const res = await fetch(`${base}/static/package.json`);
  assert.strictEqual(res.status, 200);
  assert.strictEqual((await res.json()).name, 'gyre-package-tests');
});
await test('fastify: an error handler', async () => {
  const res = await fetch(`${base}/boom`);
  assert.strictEqual(res.status, 500);
  assert.deepStrictEqual(await res.json(), { error: 'boom' });
});
await test('fastify: inject', async () => {
  assert.strictEqual((await app.inject('/books/9')).body, '{"id":"9"}');
});
await app.close();
