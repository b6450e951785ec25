// Whole buffers: there and back with each codec, limits, and what broken input gets.
import assert from 'node:assert';
import zlib from 'node:zlib';
import { promisify } from 'node:util';
import { test } from '../../../test/harness.mjs';

const text = Buffer.from('hello hello hello '.repeat(5000));
const codecs = [['gzip', 'gunzip'], ['deflate', 'inflate'], ['deflateRaw', 'inflateRaw'], ['gzip', 'unzip'],
  ['brotliCompress', 'brotliDecompress'], ['zstdCompress', 'zstdDecompress']];

test('there and back, here and on the lane', async () => {
  for (const [forward, back] of codecs) {
    for (const input of [Buffer.alloc(0), Buffer.from('a'), text]) {
      const packed = zlib[`${forward}Sync`](input);
      assert.deepStrictEqual(zlib[`${back}Sync`](packed), input, `${forward} ${input.length}`);
      assert.deepStrictEqual(await promisify(zlib[back])(await promisify(zlib[forward])(input)), input);
    }
  }
});

test('a bomb stops at the limit', async () => {
  const bomb = zlib.gzipSync(Buffer.alloc(50 << 20));
  assert.throws(() => zlib.gunzipSync(bomb, { maxOutputLength: 1000 }), { code: 'ERR_BUFFER_TOO_LARGE' });
  await assert.rejects(promisify(zlib.gunzip)(bomb, { maxOutputLength: 1000 }), { code: 'ERR_BUFFER_TOO_LARGE' });
  for (const [forward, back] of codecs) {
    const packed = zlib[`${forward}Sync`](text);
    assert.strictEqual(zlib[`${back}Sync`](packed, { maxOutputLength: text.length }).length, text.length);
    assert.throws(() => zlib[`${back}Sync`](packed, { maxOutputLength: text.length - 1 }),
      { code: 'ERR_BUFFER_TOO_LARGE' });
  }
});

test('truncated and broken input', () => {
  for (const [forward, back] of codecs) {
    const packed = zlib[`${forward}Sync`](text);
    assert.throws(() => zlib[`${back}Sync`](packed.subarray(0, -3)), { code: 'Z_BUF_ERROR', errno: -5 }, forward);
  }
  assert.throws(() => zlib.gunzipSync(Buffer.from('plain text')), { code: 'Z_DATA_ERROR', errno: -3 });
  assert.throws(() => zlib.inflateSync(zlib.deflateSync('a', { dictionary: Buffer.from('abc') })),
    { code: 'Z_NEED_DICT' });
});

test('members one after another, and padding', () => {
  const two = Buffer.concat([zlib.gzipSync('a'), zlib.gzipSync('b'), Buffer.alloc(7)]);
  assert.strictEqual(zlib.gunzipSync(two).toString(), 'ab');
});

test('an output that fills its block exactly ends once', () => {
  for (const [forward, back] of codecs) {
    for (const length of [16384, 32768, 65536]) {
      const input = Buffer.alloc(length, 'x');
      assert.strictEqual(zlib[`${back}Sync`](zlib[`${forward}Sync`](input), { chunkSize: 16384 }).length, length);
    }
  }
});

test('options out of range', () => {
  assert.throws(() => zlib.gzipSync('', { level: 10 }), { code: 'ERR_OUT_OF_RANGE' });
  assert.throws(() => zlib.brotliCompressSync('', { params: { 99: 1 } }), { code: 'ERR_BROTLI_INVALID_PARAM' });
  assert.throws(() => zlib.gzip(''), { code: 'ERR_INVALID_ARG_TYPE' });
  assert.strictEqual(zlib.crc32('hello'), 0x3610a686);
});
