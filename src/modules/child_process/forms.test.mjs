// What programs see of a child beside its output: names, messages, arguments, in Node's words.
import assert from 'node:assert';
import childProcess from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { test } from '../../../test/harness.mjs';

if (process.argv[2] === 'child') process.once('message', () => process.disconnect());
else runTests();

function runTests() {
  test('spawnargs are the arguments as they were given', async () => {
    const child = childProcess.spawn('true', [1, null, undefined]);
    assert.deepStrictEqual(child.spawnargs, ['true', 1, null, undefined]);
    await once(child, 'close');
    assert.deepStrictEqual(childProcess.spawnSync('/no/such/program', [1]).error.spawnargs, [1]);
    assert.strictEqual(childProcess.spawnSync('echo', [1, null], { encoding: 'utf8' }).stdout, '1 null\n');
  });

  test('the message of a failed command ends its first line, also without output of errors', async () => {
    const failure = (command) => new Promise((resolve) => childProcess.exec(command, resolve));
    assert.strictEqual((await failure('exit 5')).message, 'Command failed: exit 5\n');
    assert.strictEqual((await failure('echo why >&2; exit 5')).message, 'Command failed: echo why >&2; exit 5\nwhy\n');
  });

  test('only a child with a channel has the old name of it, which warns', async () => {
    assert.strictEqual('_channel' in childProcess.ChildProcess.prototype, false);
    assert.strictEqual(childProcess.fork.length, 1);
    const child = childProcess.fork(import.meta.filename, ['child']);
    const warned = once(process, 'warning');
    assert.strictEqual(child._channel, child.channel);
    assert.strictEqual((await warned)[0].code, 'DEP0129');
    child.send('end');
    await once(child, 'close');
  });
}
