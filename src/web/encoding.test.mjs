import assert from 'node:assert';
import { test } from '../../test/harness.mjs';

const bytes = (...values) => new Uint8Array(values);

test('TextEncoder, short and long, with lone surrogates', () => {
  const encoder = new TextEncoder();
  for (const text of ['', 'h\u00e9llo', 'x'.repeat(100) + '\u20ac', '\u{1f600}', 'a\ud800b']) {
    assert.deepStrictEqual(Buffer.from(encoder.encode(text)), Buffer.from(text), text);
  }
  assert.deepStrictEqual(encoder.encodeInto('a\u20ac\u{1f600}', new Uint8Array(6)), { read: 2, written: 4 });
});

test('UTF-8 decodes in pieces, without its mark', () => {
  const decoder = new TextDecoder();
  assert.strictEqual(decoder.decode(bytes(0xef, 0xbb), { stream: true }), '');
  assert.strictEqual(decoder.decode(bytes(0xbf, 0xe2, 0x82), { stream: true }), '');
  assert.strictEqual(decoder.decode(bytes(0xac, 0xf0), { stream: true }), '\u20ac');
  assert.strictEqual(decoder.decode(), '\ufffd');
  assert.strictEqual(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes(0xef, 0xbb, 0xbf)), '\ufeff');
});

test('fatal decoders throw', () => {
  for (const [label, data] of [['utf-8', bytes(0xff)], ['utf-16le', bytes(0, 0xd8)], ['shift_jis', bytes(0x81)]]) {
    assert.throws(() => new TextDecoder(label, { fatal: true }).decode(data), {
      code: 'ERR_ENCODING_INVALID_ENCODED_DATA', name: 'TypeError',
    });
  }
});

test('labels and legacy encodings', () => {
  assert.strictEqual(new TextDecoder(' LATIN1\n').encoding, 'windows-1252');
  assert.strictEqual(new TextDecoder('latin1').decode(bytes(0x80)), '\u20ac');
  assert.strictEqual(new TextDecoder('koi8-r').decode(bytes(0xc1)), '\u0430');
  assert.strictEqual(new TextDecoder('gbk').decode(bytes(0xc4, 0xe3)), '\u4f60');
  assert.strictEqual(new TextDecoder('utf-16be').decode(bytes(0, 0x41, 0xd8)), 'A\ufffd');
  assert.throws(() => new TextDecoder('utf-7'), { code: 'ERR_ENCODING_NOT_SUPPORTED', name: 'RangeError' });
});
