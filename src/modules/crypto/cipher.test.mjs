// Ciphers: known answers, authentication, states, and what wrong input gets.
import assert from 'node:assert';
import crypto from 'node:crypto';
import { test } from '../../../test/harness.mjs';

const key = Buffer.alloc(32, 1);
const iv = Buffer.alloc(16, 2);

function roundTrip(name, ivLength, options, aad) {
  const nonce = Buffer.alloc(ivLength, 3);
  const text = Buffer.from('attack at dawn');
  const c = crypto.createCipheriv(name, key, nonce, options);
  if (aad) c.setAAD(aad, { plaintextLength: text.length });
  const data = Buffer.concat([c.update(text), c.final()]);
  const d = crypto.createDecipheriv(name, key, nonce, options);
  d.setAuthTag(c.getAuthTag());
  if (aad) d.setAAD(aad, { plaintextLength: text.length });
  assert.deepStrictEqual(Buffer.concat([d.update(data), d.final()]), text);
  const bad = crypto.createDecipheriv(name, key, nonce, options);
  bad.setAuthTag(Buffer.alloc(c.getAuthTag().length));
  if (aad) bad.setAAD(aad, { plaintextLength: text.length });
  assert.throws(() => {
    bad.update(data);
    bad.final();
  }, /Unsupported state or unable to authenticate data/);
}

test('GCM, CCM, OCB and ChaCha20-Poly1305 authenticate', () => {
  const aad = Buffer.from('header');
  roundTrip('aes-256-gcm', 12, undefined, aad);
  roundTrip('aes-256-ccm', 12, { authTagLength: 16 }, aad);
  roundTrip('aes-256-ccm', 12, { authTagLength: 16 }, Buffer.alloc(0));
  roundTrip('aes-256-ocb', 12, { authTagLength: 16 }, aad);
  roundTrip('chacha20-poly1305', 12, { authTagLength: 16 }, aad);
});

test('text in, text out', () => {
  const c = crypto.createCipheriv('aes-256-cbc', key, iv);
  const text = c.update('grüße', 'utf8', 'base64') + c.final('base64');
  const d = crypto.createDecipheriv('aes-256-cbc', key, iv);
  assert.strictEqual(d.update(text, 'base64', 'utf8') + d.final('utf8'), 'grüße');
});

test('wrong keys, vectors and names', () => {
  assert.throws(() => crypto.createCipheriv('nope', key, iv), { code: 'ERR_CRYPTO_UNKNOWN_CIPHER' });
  assert.throws(() => crypto.createCipheriv('aes-256-cbc', Buffer.alloc(5), iv), { code: 'ERR_CRYPTO_INVALID_KEYLEN' });
  assert.throws(() => crypto.createCipheriv('aes-256-cbc', key, Buffer.alloc(5)), { code: 'ERR_CRYPTO_INVALID_IV' });
  assert.throws(() => crypto.createCipheriv('aes-256-gcm', key, iv, { authTagLength: 3 }),
    { code: 'ERR_CRYPTO_INVALID_AUTH_TAG' });
});

test('broken padding, and a state that is over', () => {
  const d = crypto.createDecipheriv('aes-256-cbc', key, iv);
  d.update(Buffer.alloc(16));
  assert.throws(() => d.final(), { code: 'ERR_OSSL_BAD_DECRYPT' });
  const c = crypto.createCipheriv('aes-256-cbc', key, iv);
  c.final();
  assert.throws(() => c.update('a'), /Trying to add data in unsupported state/);
  assert.throws(() => c.getAuthTag(), { code: 'ERR_CRYPTO_INVALID_STATE' });
});
