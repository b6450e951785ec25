import assert from 'node:assert';
import { ReadableStreamBYOBReader } from 'node:stream/web';
import { test } from '../../test/harness.mjs';

const collect = async (stream) => {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
};

test('chunks go through a pipe in order, with back-pressure', async () => {
  let pulled = 0;
  const source = new ReadableStream({
    pull(controller) {
      if (pulled === 5) controller.close();
      else controller.enqueue(pulled++);
    },
  }, { highWaterMark: 1 });
  const doubled = source.pipeThrough(new TransformStream({ transform(chunk, controller) { controller.enqueue(chunk * 2); } }));
  assert.ok(pulled <= 2);
  assert.deepStrictEqual(await collect(doubled), [0, 2, 4, 6, 8]);
});

test('errors go both ways', async () => {
  const bad = new ReadableStream({ start(controller) { controller.error(new Error('source')); } });
  let aborted;
  await assert.rejects(bad.pipeTo(new WritableStream({ abort(reason) { aborted = reason; } })), /source/);
  assert.strictEqual(aborted.message, 'source');
  let canceled;
  const endless = new ReadableStream({ pull(c) { c.enqueue(1); }, cancel(reason) { canceled = reason; } });
  await assert.rejects(endless.pipeTo(new WritableStream({ write() { throw new Error('sink'); } })), /sink/);
  assert.strictEqual(canceled.message, 'sink');
});

test('a signal ends a pipe', async () => {
  const controller = new AbortController();
  const piping = new ReadableStream().pipeTo(new WritableStream(), { signal: controller.signal });
  controller.abort(new Error('stop'));
  await assert.rejects(piping, /stop/);
});

test('tee gives both branches everything', async () => {
  const [one, two] = ReadableStream.from(['a', 'b']).tee();
  assert.deepStrictEqual(await Promise.all([collect(one), collect(two)]), [['a', 'b'], ['a', 'b']]);
  const bytes = new ReadableStream({
    type: 'bytes',
    start(controller) {
      controller.enqueue(new Uint8Array([1, 2]));
      controller.close();
    },
  });
  const [left, right] = bytes.tee();
  assert.deepStrictEqual(await collect(left), [new Uint8Array([1, 2])]);
  assert.deepStrictEqual(await collect(right), [new Uint8Array([1, 2])]);
});

test('a BYOB reader reads into the given buffer, at least `min`', async () => {
  let next = 0;
  const stream = new ReadableStream({
    type: 'bytes',
    pull(controller) {
      controller.byobRequest.view[0] = next++;
      controller.byobRequest.respond(1);
    },
  });
  const reader = new ReadableStreamBYOBReader(stream);
  const { value } = await reader.read(new Uint8Array(4), { min: 3 });
  assert.deepStrictEqual([...value], [0, 1, 2]);
  await assert.rejects(reader.read(new Uint8Array(1), { min: 2 }), { code: 'ERR_OUT_OF_RANGE' });
  await reader.cancel();
});

test('wrong uses have codes', async () => {
  const stream = new ReadableStream();
  stream.getReader();
  assert.throws(() => stream.getReader(), { code: 'ERR_INVALID_STATE', name: 'TypeError' });
  await assert.rejects(stream.cancel(), { code: 'ERR_INVALID_STATE' });
  assert.throws(() => new ReadableStream({ type: 'x' }), { code: 'ERR_INVALID_ARG_VALUE' });
  assert.throws(() => new WritableStream({ type: 1 }), { name: 'RangeError' });
});

test('text and compression', async () => {
  const text = 'h\u00e9llo '.repeat(1000);
  const packed = ReadableStream.from([text]).pipeThrough(new TextEncoderStream()).pipeThrough(new CompressionStream('gzip'));
  const unpacked = packed.pipeThrough(new DecompressionStream('gzip')).pipeThrough(new TextDecoderStream());
  assert.strictEqual((await collect(unpacked)).join(''), text);
});

test('a stream can be transferred', async () => {
  const stream = ReadableStream.from([1, { two: 2 }]);
  const moved = structuredClone(stream, { transfer: [stream] });
  assert.ok(stream.locked);
  assert.deepStrictEqual(await collect(moved), [1, { two: 2 }]);
});
