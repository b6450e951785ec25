import assert from 'node:assert';
import { once } from 'node:events';
import { spawn, spawnSync } from 'node:child_process';
import { test } from '../../../test/harness.mjs';

await test('output, exit and close come in order', async () => {
  const child = spawn('/bin/sh', ['-c', 'cat; echo err >&2; exit 4']);
  const events = [];
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text) => { out += text; });
  child.stderr.setEncoding('utf8').on('data', (text) => { err += text; });
  child.on('exit', (...args) => events.push(['exit', ...args]));
  child.stdin.end('in');
  const closed = await once(child, 'close');
  assert.deepStrictEqual([out, err], ['in', 'err\n']);
  assert.deepStrictEqual(events, [['exit', 4, null]]);
  assert.deepStrictEqual(closed, [4, null]);
});

await test('a missing program is an error event, then close', async () => {
  const child = spawn('no-such-program-here', ['x']);
  const [error] = await once(child, 'error');
  assert.strictEqual(error.message, 'spawn no-such-program-here ENOENT');
  assert.deepStrictEqual({ ...error }, { errno: -2, code: 'ENOENT', syscall: 'spawn no-such-program-here',
    path: 'no-such-program-here', spawnargs: ['x'] });
});

await test('spawnSync tells of input that nobody read', () => {
  const result = spawnSync('/bin/sh', ['-c', 'exec <&-; exit 0'], { input: Buffer.alloc(1 << 22) });
  assert.strictEqual(result.status, 0);
  assert.strictEqual(result.error.code, 'EPIPE');
});

await test('a polluted prototype adds nothing to options or environment', () => {
  Object.prototype.shell = '/bin/false';
  Object.prototype.EVIL = 'yes';
  try {
    const result = spawnSync('/bin/sh', ['-c', 'echo "[$EVIL]"'], { encoding: 'utf8' });
    assert.strictEqual(result.stdout, '[]\n');
  } finally {
    delete Object.prototype.shell;
    delete Object.prototype.EVIL;
  }
});
