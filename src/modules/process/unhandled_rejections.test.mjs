import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { test } from '../../../test/harness.mjs';

function run(mode, script = 'Promise.reject(7)') {
  const flags = mode ? [`--unhandled-rejections=${mode}`] : [];
  const { status, stderr } = spawnSync(process.execPath, [...flags, '-e', script], { encoding: 'utf8' });
  return { status, stderr };
}

test('by default an unhandled rejection ends the process', () => {
  const { status, stderr } = run();
  assert.strictEqual(status, 1);
  assert.match(stderr, /The promise rejected with the reason "7"/);
});

test('warn goes on, none says nothing, warn-with-error-codes ends with 1', () => {
  const warned = run('warn');
  assert.strictEqual(warned.status, 0);
  assert.match(warned.stderr, /UnhandledPromiseRejectionWarning: 7/);
  assert.deepStrictEqual(run('none'), { status: 0, stderr: '' });
  assert.strictEqual(run('warn-with-error-codes').status, 1);
});

test('a listener handles it; a late catch is told of', () => {
  const { status, stderr } = run(undefined, `
    process.on('unhandledRejection', (reason) => console.error('reason', reason));
    process.on('rejectionHandled', () => console.error('handled'));
    const promise = Promise.reject(7);
    setTimeout(() => promise.catch(() => {}), 1);`);
  assert.strictEqual(status, 0);
  assert.strictEqual(stderr, 'reason 7\nhandled\n');
});
