import assert from 'node:assert';
import { once } from 'node:events';
import repl from 'node:repl';
import { PassThrough } from 'node:stream';
import { test } from '../../../test/harness.mjs';

/** What the loop prints for these lines. */
async function session(lines) {
  const input = new PassThrough();
  const output = new PassThrough();
  const server = repl.start({ prompt: '', input, output, terminal: false, useColors: false });
  let printed = '';
  output.on('data', (text) => { printed += text; });
  input.end(lines.map((line) => `${line}\n`).join(''));
  await once(server, 'exit');
  return printed;
}

await test('results, objects, errors and the last value', async () => {
  assert.strictEqual(await session(['1 + 1', '_ * 21', '{ a: 1 }', 'throw new Error("x")', '_error.message']),
    "2\n42\n{ a: 1 }\nUncaught Error: x\n'x'\n");
});

await test('an unfinished input goes on', async () => {
  assert.strictEqual(await session(['function f() {', 'return 5; }', 'f()', '`a', 'b`']), "| undefined\n5\n| 'a\\nb'\n");
});

await test('await at the top level, with declarations that stay', async () => {
  assert.match(await session(['const { x } = await Promise.resolve({ x: 3 })', 'x', 'await Promise.reject(new Error("no"))']),
    /^undefined\n3\nUncaught Error: no\n/);
});

await test('commands', async () => {
  assert.match(await session(['.nothing', '.help', '.exit']), /^Invalid REPL keyword\n\.break[^]*Ctrl\+D to exit the REPL\n$/);
});
