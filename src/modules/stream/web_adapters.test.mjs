import assert from 'node:assert';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from '../../../test/harness.mjs';

test('a Readable goes to the web and comes back', async () => {
  const back = Readable.fromWeb(Readable.toWeb(Readable.from(['a', 'b'], { objectMode: false })));
  assert.strictEqual(await text(back), 'ab');
});

test('a Writable is written to and closed from the web', async () => {
  const chunks = [];
  const stream = new Writable({ write: (chunk, encoding, cb) => cb(null, chunks.push(String(chunk))) });
  const writer = Writable.toWeb(stream).getWriter();
  await writer.write(new TextEncoder().encode('x'));
  await writer.close();
  assert.deepStrictEqual(chunks, ['x']);
  assert.strictEqual(stream.writableFinished, true);
});
