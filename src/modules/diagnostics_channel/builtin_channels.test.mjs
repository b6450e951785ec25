// What the core announces: sockets, child processes, workers.
import assert from 'node:assert';
import dc from 'node:diagnostics_channel';
import dgram from 'node:dgram';
import net from 'node:net';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { spawn } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import { test } from '../../../test/harness.mjs';

/** The messages of a channel while `work` runs. */
async function listen(name, work) {
  const messages = [];
  const subscriber = (message) => messages.push(message);
  dc.subscribe(name, subscriber);
  await work();
  dc.unsubscribe(name, subscriber);
  return messages;
}

test('every way to connect is announced once', async () => {
  const server = net.createServer((socket) => socket.destroy()).listen(0);
  await once(server, 'listening');
  const { port } = server.address();
  const sockets = [];
  const messages = await listen('net.client.socket', () => {
    sockets.push(net.connect(port), net.createConnection({ port }), new net.Socket().connect(port));
  });
  assert.deepStrictEqual(messages.map(({ socket }) => sockets.indexOf(socket)), [0, 1, 2]);
  await Promise.all(sockets.map((socket) => once(socket.on('error', () => {}), 'close')));
  server.close();
});

test('udp.socket, child_process and worker_threads', async () => {
  const [udp] = await listen('udp.socket', () => dgram.createSocket('udp4').close());
  assert.ok(udp.socket instanceof dgram.Socket);
  let child;
  const [started] = await listen('child_process', async () => {
    child = spawn('/bin/true');
    await once(child, 'close');
  });
  assert.strictEqual(started.process, child);
  let worker;
  const [thread] = await listen('worker_threads', async () => {
    worker = new Worker('0', { eval: true });
    await once(worker, 'exit');
  });
  assert.strictEqual(thread.worker, worker);
});

test('require() and import() are traced', async () => {
  const require = createRequire(import.meta.url);
  const events = [];
  const note = (name) => ({ id, url, error, result }) => {
    events.push([name, id ?? url, error?.code, result === undefined ? undefined : typeof result]);
  };
  const names = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];
  const subscribers = Object.fromEntries(names.map((name) => [name, note(name)]));
  dc.tracingChannel('module.require').subscribe(subscribers);
  require('path');
  assert.throws(() => require('nowhere-at-all'));
  dc.tracingChannel('module.require').unsubscribe(subscribers);
  assert.deepStrictEqual(events.splice(0), [
    ['start', 'path', undefined, undefined], ['end', 'path', undefined, 'object'],
    ['start', 'nowhere-at-all', undefined, undefined], ['error', 'nowhere-at-all', 'MODULE_NOT_FOUND', undefined],
    ['end', 'nowhere-at-all', 'MODULE_NOT_FOUND', undefined],
  ]);
  dc.tracingChannel('module.import').subscribe(subscribers);
  await import('node:url');
  dc.tracingChannel('module.import').unsubscribe(subscribers);
  assert.deepStrictEqual(events.map(([name]) => name), ['start', 'end', 'asyncStart', 'asyncEnd']);
});
