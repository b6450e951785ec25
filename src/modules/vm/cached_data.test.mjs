// Cached data of another source is refused, and leaves no half-made module.
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { test } from '../../../test/harness.mjs';

test('SourceTextModule', () => {
  const program = `const { SourceTextModule } = require('vm');
    const cachedData = new SourceTextModule('const a = 1').createCachedData();
    new SourceTextModule('const a = 1', { cachedData });
    for (const data of [cachedData, Buffer.alloc(64), Buffer.alloc(0)]) {
      try { new SourceTextModule('export default 12345', { cachedData: data }); } catch ({ code }) { console.log(code); }
    }`;
  const { stdout } = spawnSync(process.execPath, ['--experimental-vm-modules', '--no-warnings', '-e', program], { encoding: 'utf8' });
  assert.strictEqual(stdout, 'ERR_VM_MODULE_CACHED_DATA_REJECTED\n'.repeat(3));
});
