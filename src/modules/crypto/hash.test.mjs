// Digests and MACs: known answers, pieces, copies, states, encodings.
import assert from 'node:assert';
import crypto from 'node:crypto';
import { test } from '../../../test/harness.mjs';

const message = Buffer.alloc(300, 7);

test('one piece and several give the same digest', () => {
  const once = crypto.createHash('sha256').update(message).digest('hex');
  const pieces = crypto.createHash('sha256');
  for (let i = 0; i < 300; i += 50) pieces.update(message.subarray(i, i + 50));
  assert.strictEqual(pieces.digest('hex'), once);
  assert.strictEqual(crypto.hash('sha256', message), once);
});

test('a buffer may change once update() has returned', () => {
  const buffer = Buffer.from('abc');
  const hash = crypto.createHash('sha1').update(buffer);
  buffer.fill(0);
  assert.strictEqual(hash.digest('hex'), 'a9993e364706816aba3e25717850c26c9cd0d89d');
});

test('a key may change once createHmac() has returned', () => {
  const key = Buffer.from('key');
  const hmac = crypto.createHmac('sha1', key);
  key.fill(0);
  assert.strictEqual(hmac.update('The quick brown fox jumps over the lazy dog').digest('hex'),
    'de7c9b85b8b78aa6bc8a7a36f70a90701c9db4d9');
});

test('RFC 4231, case 6: an HMAC key longer than a block', () => {
  const key = Buffer.alloc(131, 0xaa);
  const text = 'Test Using Larger Than Block-Size Key - Hash Key First';
  const expected = '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54';
  assert.strictEqual(crypto.createHmac('sha256', key).update(text).digest('hex'), expected);
  assert.strictEqual(crypto.createHmac('sha256', key).update(text.slice(0, 5)).update(text.slice(5)).digest('hex'),
    expected);
});

test('copy() goes its own way', () => {
  const hash = crypto.createHash('sha256').update('a');
  const copy = hash.copy();
  assert.strictEqual(copy.update('b').digest('hex'), crypto.hash('sha256', 'ab'));
  assert.strictEqual(hash.digest('hex'), crypto.hash('sha256', 'a'));
});

test('a finished hash refuses more', () => {
  const hash = crypto.createHash('sha1');
  hash.digest();
  for (const use of [() => hash.update('a'), () => hash.digest(), () => hash.copy()]) {
    assert.throws(use, { code: 'ERR_CRYPTO_HASH_FINALIZED' });
  }
});

test('only an extendable function has a length of choice', () => {
  assert.strictEqual(crypto.createHash('shake128', { outputLength: 5 }).digest('hex'), '7f9c2ba4e8');
  assert.strictEqual(crypto.createHash('shake256', { outputLength: 200 }).digest().length, 200);
  assert.throws(() => crypto.createHash('sha256', { outputLength: 5 }),
    { code: 'ERR_OSSL_EVP_NOT_XOF_OR_INVALID_LENGTH' });
});

test('a hash is a stream, and its digest can be asked for after its end', async () => {
  const hash = crypto.createHash('sha1');
  hash.end('abc');
  const chunks = [];
  for await (const chunk of hash) chunks.push(chunk);
  assert.strictEqual(Buffer.concat(chunks).toString('hex'), crypto.hash('sha1', 'abc'));
  assert.strictEqual(hash.digest('hex'), crypto.hash('sha1', 'abc'));
});

test('an unknown digest', () => {
  assert.throws(() => crypto.createHash('nope'), { message: 'Digest method not supported' });
  assert.throws(() => crypto.createHmac('nope', 'k'), { code: 'ERR_CRYPTO_INVALID_DIGEST' });
});
