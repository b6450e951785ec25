// SIGPIPE ends nobody: writing to what nobody reads is an error like others.
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { test } from '../harness.mjs';

/** Runs a script whose standard output nobody reads any more; its exit and what it says on standard error. */
async function deaf(script) {
  const child = spawn(process.execPath, ['-e', `process.stdin.once('data', () => { ${script} })`]);
  child.stdout.destroy();
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (part) => { said += part; });
  child.stdin.end('go');
  const [code, signal] = await once(child, 'close');
  return { code, signal, said };
}

test('standard output: EPIPE for those who listen', async () => {
  const outcome = await deaf(`process.stdout.on('error', (error) => { console.error(error.code, error.syscall); });
    process.stdout.write('x'.repeat(100));`);
  assert.deepStrictEqual(outcome, { code: 0, signal: null, said: 'EPIPE write\n' });
});

test('standard output: an uncaught error for the others', async () => {
  const { code, signal, said } = await deaf("process.stdout.write('x');");
  assert.deepStrictEqual([code, signal], [1, null]);
  assert.match(said, /EPIPE/);
});

test('console.log into the void is no error', async () => {
  const outcome = await deaf("console.log('x'); setTimeout(() => process.exit(7), 10);");
  assert.deepStrictEqual(outcome, { code: 7, signal: null, said: '' });
});

test('sockets: EPIPE or ECONNRESET', async () => {
  const server = net.createServer((socket) => socket.once('data', () => socket.resetAndDestroy())).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = net.connect(server.address().port, '127.0.0.1');
  const codes = [];
  socket.on('error', (error) => codes.push(error.code));
  await once(socket, 'connect');
  const more = setInterval(() => socket.write('x'.repeat(1000)), 1);
  await new Promise((resolve) => socket.on('close', resolve));
  clearInterval(more);
  assert.strictEqual(codes.length, 1);
  assert.ok(['EPIPE', 'ECONNRESET'].includes(codes[0]), codes[0]);
  server.close();
});
