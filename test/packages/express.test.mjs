import assert from 'node:assert';
import { statSync } from 'node:fs';
import { once } from 'node:events';
import express from 'express';
import { test } from '../harness.mjs';

const app = express();
app.use(express.json());
const router = express.Router();
router.get('/books/:id', (req, res) => res.json({ id: req.params.id, query: req.query }));
app.use('/api', router);
app.post('/echo', (req, res) => res.status(201).json(req.body));
app.use('/static', express.static(import.meta.dirname));
app.get('/boom', () => { throw new Error('boom'); });
app.use((error, req, res, next) => res.status(error.status ?? 500).json({ error: error.message }));
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const base = `http://127.0.0.1:${server.address().port}`;
const post = (body) => fetch(`${base}/echo`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });

await test('express: a router with a parameter and a query', async () => {
  const res = await fetch(`${base}/api/books/7?x=1`);
  assert.deepStrictEqual(await res.json(), { id: '7', query: { x: '1' } });
});
await test('express: a JSON body', async () => {
  const res = await post('{"a":[1,2]}');
  assert.strictEqual(res.status, 201);
  assert.deepStrictEqual(await res.json(), { a: [1, 2] });
});
await test('express: a body that is not JSON', async () => {
  assert.strictEqual((await post('{bad')).status, 400);
});
await test('express: a static file', async () => {
  const res = await fetch(`${base}/static/package.json`);
  assert.match(res.headers.get('content-type'), /^application\/json/);
  assert.strictEqual((await res.text()).length, statSync(`${import.meta.dirname}/package.json`).size);
});
await test('express: an error handler', async () => {
  const res = await fetch(`${base}/boom`);
  assert.strictEqual(res.status, 500);
  assert.deepStrictEqual(await res.json(), { error: 'boom' });
});
await test('express: nothing there', async () => {
  assert.strictEqual((await fetch(`${base}/nope`)).status, 404);
});
server.close();
server.closeAllConnections();
