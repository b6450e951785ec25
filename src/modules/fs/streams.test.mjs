import assert from 'node:assert';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from '../../../test/harness.mjs';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'fs-streams-'));
const file = path.join(dir, 'file');

test('a write stream opens, finishes and closes in this order', async () => {
  const events = [];
  const stream = fs.createWriteStream(file);
  for (const name of ['open', 'ready', 'finish', 'close']) stream.on(name, () => events.push(name));
  stream.write('0123');
  stream.end('456789');
  await once(stream, 'close');
  assert.deepStrictEqual(events, ['open', 'ready', 'finish', 'close']);
  assert.strictEqual(stream.bytesWritten, 10);
});

test('a read stream keeps to its range and chunk size', async () => {
  const chunks = [];
  for await (const chunk of fs.createReadStream(file, { start: 2, end: 5, highWaterMark: 3, encoding: 'latin1' })) {
    chunks.push(chunk);
  }
  assert.deepStrictEqual(chunks, ['234', '5']);
});

test('a handle reads lines and ends closed', async () => {
  fs.writeFileSync(file, 'a\r\nb\nc');
  const handle = await fs.promises.open(file);
  const lines = [];
  for await (const line of handle.readLines()) lines.push(line);
  assert.deepStrictEqual(lines, ['a', 'b', 'c']);
  assert.strictEqual(handle.fd, -1);
});

test('close of a handle waits for what is in flight', async () => {
  const handle = await fs.promises.open(file);
  const reading = handle.read(Buffer.alloc(4), 0, 4, 0);
  await handle.close();
  assert.strictEqual((await reading).bytesRead, 4);
  await assert.rejects(handle.read(), { code: 'EBADF' });
});

test('a missing file is an error, then close', async () => {
  const stream = fs.createReadStream(path.join(dir, 'missing'));
  const told = [];
  stream.on('error', (error) => told.push(error.code));
  // Listened to before the error: it comes in the same tick.
  stream.on('close', () => told.push('close'));
  await new Promise((resolve) => stream.on('close', resolve));
  assert.deepStrictEqual(told, ['ENOENT', 'close']);
});

test('bad ranges are refused at once', () => {
  assert.throws(() => fs.createReadStream(file, { start: 5, end: 2 }), { code: 'ERR_OUT_OF_RANGE' });
  assert.throws(() => fs.createReadStream(file, { start: -1 }), { code: 'ERR_OUT_OF_RANGE' });
});

test('clean up', () => fs.rmSync(dir, { recursive: true }));
