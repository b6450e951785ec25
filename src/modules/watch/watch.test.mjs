// --watch: the program runs again when it, or what it loads, changes.
import assert from 'node:assert';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from '../../../test/harness.mjs';

const directory = mkdtempSync(join(tmpdir(), 'gyre-watch-'));

test('a dependency that changes', async () => {
  const main = join(directory, 'main.mjs');
  const dependency = join(directory, 'dependency.mjs');
  writeFileSync(dependency, 'export default "one"');
  writeFileSync(main, 'import value from "./dependency.mjs"; console.log(value, process.execArgv.length)');
  const child = spawn(process.execPath, ['--watch', main], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line.split(' ', 2).join(' '));
    if (lines.length === 2) writeFileSync(dependency, 'export default "two"');
    if (lines.length === 5) break;
  }
  const ended = once(child, 'exit');
  child.kill();
  await ended;
  assert.deepStrictEqual(lines, ['one 0', 'Completed running', `Restarting '${main}'`, 'two 0', 'Completed running']);
});

test('what cannot be watched is refused', () => {
  assert.strictEqual(spawnSync(process.execPath, ['--watch']).status, 9);
  assert.strictEqual(spawnSync(process.execPath, ['--watch', '-e', '1']).status, 9);
});
