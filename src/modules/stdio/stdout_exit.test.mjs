import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from '../../../test/harness.mjs';

await test('process.exit() loses nothing that was written to a pipe', async () => {
  const size = 3 << 20;
  const child = spawn(process.execPath, ['-e', `process.stdout.write('x'.repeat(${size})); process.exit(7);`]);
  let got = 0;
  child.stdout.on('data', (chunk) => { got += chunk.length; });
  const [code] = await once(child, 'close');
  assert.deepStrictEqual([got, code], [size, 7]);
});
