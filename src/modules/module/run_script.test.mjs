// --run: scripts of package.json.
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '../../../test/harness.mjs';

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'gyre-run-')));
const below = join(directory, 'below');
mkdirSync(below);
writeFileSync(join(directory, 'package.json'), JSON.stringify({ scripts: {
  show: 'printf "%s|" "$PWD" "$NODE_RUN_SCRIPT_NAME"; printf "%s|"', end: 'exit 7', bad: 1,
} }));
const run = (...args) => spawnSync(process.execPath, ['--run', ...args], { cwd: below, encoding: 'utf8' });

test('in the folder of the package, with arguments as they are', () => {
  const { stdout, status } = run('show', '--', "it's $HOME", 'a b');
  assert.strictEqual(stdout, `${directory}|show|it's $HOME|a b|`);
  assert.strictEqual(status, 0);
});

test('its status is that of the script', () => {
  assert.strictEqual(run('end').status, 7);
});

test('what is not there is told', () => {
  for (const name of ['missing', 'bad', 'toString']) {
    const { status, stderr } = run(name);
    assert.strictEqual(status, 1);
    assert.ok(stderr.includes(join(directory, 'package.json')));
  }
});
