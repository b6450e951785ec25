// mock.module(): other exports, for require() and import alike, until they are restored.
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { test } from '../../../test/harness.mjs';

const program = `
import assert from 'node:assert';
import { createRequire } from 'node:module';
import { mock } from 'node:test';
const require = createRequire(import.meta.url);
const context = mock.module('node:readline', { namedExports: { one: 1 }, cache: true });
assert.strictEqual((await import('node:readline')).one, 1);
assert.strictEqual(require('readline').one, 1);
assert.strictEqual(require('readline'), require('node:readline'));
assert.throws(() => mock.module('readline', {}), { code: 'ERR_INVALID_STATE' });
context.restore();
assert.strictEqual((await import('node:readline')).one, undefined);
mock.module('os', { namedExports: { get bad() { throw new RangeError('bad'); } } });
await assert.rejects(import('os'), RangeError);
mock.reset();
assert.strictEqual(typeof (await import('os')).cpus, 'function');
console.log('fine');
`;

test('a builtin, by both loaders', () => {
  const { stdout, stderr } = spawnSync(process.execPath,
    ['--no-warnings', '--experimental-test-module-mocks', '--input-type=module', '-e', program], { encoding: 'utf8' });
  assert.strictEqual(stdout, 'fine\n', stderr);
});

test('only where it is asked for', () => {
  const { status } = spawnSync(process.execPath, ['-e', 'require("node:test").mock.module("fs")']);
  assert.strictEqual(status, 1);
});
