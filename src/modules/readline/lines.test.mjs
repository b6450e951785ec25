import assert from 'node:assert';
import readline from 'node:readline';
import { PassThrough } from 'node:stream';
import { test } from '../../../test/harness.mjs';

await test('lines end with \\n, \\r\\n or \\r, also between two chunks', async () => {
  const input = new PassThrough();
  const lines = readline.createInterface({ input, crlfDelay: Infinity });
  const got = [];
  const iterate = (async () => {
    for await (const line of lines) got.push(line);
  })();
  for (const chunk of ['a\r', '\nb', '\nc\rd', '\r\n', 'end']) input.write(chunk);
  input.end();
  await iterate;
  assert.deepStrictEqual(got, ['a', 'b', 'c', 'd', 'end']);
});

await test('keys edit the line', () => {
  const input = new PassThrough();
  const rl = readline.createInterface({ input, output: new PassThrough(), terminal: true });
  const lines = [];
  rl.on('line', (line) => lines.push(line));
  input.setRawMode = () => {};
  input.emit('keypress', 'helo', { name: 'x' });
  input.emit('keypress', '', { name: 'left' });
  input.emit('keypress', 'l', { name: 'l' });
  input.emit('keypress', '', { name: 'e', ctrl: true });
  input.emit('keypress', '!', { name: '!' });
  input.emit('keypress', '', { name: 'return' });
  assert.deepStrictEqual(lines, ['hello!']);
  input.emit('keypress', '', { name: 'up' });
  assert.strictEqual(rl.line, 'hello!');
  rl.close();
});
