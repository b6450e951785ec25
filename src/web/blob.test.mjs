import assert from 'node:assert';
import { resolveObjectURL } from 'node:buffer';
import { test } from '../../test/harness.mjs';

test('a blob copies its parts', async () => {
  const source = new Uint8Array([97, 98]);
  const blob = new Blob([source, 'c\u00e9', new Blob(['d']), source.buffer], { type: 'Text/Plain' });
  source[0] = 0;
  assert.strictEqual(await blob.text(), 'abc\u00e9dab');
  assert.strictEqual(blob.type, 'text/plain');
  assert.strictEqual(blob.size, 8);
  assert.strictEqual(await blob.slice(-3, -1).text(), 'da');
  assert.ok((await blob.arrayBuffer()) instanceof ArrayBuffer);
});

test('a blob is a stream', async () => {
  const chunks = [];
  for await (const chunk of new Blob(['x'.repeat(100_000)]).stream()) chunks.push(chunk.length);
  assert.strictEqual(chunks.reduce((a, b) => a + b), 100_000);
});

test('files and clones', async () => {
  const file = new File(['a'], 'n\ud800', { lastModified: 5 });
  const clone = structuredClone(file);
  assert.ok(clone instanceof File);
  assert.strictEqual(clone.name, 'n\ufffd');
  assert.strictEqual(clone.lastModified, 5);
  assert.strictEqual(await clone.text(), 'a');
  assert.throws(() => new File([]), { code: 'ERR_MISSING_ARGS' });
});

test('object URLs', async () => {
  const url = URL.createObjectURL(new Blob(['u']));
  assert.match(url, /^blob:nodedata:[0-9a-f-]{36}$/);
  assert.strictEqual(await resolveObjectURL(url).text(), 'u');
  assert.strictEqual(await (await fetch(url)).text(), 'u');
  URL.revokeObjectURL(url);
  assert.strictEqual(resolveObjectURL(url), undefined);
});
