// Threads that hash run behind the loop, also where the whole process was started with a lower priority (docs/loop.md 5.3).
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { test } from '../../../test/harness.mjs';

const program = `
  const { readdirSync, readFileSync } = require('node:fs');
  require('node:crypto').pbkdf2('a', 'b', 1, 8, 'sha1', () => {
    const nice = {};
    for (const thread of readdirSync('/proc/self/task')) {
      const [, name, rest] = /\\((.*)\\) (.*)/s.exec(readFileSync('/proc/self/task/' + thread + '/stat', 'utf8'));
      nice[name] = Number(rest.split(' ')[16]);
    }
    console.log(JSON.stringify({ loop: Number(readFileSync('/proc/self/stat', 'utf8').replace(/.*\\) /s, '').split(' ')[16]), ...nice }));
  });`;

for (const start of [0, 3, 12]) {
  test(`the crypto lane is nicer than a loop at ${start}`, () => {
    const { stdout, stderr } = spawnSync('nice', ['-n', String(start), process.execPath, '-e', program], { encoding: 'utf8' });
    assert.strictEqual(stderr, '');
    const { loop, crypto } = JSON.parse(stdout);
    assert.strictEqual(crypto, Math.min(19, loop + 5));
  });
}
