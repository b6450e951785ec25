// WebCrypto: one round of each kind of operation, and the errors of the specification.
import assert from 'node:assert';
import { test } from '../../../test/harness.mjs';

const { subtle } = crypto;
const data = new TextEncoder().encode('hello');
const hex = (bytes) => Buffer.from(bytes).toString('hex');

test('digest', async () => {
  assert.strictEqual(hex(await subtle.digest('SHA-256', data)),
    '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824');
});

test('encryption', async () => {
  const key = await subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, ['encrypt', 'decrypt']);
  const algorithm = { name: 'AES-GCM', iv: crypto.getRandomValues(new Uint8Array(12)), additionalData: data };
  const sealed = await subtle.encrypt(algorithm, key, data);
  assert.deepStrictEqual(new Uint8Array(await subtle.decrypt(algorithm, key, sealed)), data);
  new Uint8Array(sealed)[0] ^= 1;
  await assert.rejects(subtle.decrypt(algorithm, key, sealed), { name: 'OperationError' });
});

test('a counter of few bits wraps around within them', async () => {
  const key = await subtle.importKey('raw', new Uint8Array(16), 'AES-CTR', false, ['encrypt', 'decrypt']);
  const counter = new Uint8Array(16).fill(0xff);
  const algorithm = { name: 'AES-CTR', counter, length: 8 };
  const long = new Uint8Array(100);
  const sealed = new Uint8Array(await subtle.encrypt(algorithm, key, long));
  const wrapped = counter.slice();
  wrapped[15] = 0;
  const second = new Uint8Array(await subtle.encrypt({ ...algorithm, counter: wrapped }, key, new Uint8Array(16)));
  assert.deepStrictEqual(sealed.slice(16, 32), second);
  assert.deepStrictEqual(new Uint8Array(await subtle.decrypt(algorithm, key, sealed)), long);
});

test('signatures', async () => {
  const pair = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
  const signature = await subtle.sign(algorithm, pair.privateKey, data);
  assert.strictEqual(signature.byteLength, 64);
  assert.ok(await subtle.verify(algorithm, pair.publicKey, signature, data));
  const jwk = await subtle.exportKey('jwk', pair.privateKey);
  const again = await subtle.importKey('jwk', jwk, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
  assert.ok(await subtle.verify(algorithm, pair.publicKey, await subtle.sign(algorithm, again, data), data));
});

test('derivation and wrapping', async () => {
  const base = await subtle.importKey('raw', data, 'PBKDF2', false, ['deriveKey']);
  const kek = await subtle.deriveKey({ name: 'PBKDF2', hash: 'SHA-256', salt: data, iterations: 2 }, base,
    { name: 'AES-KW', length: 128 }, false, ['wrapKey', 'unwrapKey']);
  const key = await subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign']);
  const wrapped = await subtle.wrapKey('jwk', key, kek, 'AES-KW');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const again = await subtle.unwrapKey('jwk', wrapped, kek, 'AES-KW', algorithm, true, ['sign']);
  assert.deepStrictEqual(await subtle.exportKey('raw', again), await subtle.exportKey('raw', key));
});

test('what the specification refuses', async () => {
  const key = await subtle.generateKey({ name: 'HMAC', hash: 'SHA-1' }, false, ['sign']);
  await assert.rejects(subtle.exportKey('raw', key), { name: 'InvalidAccessError' });
  await assert.rejects(subtle.digest('MD5', data), { name: 'NotSupportedError' });
  await assert.rejects(subtle.generateKey({ name: 'AES-CBC', length: 128 }, true, []), { name: 'SyntaxError' });
  await assert.rejects(subtle.encrypt({ name: 'AES-CBC', iv: data }, key, data), { name: 'OperationError' });
  assert.throws(() => crypto.getRandomValues(new Float32Array(1)), { name: 'TypeMismatchError' });
});
