// module.register(): hooks on a thread of their own, that may wait, seen by import() here and in workers.
import assert from 'node:assert';
import { register } from 'node:module';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { test } from '../../../test/harness.mjs';

const hooks = `
let prefix;
export async function initialize(data) { await 0; prefix = data.prefix; }
export async function resolve(specifier, context, next) {
  if (specifier.startsWith(prefix)) return { url: 'made:' + specifier.slice(prefix.length), shortCircuit: true };
  return next(specifier);
}
export async function load(url, context, next) {
  if (url === 'made:never') return new Promise(() => {});
  if (url === 'made:bad') return { format: 'module', source: 1, shortCircuit: true };
  if (!url.startsWith('made:')) return next(url);
  await new Promise((resolve) => setTimeout(resolve, 1));
  return { format: 'module', source: 'export default ' + JSON.stringify(url), shortCircuit: true };
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`, import.meta.url, { data: { prefix: 'virtual:' } });

test('a module that only hooks know', async () => {
  assert.strictEqual((await import('virtual:one')).default, 'made:one');
  assert.ok((await import('node:fs')).readFileSync);
});

test('what hooks return is checked, and errors cross the threads', async () => {
  await assert.rejects(import('virtual:bad'), { code: 'ERR_INVALID_RETURN_PROPERTY_VALUE' });
  await assert.rejects(import('./nowhere.mjs'), { code: 'ERR_MODULE_NOT_FOUND' });
});

test('a hook that never settles holds nobody up', async () => {
  const first = await Promise.race([import('virtual:never'), Promise.resolve('other')]);
  assert.strictEqual(first, 'other');
});

test('workers see them', async () => {
  const worker = new Worker("import('virtual:two').then((m) => require('worker_threads').parentPort.postMessage(m.default))",
                            { eval: true });
  assert.deepStrictEqual(await once(worker, 'message'), ['made:two']);
});
