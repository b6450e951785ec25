import assert from 'node:assert';
import { Writable } from 'node:stream';
import { test } from '../../../test/harness.mjs';

test('a write that is done leaves room; one that is not asks for drain', async () => {
  const done = new Writable({ highWaterMark: 3, write: (chunk, encoding, cb) => cb() });
  assert.strictEqual(done.write('long'), true);
  const later = new Writable({ highWaterMark: 3, write: (chunk, encoding, cb) => setImmediate(cb) });
  assert.strictEqual(later.write('long'), false);
  await new Promise((resolve) => later.on('drain', resolve));
});

test('what waits while a write goes on is given to writev together', async () => {
  const batches = [];
  const stream = new Writable({
    decodeStrings: false,
    writev(chunks, cb) {
      batches.push(chunks.map(({ chunk }) => chunk));
      setImmediate(cb);
    },
  });
  for (const chunk of ['a', 'b', 'c']) stream.write(chunk);
  await new Promise((resolve) => stream.end(resolve));
  assert.deepStrictEqual(batches, [['a'], ['b', 'c']]);
});

test('the callback of a write that cannot happen gets the error', async () => {
  const codes = [];
  const stream = new Writable({ write() {} });
  stream.on('error', () => {});
  stream.destroy();
  stream.write('a', (error) => codes.push(error.code));
  await new Promise(setImmediate);
  assert.deepStrictEqual(codes, ['ERR_STREAM_DESTROYED']);
});

test('finish waits for final', async () => {
  const log = [];
  const stream = new Writable({
    write: (chunk, encoding, cb) => cb(),
    final(cb) {
      log.push('final');
      setImmediate(cb);
    },
  });
  stream.on('finish', () => log.push('finish'));
  await new Promise((resolve) => stream.on('close', resolve).end('x'));
  assert.deepStrictEqual(log, ['final', 'finish']);
});
