// Compilers that live on Module.prototype._compile get TypeScript as it is written; coverage tools see spawnSync().
import assert from 'node:assert';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Module, { createRequire } from 'node:module';
import { spawnSync } from 'node:child_process';
import { test } from '../../../test/harness.mjs';

const require = createRequire(import.meta.url);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gyre-compile-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

test('_compile gets the source and says the format', () => {
  const files = { 'a.ts': 'enum A { X = 1 }', 'b.cts': 'let b: number', 'c.mts': 'export let c: number' };
  const seen = [];
  const { _compile } = Module.prototype;
  Module.prototype._compile = function(content, filename, format) {
    seen.push([path.basename(filename), content, format]);
  };
  for (const [name, source] of Object.entries(files)) {
    fs.writeFileSync(path.join(folder, name), source);
    require(path.join(folder, name));
  }
  Module.prototype._compile = _compile;
  assert.deepStrictEqual(seen, [['a.ts', files['a.ts'], 'commonjs-typescript'],
    ['b.cts', files['b.cts'], 'commonjs-typescript'], ['c.mts', files['c.mts'], 'module-typescript']]);
});

test('TypeScript is stripped by _compile, and its syntax tells what it is', () => {
  fs.writeFileSync(path.join(folder, 'd.ts'), 'const a: number = 1; exports.a = a;');
  fs.writeFileSync(path.join(folder, 'e.ts'), 'export const e: number = 2;');
  assert.strictEqual(require(path.join(folder, 'd.ts')).a, 1);
  assert.strictEqual(require(path.join(folder, 'e.ts')).e, 2);
});

test("process.binding('spawn_sync') is what spawnSync() goes by", () => {
  const binding = process.binding('spawn_sync');
  const { spawn } = binding;
  const files = [];
  binding.spawn = (options) => {
    files.push(options.file);
    return spawn.call(binding, options);
  };
  assert.strictEqual(String(spawnSync('echo', ['a']).stdout), 'a\n');
  binding.spawn = spawn;
  assert.deepStrictEqual(files, ['echo']);
});
