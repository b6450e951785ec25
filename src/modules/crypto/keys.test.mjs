// Keys: pairs, encodings there and back, signatures with them, agreement.
import assert from 'node:assert';
import crypto from 'node:crypto';
import { promisify } from 'node:util';
import { test } from '../../../test/harness.mjs';

const pairs = {
  rsa: crypto.generateKeyPairSync('rsa', { modulusLength: 1024 }),
  ec: crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ed25519: crypto.generateKeyPairSync('ed25519'),
};

test('PEM, DER and JWK there and back', () => {
  for (const { publicKey, privateKey } of Object.values(pairs)) {
    const forms = [{ format: 'pem', type: 'pkcs8' }, { format: 'der', type: 'pkcs8' },
      { format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'secret' }];
    for (const form of forms) {
      const again = crypto.createPrivateKey({ ...form, key: privateKey.export(form) });
      assert.ok(again.equals(privateKey));
    }
    assert.ok(crypto.createPrivateKey({ key: privateKey.export({ format: 'jwk' }), format: 'jwk' }).equals(privateKey));
    assert.ok(crypto.createPublicKey({ key: publicKey.export({ format: 'jwk' }), format: 'jwk' }).equals(publicKey));
    assert.ok(crypto.createPublicKey(privateKey).equals(publicKey));
  }
});

test('a key that is damaged does not disturb those that are read after it', () => {
  const damage = (der) => Buffer.concat([der.subarray(0, -4), Buffer.from([0xff, 0xff, 0xff])]);
  for (const { publicKey, privateKey } of Object.values(pairs)) {
    const spki = publicKey.export({ type: 'spki', format: 'der' });
    const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' });
    for (let i = 0; i < 3; i++) {
      assert.throws(() => crypto.createPublicKey({ key: damage(spki), type: 'spki', format: 'der' }), Error);
      assert.throws(() => crypto.createPrivateKey({ key: damage(pkcs8), type: 'pkcs8', format: 'der' }), Error);
      assert.ok(crypto.createPublicKey({ key: spki, type: 'spki', format: 'der' }).equals(publicKey));
      assert.ok(crypto.createPrivateKey({ key: pkcs8, type: 'pkcs8', format: 'der' }).equals(privateKey));
    }
  }
});

test('private keys of RSA in their own form, plain and encrypted', () => {
  const { privateKey } = pairs.rsa;
  const plain = privateKey.export({ type: 'pkcs1', format: 'pem' });
  assert.ok(crypto.createPrivateKey(`some words\n${plain}`).equals(privateKey));
  const locked = privateKey.export({ type: 'pkcs1', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'p' });
  assert.ok(crypto.createPrivateKey({ key: locked, passphrase: 'p' }).equals(privateKey));
  assert.throws(() => crypto.createPrivateKey(locked), { code: 'ERR_OSSL_CRYPTO_INTERRUPTED_OR_CANCELLED' });
});

test('an agreement checks a pair again that was changed', () => {
  const [one, other] = [crypto.createECDH('prime256v1'), crypto.createECDH('prime256v1')];
  other.generateKeys();
  one.generateKeys();
  assert.ok(one.computeSecret(other.getPublicKey()));
  one.setPublicKey(other.getPublicKey());
  assert.throws(() => one.computeSecret(other.getPublicKey()), { code: 'ERR_CRYPTO_INVALID_KEYPAIR' });
});

test('signatures in one step, in pieces, and on the lane', async () => {
  const data = Buffer.from('data');
  for (const [type, { publicKey, privateKey }] of Object.entries(pairs)) {
    const hash = type === 'ed25519' ? null : 'sha256';
    const signature = crypto.sign(hash, data, privateKey);
    assert.ok(crypto.verify(hash, data, publicKey, signature));
    assert.ok(!crypto.verify(hash, Buffer.from('date'), publicKey, signature));
    const later = await promisify(crypto.sign)(hash, data, privateKey);
    assert.ok(await promisify(crypto.verify)(hash, data, publicKey, later));
    if (hash === null) continue;
    const pieces = crypto.createSign('sha256').update('da').update('ta').sign(privateKey);
    assert.ok(crypto.createVerify('sha256').update(data).verify(publicKey, pieces));
  }
});

test('signatures of two numbers side by side', () => {
  const options = { key: pairs.ec.privateKey, dsaEncoding: 'ieee-p1363' };
  const signature = crypto.sign('sha256', Buffer.from('x'), options);
  assert.strictEqual(signature.length, 64);
  const key = { key: pairs.ec.publicKey, dsaEncoding: 'ieee-p1363' };
  assert.ok(crypto.verify('sha256', Buffer.from('x'), key, signature));
});

test('two parties agree', () => {
  const [a, b] = [crypto.createECDH('secp256k1'), crypto.createECDH('secp256k1')];
  a.generateKeys();
  b.generateKeys();
  assert.deepStrictEqual(a.computeSecret(b.getPublicKey()), b.computeSecret(a.getPublicKey(null, 'compressed')));
  const x = crypto.generateKeyPairSync('x25519');
  const y = crypto.generateKeyPairSync('x25519');
  assert.deepStrictEqual(crypto.diffieHellman({ privateKey: x.privateKey, publicKey: y.publicKey }),
    crypto.diffieHellman({ privateKey: y.privateKey, publicKey: x.publicKey }));
  assert.throws(() => a.computeSecret(Buffer.alloc(33)), { code: 'ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY' });
});

test('what is no key', () => {
  assert.throws(() => crypto.createPrivateKey('nonsense'), { code: 'ERR_OSSL_UNSUPPORTED' });
  assert.throws(() => crypto.createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }, format: 'jwk' }),
    { code: 'ERR_CRYPTO_INVALID_JWK' });
  assert.throws(() => crypto.createSecretKey(1), { code: 'ERR_INVALID_ARG_TYPE' });
});

test('numbers that are too long are refused, not believed', () => {
  const bytes = Buffer.alloc(67108864);
  bytes[0] = 1;
  assert.throws(() => crypto.checkPrimeSync(bytes), { code: 'ERR_OSSL_BN_BIGNUM_TOO_LONG' });
});
