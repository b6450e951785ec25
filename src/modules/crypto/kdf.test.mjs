// Key derivation: the answers of RFC 6070, 7914 and 5869, here and on the lane.
import assert from 'node:assert';
import crypto from 'node:crypto';
import { promisify } from 'node:util';
import { test } from '../../../test/harness.mjs';

const hex = (bytes) => Buffer.from(bytes).toString('hex');

test('pbkdf2', async () => {
  const expected = 'ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957';
  assert.strictEqual(hex(crypto.pbkdf2Sync('password', 'salt', 2, 20, 'sha1')), expected);
  assert.strictEqual(hex(await promisify(crypto.pbkdf2)('password', 'salt', 2, 20, 'sha1')), expected);
});

test('scrypt', async () => {
  const expected = '77d6576238657b203b19ca42c18a0497';
  const options = { N: 16, r: 1, p: 1 };
  assert.strictEqual(hex(crypto.scryptSync('', '', 16, options)), expected);
  assert.strictEqual(hex(await promisify(crypto.scrypt)('', '', 16, options)), expected);
  assert.throws(() => crypto.scryptSync('', '', 16, { N: 3 }), { code: 'ERR_CRYPTO_INVALID_SCRYPT_PARAMS' });
});

test('hkdf', async () => {
  const args = ['sha256', Buffer.alloc(22, 0x0b), Buffer.from('000102030405060708090a0b0c', 'hex'),
    Buffer.from('f0f1f2f3f4f5f6f7f8f9', 'hex'), 42];
  const expected = '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865';
  assert.strictEqual(hex(crypto.hkdfSync(...args)), expected);
  assert.strictEqual(hex(await promisify(crypto.hkdf)(...args)), expected);
  assert.throws(() => crypto.hkdfSync('sha1', 'a', '', '', 255 * 20 + 1), { code: 'ERR_CRYPTO_INVALID_KEYLEN' });
});

test('arguments are checked before the work begins', () => {
  assert.throws(() => crypto.pbkdf2('p', 's', 1, 1, 'nope', () => {}), { code: 'ERR_CRYPTO_INVALID_DIGEST' });
  assert.throws(() => crypto.pbkdf2('p', 's', 1, 1, 'sha1'), { code: 'ERR_INVALID_ARG_TYPE' });
});
