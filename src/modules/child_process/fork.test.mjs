import assert from 'node:assert';
import { once } from 'node:events';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from '../../../test/harness.mjs';

if (process.argv[2] === 'child') {
  process.on('message', (message) => {
    process.send({ echo: message });
    if (message === 'bye') process.disconnect();
  });
} else {
  await test('messages go both ways until one side disconnects', async () => {
    const child = fork(fileURLToPath(import.meta.url), ['child']);
    const got = [];
    child.on('message', (message) => got.push(message.echo));
    for (const message of [1, { a: [null, 'x'] }, 'bye']) child.send(message);
    const [code, signal] = await once(child, 'close');
    assert.deepStrictEqual(got, [1, { a: [null, 'x'] }, 'bye']);
    assert.deepStrictEqual([code, signal, child.connected], [0, null, false]);
    const failed = new Promise((resolve) => child.send('late', resolve));
    assert.strictEqual((await failed).code, 'ERR_IPC_CHANNEL_CLOSED');
  });
}
