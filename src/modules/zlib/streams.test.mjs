// Streams: pieces, flushes, back-pressure, errors and ends.
import assert from 'node:assert';
import zlib from 'node:zlib';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from '../../../test/harness.mjs';

async function collect(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test('pieces of any size', async () => {
  const text = Buffer.from('pieces of any size '.repeat(3000));
  const packed = zlib.gzipSync(text);
  for (const size of [1, 7, 1000]) {
    const pieces = [];
    for (let i = 0; i < packed.length; i += size) pieces.push(packed.subarray(i, i + size));
    assert.deepStrictEqual(await collect(Readable.from(pieces).pipe(zlib.createUnzip())), text);
  }
});

test('a flush lets the reader have what was written', async () => {
  const gzip = zlib.createGzip();
  const gunzip = zlib.createGunzip();
  gzip.pipe(gunzip);
  gzip.write('now');
  gzip.flush();
  const [chunk] = await once(gunzip, 'data');
  assert.strictEqual(chunk.toString(), 'now');
  gzip.destroy();
  gunzip.destroy();
});

test('a reader that does not read stops the decoder', async () => {
  const gunzip = zlib.createGunzip();
  gunzip.end(zlib.gzipSync(Buffer.alloc(20 << 20)));
  await once(gunzip, 'readable');
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(gunzip.readableLength <= gunzip.readableHighWaterMark + 16384);
  assert.strictEqual((await collect(gunzip)).length, 20 << 20);
});

test('broken data destroys the stream', async () => {
  await assert.rejects(pipeline(Readable.from([Buffer.from('plain text')]), zlib.createGunzip(), (s) => collect(s)),
    { code: 'Z_DATA_ERROR' });
});

test('closing while a chunk is on the lane', async () => {
  const gzip = zlib.createGzip();
  gzip.write(Buffer.alloc(1 << 20));
  gzip.close();
  await once(gzip, 'close');
  assert.ok(gzip._closed);
});

test('level and strategy may change, and the stream may start anew', async () => {
  const deflate = zlib.createDeflate({ level: 9 });
  const done = collect(deflate.pipe(zlib.createInflate()));
  deflate.write('first ');
  await new Promise((resolve) => deflate.params(0, zlib.constants.Z_DEFAULT_STRATEGY, resolve));
  deflate.end('second');
  assert.strictEqual((await done).toString(), 'first second');
});
