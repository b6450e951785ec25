// CRC-32 of all lengths around its lanes, in one go and in pieces, and as gzip's check.
import assert from 'node:assert';
import zlib from 'node:zlib';
import { test } from '../../../test/harness.mjs';

const bytes = Buffer.from(Array.from({ length: 700 }, (_, i) => (i * 7919 + (i >> 3)) & 255));

/** The definition, bit by bit. */
function slowly(data) {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

test('every length, from every alignment', () => {
  for (let size = 0; size <= 300; size++) {
    const data = bytes.subarray(size % 17, size % 17 + size);
    assert.strictEqual(zlib.crc32(data), slowly(data), `${size} bytes`);
  }
});

test('in pieces', () => {
  for (const cut of [0, 1, 63, 64, 65, 128, 200, 699]) {
    assert.strictEqual(zlib.crc32(bytes.subarray(cut), zlib.crc32(bytes.subarray(0, cut))), slowly(bytes), `cut at ${cut}`);
  }
});

test('gzip writes it and checks it', () => {
  for (const size of [0, 10, 64, 100, 700]) {
    const data = bytes.subarray(0, size);
    const packed = zlib.gzipSync(data);
    assert.strictEqual(packed.readUInt32LE(packed.length - 8), slowly(data));
    assert.deepStrictEqual(zlib.gunzipSync(packed), Buffer.from(data));
    packed[packed.length - 8] ^= 1;
    assert.throws(() => zlib.gunzipSync(packed), { code: 'Z_DATA_ERROR', message: 'incorrect data check' });
  }
});
