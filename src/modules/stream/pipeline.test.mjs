import assert from 'node:assert';
import { compose, Duplex, finished, PassThrough, pipeline, Readable, Transform, Writable } from 'node:stream';
import { pipeline as pipelinePromise } from 'node:stream/promises';
import { test } from '../../../test/harness.mjs';

test('streams, iterables and functions connect', async () => {
  const result = await pipelinePromise(
    ['a', 'b'],
    new Transform({ objectMode: true, transform: (chunk, encoding, cb) => cb(null, chunk.toUpperCase()) }),
    async function* (source) {
      for await (const chunk of source) yield `<${chunk}>`;
    },
    async (source) => (await Array.fromAsync(source)).join(''),
  );
  assert.strictEqual(result, '<A><B>');
});

test('an error anywhere destroys all', async () => {
  const source = new Readable({ read() {} });
  const sink = new Writable({ write: (chunk, encoding, cb) => cb() });
  const done = pipelinePromise(source, new PassThrough(), sink);
  source.destroy(new Error('mine'));
  await assert.rejects(done, { message: 'mine' });
  assert.strictEqual(sink.destroyed, true);
});

test('a destroyed destination is refused at once', () => {
  const sink = new Writable({ write() {} });
  sink.destroy();
  assert.throws(() => pipeline(Readable.from(['x']), sink, () => {}), { code: 'ERR_STREAM_UNABLE_TO_PIPE' });
});

test('finished tells of a close before the end', async () => {
  const stream = new Readable({ read() {} });
  const told = new Promise((resolve) => finished(stream, resolve));
  stream.destroy();
  assert.strictEqual((await told).code, 'ERR_STREAM_PREMATURE_CLOSE');
});

test('what a composed tail gave before it failed comes through', async () => {
  const tail = new Transform({
    transform(chunk, encoding, cb) {
      this.push('given');
      cb(new Error('tail'));
    },
  });
  const stream = compose(new PassThrough(), tail);
  const log = [];
  stream.on('data', (chunk) => log.push(String(chunk)));
  stream.on('error', (error) => log.push(error.message));
  stream.write('x');
  await new Promise((resolve) => stream.on('close', resolve));
  assert.deepStrictEqual(log, ['given', 'tail']);
});

test('Duplex.from makes one stream of two ends', async () => {
  const written = [];
  const duplex = Duplex.from({
    readable: Readable.from(['out']),
    writable: new Writable({ objectMode: true, write: (chunk, encoding, cb) => cb(null, written.push(chunk)) }),
  });
  duplex.end('in');
  assert.deepStrictEqual(await duplex.toArray(), ['out']);
  assert.deepStrictEqual(written.map(String), ['in']);
});
