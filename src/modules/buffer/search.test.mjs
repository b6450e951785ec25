import assert from 'node:assert';
import { Buffer } from 'node:buffer';
import { test } from '../../../test/harness.mjs';

test('indexOf and lastIndexOf clamp offsets as strings do', () => {
  const buffer = Buffer.from('abcabcabc');
  assert.strictEqual(buffer.indexOf('abc', 1), 3);
  assert.strictEqual(buffer.indexOf('abc', -3), 6);
  assert.strictEqual(buffer.indexOf('c', 9), -1);
  assert.strictEqual(buffer.indexOf('', 5), 5);
  assert.strictEqual(buffer.lastIndexOf('abc'), 6);
  assert.strictEqual(buffer.lastIndexOf('abc', 5), 3);
  assert.strictEqual(buffer.lastIndexOf('abc', -7), 0);
  assert.strictEqual(buffer.lastIndexOf('', 99), 9);
  assert.strictEqual(buffer.indexOf(0x63), 2);
  assert.strictEqual(buffer.indexOf(Buffer.from('bc'), 2), 4);
  assert.ok(buffer.includes('cab'));
});

test('UTF-16 matches begin at even places', () => {
  const buffer = Buffer.from('\u0041\u4100\u0041', 'utf16le');
  assert.strictEqual(buffer.indexOf('\u0041', 2, 'utf16le'), 4);
  assert.strictEqual(buffer.lastIndexOf('\u0041', undefined, 'utf16le'), 4);
});

test('a value of another type is refused', () => {
  assert.throws(() => Buffer.from('a').indexOf(null), { code: 'ERR_INVALID_ARG_TYPE' });
  assert.throws(() => Buffer.from('a').indexOf('a', 0, 'nope'), { code: 'ERR_UNKNOWN_ENCODING' });
});
