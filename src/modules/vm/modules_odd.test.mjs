// Evaluating a module whose linking failed is an error, not the end of the process.
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { test } from '../../../test/harness.mjs';

const program = `
  const vm = require('node:vm');
  const m = new vm.SourceTextModule('import "x"');
  m.link(() => { throw new Error('no'); }).catch(() => m.evaluate()).catch((error) => console.log(error.code));
`;

test('evaluate() after a failed link()', () => {
  const { stdout, signal } = spawnSync(process.execPath, ['--experimental-vm-modules', '--no-warnings', '-e', program], { encoding: 'utf8' });
  assert.strictEqual(signal, null);
  assert.strictEqual(stdout, 'ERR_VM_MODULE_STATUS\n');
});
