// The prompt warns of nothing that the user did not ask for.
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { test } from '../../../test/harness.mjs';

test('import() at the prompt, without a warning', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['-i'], { input: "(await import('path')).sep\n", encoding: 'utf8' });
  assert.strictEqual(stderr, '');
  assert.match(stdout, /'\/'/);
});
