import assert from 'node:assert';
import { StringDecoder } from 'node:string_decoder';
import { test } from '../../../test/harness.mjs';

test('a UTF-8 character cut at every byte comes out whole', () => {
  const bytes = Buffer.from('a€😀é');
  const decoder = new StringDecoder('utf8');
  let text = '';
  for (const byte of bytes) text += decoder.write(Buffer.from([byte]));
  assert.strictEqual(text + decoder.end(), 'a€😀é');
});

test('an unfinished character becomes a replacement at the end', () => {
  const decoder = new StringDecoder();
  assert.strictEqual(decoder.write(Buffer.from([0xe2, 0x82])), '');
  assert.strictEqual(decoder.lastNeed, 1);
  assert.strictEqual(decoder.end(), '\ufffd');
  assert.strictEqual(decoder.end(), '');
});

test('UTF-16 keeps a high surrogate for its partner', () => {
  const decoder = new StringDecoder('utf16le');
  assert.strictEqual(decoder.write(Buffer.from('3dd8', 'hex')), '');
  assert.strictEqual(decoder.write(Buffer.from('4ddc', 'hex')), '\ud83d\udc4d');
});

test('base64 comes in groups of three bytes', () => {
  const decoder = new StringDecoder('base64');
  assert.strictEqual(decoder.write(Buffer.from('ab')), '');
  assert.strictEqual(decoder.write(Buffer.from('cd')), 'YWJj');
  assert.strictEqual(decoder.end(), 'ZA==');
});

test('unknown encodings and things that are no bytes are refused', () => {
  assert.throws(() => new StringDecoder('nope'), { code: 'ERR_UNKNOWN_ENCODING' });
  assert.throws(() => new StringDecoder().write(null), { code: 'ERR_INVALID_ARG_TYPE' });
});
