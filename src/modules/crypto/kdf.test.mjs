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

// SHA-256 over what Node.js 24 derives: passwords around the sizes of blocks, keys of several digests.
const kDerived = {
  sha1: 'cc08a4ef4f2d4db0f7c9b415ebea00c9a64931d90ea356c02343f507c49bcc7f',
  sha256: 'c913cafdc34a5a14981d5ec00c6d715cc028fce18c977f8b2408a758ec4e4605',
  sha384: '62d3a962e9937d9d1aa640a108444b7b38dc6696fb3b523ba021f4c52a833899',
  sha512: 'a091d7c6ecb85238110d15e40953607c9f360a24b760e86ddd7280a8a016ada5',
  sha224: '9fbe9622748df96e906d36012684faeb96df16a8282048dffc17f193f86dde93',
};
for (const [digest, expected] of Object.entries(kDerived)) {
  test(`pbkdf2 with ${digest}`, () => {
    const all = crypto.createHash('sha256');
    for (const size of [0, 1, 64, 65, 128, 129]) {
      for (const length of [1, 20, 33, 130]) {
        for (const iterations of [1, 2, 5]) {
          all.update(crypto.pbkdf2Sync('p'.repeat(size), 'salt'.repeat(size % 7), iterations, length, digest));
        }
      }
    }
    assert.strictEqual(all.digest('hex'), expected);
  });
}

test('scrypt of several costs', () => {
  const all = crypto.createHash('sha256');
  for (const N of [2, 16, 1024]) {
    for (const r of [1, 8]) for (const p of [1, 3]) all.update(crypto.scryptSync('pw', 'na', 70, { N, r, p }));
  }
  assert.strictEqual(all.digest('hex'), 'eda936f5b1348a2a6f44e3b03dde6a69c2797edcb9e93831f60ce53187b31c87');
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
