import assert from 'node:assert';
import { Buffer, transcode, isAscii, isUtf8 } from 'node:buffer';
import { test } from '../../../test/harness.mjs';

test('every encoding reads what it writes', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  for (const encoding of ['latin1', 'hex', 'base64', 'base64url', 'utf16le']) {
    assert.deepStrictEqual(Buffer.from(bytes.toString(encoding), encoding), bytes, encoding);
  }
  const text = 'a\u00e9\u20ac\u{1f600}'.repeat(700);
  for (const encoding of ['utf8', 'utf16le']) assert.strictEqual(Buffer.from(text, encoding).toString(encoding), text);
});

test('malformed UTF-8 becomes replacement characters, lone surrogates too', () => {
  assert.strictEqual(Buffer.from([0x41, 0xe2, 0x28, 0xff]).toString(), 'A\ufffd(\ufffd');
  assert.strictEqual(Buffer.from('a\ud800b').toString('hex'), '61efbfbd62');
  assert.strictEqual(Buffer.byteLength('\udc00'), 3);
});

test('base64 is lenient and stops at padding', () => {
  assert.strictEqual(Buffer.from('YW\n Jj*ZA==ignored', 'base64').toString(), 'abcd');
  assert.strictEqual(Buffer.from('Y-_/+w', 'base64').toString('hex'), '63effffb');
  assert.strictEqual(Buffer.from('x'.repeat(99) + '*', 'base64').length, 74);
});

test('hexadecimal stops at the first bad pair', () => {
  assert.strictEqual(Buffer.from('abxxcd', 'hex').length, 1);
});

test('a write never splits a character', () => {
  const target = Buffer.alloc(5);
  assert.strictEqual(target.write('\u20ac\u20ac'), 3);
  assert.strictEqual(target.write('\u00e9\u00e9\u00e9'), 4);
  assert.strictEqual(target.write('abc', 1, 'ucs2'), 4);
});

test('strings of a megabyte and more survive', () => {
  const ascii = 'x'.repeat(1 << 21);
  assert.strictEqual(Buffer.from(ascii).toString(), ascii);
  const wide = '\u20ac'.repeat(1 << 20);
  assert.strictEqual(Buffer.from(wide).toString(), wide);
  assert.strictEqual(Buffer.from(ascii).toString('latin1').length, 1 << 21);
});

test('unknown encodings and offsets out of range have their codes', () => {
  assert.throws(() => Buffer.from('a', 'nope'), { code: 'ERR_UNKNOWN_ENCODING', name: 'TypeError' });
  assert.throws(() => Buffer.alloc(2).utf8Slice(1, 5), { code: 'ERR_OUT_OF_RANGE' });
  assert.throws(() => Buffer.alloc(2).latin1Write('abc', 0, 3), { code: 'ERR_BUFFER_OUT_OF_BOUNDS' });
});

test('atob and btoa', () => {
  assert.strictEqual(btoa('\u00ff\u0000a'), '/wBh');
  assert.strictEqual(atob(' YW Jj\n'), 'abc');
  assert.throws(() => btoa('\u0100'), { name: 'InvalidCharacterError' });
  assert.throws(() => atob('a==='), { name: 'InvalidCharacterError', message: 'Invalid character' });
  assert.throws(() => atob('a'), /not correctly encoded/);
});

test('transcode, isUtf8, isAscii', () => {
  assert.strictEqual(transcode(Buffer.from('\u20aca'), 'utf8', 'latin1').toString('latin1'), '?a');
  assert.ok(isUtf8(Buffer.from('\u20ac')));
  assert.ok(!isUtf8(Buffer.from([0xff])));
  assert.ok(!isAscii(Buffer.from('\u00e9')));
});
