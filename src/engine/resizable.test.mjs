// Shrinking a resizable buffer takes its memory away: operations in flight work on what they were given.
import assert from 'node:assert';
import crypto from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { test } from '../../test/harness.mjs';

const kSize = 1 << 20;

/** @returns {Buffer} of bytes of 7, in resizable memory */
function resizable(size = kSize) {
  return Buffer.from(new ArrayBuffer(size, { maxByteLength: size })).fill(7);
}

/** Starts an operation, shrinks its buffer, and waits. */
async function shrunk(start) {
  const buffer = resizable();
  const result = start(buffer);
  buffer.buffer.resize(0);
  return await result;
}

test('compression reads what it was given', async () => {
  for (const [pack, unpack] of [[zlib.gzip, zlib.gunzipSync], [zlib.deflateRaw, zlib.inflateRawSync]]) {
    const packed = await shrunk((buffer) => promisify(pack)(buffer));
    assert.deepStrictEqual(unpack(packed), Buffer.alloc(kSize, 7));
  }
});

test('compressing streams', async () => {
  const stream = zlib.createDeflate();
  const packed = await shrunk((buffer) => {
    stream.end(buffer);
    return stream.toArray();
  });
  assert.deepStrictEqual(zlib.inflateSync(Buffer.concat(packed)), Buffer.alloc(kSize, 7));
});

test('random bytes go where there still is room', async () => {
  await shrunk((buffer) => promisify(crypto.randomFill)(buffer));
  const buffer = resizable();
  const filled = promisify(crypto.randomFill)(buffer);
  buffer.buffer.resize(1000);
  await filled;
  assert.ok(buffer.some((byte) => byte !== 7));
});

test('sockets send what they were given', async () => {
  const server = net.createServer((socket) => {
    const chunks = [];
    socket.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
      server.emit('told', Buffer.concat(chunks));
      socket.end();
    });
  }).listen(0);
  await once(server, 'listening');
  const socket = net.connect(server.address().port, '127.0.0.1');
  await once(socket, 'connect');
  const told = once(server, 'told');
  await shrunk((buffer) => { socket.write(buffer); socket.end(); });
  assert.deepStrictEqual((await told)[0], Buffer.alloc(kSize, 7));
  server.close();
});

test('files are written from what was given and read into what is there', async () => {
  const file = path.join(os.tmpdir(), `gyre-resizable-${process.pid}`);
  try {
    await shrunk((buffer) => fs.promises.writeFile(file, buffer));
    assert.deepStrictEqual(fs.readFileSync(file), Buffer.alloc(kSize, 7));
    const handle = await fs.promises.open(file);
    const buffer = resizable().fill(0);
    assert.strictEqual((await handle.read(buffer, 0, kSize, 0)).bytesRead, kSize);
    assert.ok(buffer.equals(Buffer.alloc(kSize, 7)));
    await handle.close();
  } finally {
    fs.rmSync(file, { force: true });
  }
});
