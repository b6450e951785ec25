// The compile cache: what one run keeps, the next one uses; what does not fit any more is made again.
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '../../../test/harness.mjs';

const directory = mkdtempSync(join(tmpdir(), 'gyre-cache-'));
const cache = join(directory, 'cache');
const program = join(directory, 'program.cjs');
const run = () => {
  const env = { ...process.env, NODE_COMPILE_CACHE: cache, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
  const { stdout, stderr, status } = spawnSync(process.execPath, [program], { env, encoding: 'utf8' });
  assert.strictEqual(status, 0, stderr);
  return stdout + stderr;
};

test('kept, used, and made again for another source', () => {
  writeFileSync(program, 'console.log("one")');
  assert.match(run(), /one[^]*writing cache for CommonJS .*program\.cjs.*success/);
  assert.match(run(), /one[^]*was accepted[^]*cache was the same/);
  writeFileSync(program, 'console.log("two")');
  assert.match(run(), /two[^]*code hash mismatch[^]*writing cache/);
});

test('a damaged file does no harm', () => {
  const folder = join(cache, readdirSync(cache)[0]);
  for (const change of [(bytes) => bytes.subarray(0, 10), (bytes) => bytes.fill(0, 20), () => Buffer.alloc(0)]) {
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), change(readFileSync(join(folder, name))));
    assert.match(run(), /two[^]*mismatch/);
  }
});
