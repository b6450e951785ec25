// Keys go to other threads and through structuredClone().
import assert from 'node:assert';
import crypto from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { once } from 'node:events';
import { test } from '../../../test/harness.mjs';

test('KeyObject and CryptoKey are cloned', async () => {
  const { publicKey, privateKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' });
  for (const key of [publicKey, privateKey, crypto.createSecretKey(Buffer.from('abc'))]) {
    const copy = structuredClone(key);
    assert.ok(copy !== key && copy.equals(key));
    assert.strictEqual(copy.constructor, key.constructor);
  }
  const key = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const copy = structuredClone(key);
  assert.ok(copy instanceof CryptoKey);
  assert.deepStrictEqual([copy.extractable, copy.usages, copy.algorithm], [false, ['sign'], key.algorithm]);
  const sign = (by) => crypto.subtle.sign('HMAC', by, Buffer.from('text'));
  assert.deepStrictEqual(await sign(copy), await sign(key));
});

test('a worker gets a key as workerData', async () => {
  const key = crypto.createSecretKey(Buffer.from('secret'));
  const worker = new Worker("const { parentPort, workerData } = require('worker_threads');" +
    'parentPort.postMessage(workerData.export().toString())', { eval: true, workerData: key });
  assert.deepStrictEqual(await once(worker, 'message'), ['secret']);
});
