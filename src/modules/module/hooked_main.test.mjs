// Hooks that --import registers see the program itself, also when it is CommonJS.
import assert from 'node:assert';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { test } from '../../../test/harness.mjs';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gyre-hooks-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
const main = path.join(folder, 'main.js');
fs.writeFileSync(main, 'console.log(require.main === module, process.mainModule === module, VALUE)');
const hooks = path.join(folder, 'hooks.mjs');
fs.writeFileSync(hooks, `
import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) {
  const result = next(url, context);
  if (url.endsWith('main.js')) return { ...result, source: String(result.source).replace('VALUE', '"hooked"') };
  return result;
} });`);

test('a CommonJS program goes through hooks, and is the main module', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', hooks, main], { encoding: 'utf8' });
  assert.strictEqual(stderr, '');
  assert.strictEqual(stdout, 'true true hooked\n');
});
