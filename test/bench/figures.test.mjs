// The table that ./dev bench --readme writes: ratios by row, between the markers that README.md has, the rest untouched.
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '../harness.mjs';

const root = new URL('../..', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'figures-'));
const readme = join(folder, 'README.md');
copyFileSync(join(root, 'README.md'), readme);

function python(program) {
  const options = { encoding: 'utf8', env: { ...process.env, PYTHONPATH: join(root, 'bench'), PYTHONDONTWRITEBYTECODE: '1' } };
  const { status, stdout, stderr } = spawnSync('python3', ['-c', program], options);
  assert.strictEqual(status, 0, stderr);
  return stdout;
}

await test('the table stands between the markers', () => {
  python(`
import figures
row = figures.Row('work', 'us', None, ('<=', .55), ('<=', .75))
speed = figures.Row('speed', '/s', None, ('>=', 4))
measured = [(row, {'node': 10, 'bun': 8, 'deno': 6, 'gyre': 3}), (speed, {'node': 10, 'gyre': 50})]
figures.write('${readme}', figures.table(measured))
`);
  const [before, after] = [join(root, 'README.md'), readme].map((file) => readFileSync(file, 'utf8').split(/<!-- (?:figures|end).*-->/));
  assert.strictEqual(after.length, 3);
  assert.deepStrictEqual([after[0], after[2]], [before[0], before[2]]);
  assert.match(after[1], /\n\| work \| 0\.30 \(≤ 0\.55\) \| 0\.50 \(≤ 0\.75\) \|\n\| speed \| 5\.0 \(≥ 4\) \|  \|\n/);
});

await test('what falls short is said', () => {
  const program = (gyre) => `
import figures
figures.show(figures.Row('work', 'us', None, ('<=', .55)), {'node': 10, 'gyre': ${gyre}})
`;
  assert.match(python(program(5)), /0\.50 of Node, wanted <= 0\.55: holds/);
  assert.match(python(program(6)), /0\.60 of Node, wanted <= 0\.55: FALLS SHORT/);
});

rmSync(folder, { recursive: true });
