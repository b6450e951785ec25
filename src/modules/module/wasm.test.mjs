// WebAssembly as ES modules: what it imports runs first, globals are values, and `import source` runs nothing.
import assert from 'node:assert';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from '../../../test/harness.mjs';

const directory = mkdtempSync(join(tmpdir(), 'gyre-wasm-'));
const url = (name) => pathToFileURL(join(directory, name)).href;
// (module (import "./dep.mjs" "n" (func $n (result i32))) (export "call" (func $n)) (global (export "g") i32 (i32.const 7)))
const bytes = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 2, 15, 1, 9, ...Buffer.from('./dep.mjs'), 1, 110, 0, 0,
  6, 6, 1, 127, 0, 65, 7, 11, 7, 12, 2, 4, ...Buffer.from('call'), 0, 0, 1, 103, 3, 0];
writeFileSync(join(directory, 'mod.wasm'), Buffer.from(bytes));
writeFileSync(join(directory, 'dep.mjs'), 'let value = 41; export function n() { return ++value; }');
process.removeAllListeners('warning');

test('source phase', async () => {
  const importSource = new Function('url', 'return import.source(url)');  // newer than the linter
  const module = await importSource(url('mod.wasm'));
  assert.ok(module instanceof WebAssembly.Module);
  await assert.rejects(importSource(url('dep.mjs')), SyntaxError);
});

test('instances', async () => {
  const { call, g } = await import(url('mod.wasm'));
  assert.strictEqual(call(), 42);
  assert.strictEqual(g, 7);
});

test('bytes that are none', async () => {
  writeFileSync(join(directory, 'bad.wasm'), 'x');
  await assert.rejects(import(url('bad.wasm')), WebAssembly.CompileError);
});
