// A parent stays until the channel to its child ends, also after a handle went over it.
import assert from 'node:assert';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { test } from '../../../test/harness.mjs';

if (process.argv[2] === 'child') {
  process.on('message', (message, socket) => {
    process.send('got it');
    socket.destroy();
  });
} else {
  await test("'disconnect' is told when the child ends", async () => {
    const child = fork(fileURLToPath(import.meta.url), ['child']);
    const server = net.createServer((socket) => child.send('take it', socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = net.connect(server.address().port, '127.0.0.1');
    await Promise.all([once(child, 'message'), once(client.resume(), 'close')]);
    server.close();
    const told = [];
    for (const name of ['exit', 'disconnect']) child.on(name, () => told.push(name));
    child.kill();
    await once(child, 'close');
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepStrictEqual(told.sort(), ['disconnect', 'exit']);
  });
}
