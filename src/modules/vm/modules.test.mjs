// Modules that a program links itself. The flag that shows them is given to a child process.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { test } from '../../../test/harness.mjs';

const run = (code) => execFileSync(process.execPath,
  ['--experimental-vm-modules', '--no-warnings', '--input-type=commonjs', '-e', code], { encoding: 'utf8' });

test('linking, evaluating, namespaces', () => {
  assert.strictEqual(run(`
    const vm = require('vm');
    const context = vm.createContext({ base: 40 });
    const two = new vm.SyntheticModule(['default'], function() { this.setExport('default', 2); }, { context });
    const main = new vm.SourceTextModule('import two from "two"; export const sum = base + two;', { context });
    main.link(async (specifier) => { console.log(specifier, main.status); return two; })
      .then(() => main.evaluate())
      .then(() => console.log(main.status, main.namespace.sum));
  `), 'two linking\nevaluated 42\n');
});

test('import() and import.meta', () => {
  assert.strictEqual(run(`
    const vm = require('vm');
    const other = new vm.SyntheticModule(['x'], function() { this.setExport('x', 1); });
    const script = new vm.Script('import("other")', { importModuleDynamically: () => other });
    script.runInThisContext().then((namespace) => {
      const m = new vm.SourceTextModule('export default import.meta.name', {
        initializeImportMeta: (meta) => { meta.name = 'me'; } });
      m.linkRequests([]);
      m.instantiate();
      return m.evaluate().then(() => console.log(namespace.x, m.namespace.default));
    });
  `), '1 me\n');
});

test('states', () => {
  assert.strictEqual(run(`
    const vm = require('vm');
    const m = new vm.SourceTextModule('import "x"');
    m.evaluate().catch((e) => console.log(e.code));
    m.link(() => 1).catch((e) => console.log(e.code, m.status));
  `), 'ERR_VM_MODULE_STATUS\nERR_VM_MODULE_NOT_MODULE errored\n');
});
