import assert from 'node:assert';
import { Readable } from 'node:stream';
import { test } from '../../../test/harness.mjs';

const collect = async (stream) => {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
};

test('read(n) joins and splits chunks', async () => {
  const stream = new Readable({ read() {} });
  stream.push('abc');
  stream.push('defg');
  stream.push(null);
  await new Promise((done) => stream.once('readable', done));
  assert.strictEqual(String(stream.read(2)), 'ab');
  assert.strictEqual(String(stream.read(3)), 'cde');
  assert.strictEqual(String(stream.read()), 'fg');
  assert.strictEqual(stream.read(), null);
});

test('setEncoding joins characters that chunks cut', async () => {
  const bytes = Buffer.from('aéb');
  const stream = Readable.from([bytes.subarray(0, 2), bytes.subarray(2)], { objectMode: false });
  stream.setEncoding('utf8');
  assert.strictEqual((await collect(stream)).join(''), 'aéb');
});

test('nothing ends after destroy, and close comes last', async () => {
  const log = [];
  const stream = new Readable({ read() {} });
  for (const name of ['end', 'error', 'close']) stream.on(name, () => log.push(name));
  stream.resume();
  stream.push('x');
  stream.destroy(new Error('mine'));
  assert.strictEqual(stream.push(null), false);
  await new Promise(setImmediate);
  assert.deepStrictEqual(log, ['error', 'close']);
});

test('push after the end and other bad input are errors of the stream', async () => {
  for (const [chunk, code] of [['x', 'ERR_STREAM_PUSH_AFTER_EOF'], [5, 'ERR_INVALID_ARG_TYPE']]) {
    const stream = new Readable({ read() {} });
    const failed = new Promise((done) => stream.on('error', done));
    if (code === 'ERR_STREAM_PUSH_AFTER_EOF') stream.push(null);
    stream.push(chunk);
    assert.strictEqual((await failed).code, code);
  }
});

test('leaving for await destroys the stream', async () => {
  const stream = Readable.from([1, 2, 3]);
  for await (const chunk of stream) {
    assert.strictEqual(chunk, 1);
    break;
  }
  assert.strictEqual(stream.destroyed, true);
});

test('operators work in order, with several calls at once', async () => {
  const numbers = Readable.from([1, 2, 3, 4]);
  const result = await numbers
    .map(async (n) => n * 2, { concurrency: 2 })
    .filter((n) => n > 2)
    .toArray();
  assert.deepStrictEqual(result, [4, 6, 8]);
});
