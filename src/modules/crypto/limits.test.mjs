// What is out of range or in the wrong state, and the flags of the command line.
import assert from 'node:assert';
import crypto from 'node:crypto';
import tls from 'node:tls';
import { spawnSync } from 'node:child_process';
import { test } from '../../../test/harness.mjs';

test('CCM has no tag before it had a message', () => {
  const cipher = crypto.createCipheriv('aes-128-ccm', Buffer.alloc(16), Buffer.alloc(12), { authTagLength: 10 });
  assert.throws(() => cipher.final(), { code: 'ERR_OSSL_TAG_NOT_SET' });
});

test('a salt that does not fit the modulus', async () => {
  const { privateKey } = await crypto.subtle.generateKey({ name: 'RSA-PSS', modulusLength: 1024,
    publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }, false, ['sign']);
  await crypto.subtle.sign({ name: 'RSA-PSS', saltLength: 94 }, privateKey, Buffer.from('a'));
  await assert.rejects(crypto.subtle.sign({ name: 'RSA-PSS', saltLength: 95 }, privateKey, Buffer.from('a')), (e) =>
    e.name === 'OperationError' && e.cause.code === 'ERR_OUT_OF_RANGE' && /<= 94\. Received 95/.test(e.cause.message));
});

test("a native method of another receiver says what V8 says", () => {
  const { setOptions } = tls.createSecureContext().context;
  assert.throws(() => setOptions.call({}), (error) => String(error) === 'TypeError: Illegal invocation');
});

test('DSS1 is SHA-1', () => assert.strictEqual(crypto.hash('DSS1', 'a'), crypto.hash('sha1', 'a')));

test('--secure-heap', () => {
  const run = (...args) => spawnSync(process.execPath, args, { encoding: 'utf8' });
  const used = run('--secure-heap=65536', '--secure-heap-min=4', '-p', 'JSON.stringify(crypto.secureHeapUsed())');
  assert.deepStrictEqual(JSON.parse(used.stdout), { total: 65536, used: 0, utilization: 0, min: 4 });
  const wrong = run('--secure-heap=3', '--secure-heap-min=3', '-p', '1');
  assert.strictEqual(wrong.status, 9);
  assert.match(wrong.stderr, /--secure-heap must be a power of 2\n.*--secure-heap-min must be a power of 2\n/);
});

test('lists have the other names of digests and ciphers', () => {
  for (const name of ['RSA-SHA256', 'sha256', 'sha256WithRSAEncryption']) assert.ok(crypto.getHashes().includes(name), name);
  for (const name of ['id-aes256-GCM', 'aes-256-gcm']) assert.ok(crypto.getCiphers().includes(name), name);
  for (const name of crypto.getHashes()) crypto.createHash(name);
});
