import assert from 'node:assert';
import { once } from 'node:events';
import http from 'node:http';
import zlib from 'node:zlib';
import { test } from '../../test/harness.mjs';

const coders = {
  'gzip': zlib.gzipSync, 'x-gzip': zlib.gzipSync, 'deflate': zlib.deflateSync, 'br': zlib.brotliCompressSync,
  'zstd': zlib.zstdCompressSync,
};
const text = 'hello '.repeat(1000);

/** Answers with what `answers` has under the request's path: [coding, bytes]. */
async function serving(answers, use) {
  const server = http.createServer((req, res) => {
    const [coding, bytes] = answers[req.url.slice(1)];
    res.writeHead(200, { 'content-encoding': coding });
    res.end(bytes);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await use((name) => fetch(`http://127.0.0.1:${server.address().port}/${name}`));
  server.closeAllConnections();
  server.close();
}

test('bodies of every coding, also of several', async () => {
  const answers = {
    raw: ['deflate', zlib.deflateRawSync(text)],
    twice: ['gzip, br', zlib.brotliCompressSync(zlib.gzipSync(text))],
    unknown: ['made-up', text],
  };
  for (const [coding, encode] of Object.entries(coders)) answers[coding] = [coding, encode(text)];
  await serving(answers, async (get) => {
    for (const name of Object.keys(answers)) assert.strictEqual(await (await get(name)).text(), text, name);
  });
});

test('truncated bodies and what is not of the coding are errors', async () => {
  const answers = {};
  for (const [coding, encode] of Object.entries(coders)) {
    const bytes = encode(text);
    answers[`${coding} half`] = [coding, bytes.subarray(0, bytes.length >> 1)];
    answers[`${coding} garbage`] = [coding, 'nothing of the kind'];
  }
  // Browsers take what there is of these without a complaint; so does undici, and so does Node.js.
  const lenient = ['gzip half', 'x-gzip half', 'deflate half', 'br half'];
  await serving(Object.fromEntries(Object.entries(answers).map(([k, v]) => [k.replace(' ', '-'), v])), async (get) => {
    for (const name of Object.keys(answers)) {
      const body = (await get(name.replace(' ', '-'))).text();
      if (lenient.includes(name)) assert.ok(text.startsWith(await body), name);
      else await assert.rejects(body, { name: 'TypeError', message: 'terminated' }, name);
    }
  });
});

test("an error of brotli has Node's code", () => {
  const garbage = Buffer.from('not brotli at all, really');
  assert.throws(() => zlib.brotliDecompressSync(garbage), { code: /^ERR__ERROR_FORMAT_/ });
});

test('a body that grows without end waits for its reader', async () => {
  const zeros = Buffer.alloc(64 << 20);
  const answers = {
    gzip: ['gzip', zlib.gzipSync(zeros, { level: 1 })],
    br: ['br', zlib.brotliCompressSync(zeros, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })],
    zstd: ['zstd', zlib.zstdCompressSync(zeros)],
  };
  await serving(answers, async (get) => {
    for (const name of Object.keys(answers)) {
      const before = process.memoryUsage().arrayBuffers;
      const reader = (await get(name)).body.getReader();
      await reader.read();
      for (let i = 0; i < 20; i++) await new Promise(setImmediate);
      assert.ok(process.memoryUsage().arrayBuffers - before < 16 << 20, name);
      await reader.cancel();
    }
  });
});
