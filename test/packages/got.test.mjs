import assert from 'node:assert';
import http from 'node:http';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import got from 'got';
import { test } from '../harness.mjs';

const server = http.createServer(async (request, response) => {
  if (request.url === '/moved') return response.writeHead(302, { location: '/here' }).end();
  const parts = await request.toArray();
  const answer = JSON.stringify({ method: request.method, url: request.url, body: Buffer.concat(parts).toString() });
  response.writeHead(request.url === '/missing' ? 404 : 200, { 'content-encoding': 'gzip' });
  response.end(gzipSync(answer));
}).listen(0);
await once(server, 'listening');
const base = `http://127.0.0.1:${server.address().port}`;

await test('got: JSON both ways, compressed', async () => {
  assert.deepStrictEqual(await got.post(`${base}/a`, { json: { b: 1 } }).json(),
                         { method: 'POST', url: '/a', body: '{"b":1}' });
});

await test('got: a redirect, a stream, an error', async () => {
  assert.strictEqual((await got(`${base}/moved`).json()).url, '/here');
  let text = '';
  for await (const chunk of got.stream(`${base}/s`)) text += chunk;
  assert.match(text, /"url":"\/s"/);
  await assert.rejects(got(`${base}/missing`, { retry: { limit: 0 } }), { code: 'ERR_NON_2XX_3XX_RESPONSE' });
});

server.close();
server.closeAllConnections();
