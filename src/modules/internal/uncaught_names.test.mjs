import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { test } from '../../../test/harness.mjs';

/** What is printed of an error that ends the program: the first line behind the source line and the caret. */
function firstLine(program) {
  const { stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
  return stderr.split('\n\n')[1].split('\n')[0];
}

test('a thrown error keeps the first line of its stack, a rejection is named by its class', () => {
  assert.strictEqual(firstLine('class Foo extends Error {}; throw new Foo("x")'), 'Error: x');
  assert.strictEqual(firstLine('throw new DOMException("x", "AbortError")'), 'AbortError: x');
  assert.strictEqual(firstLine('class Foo extends Error {}; Promise.reject(new Foo("x"))'), 'Foo [Error]: x');
  assert.strictEqual(firstLine('throw Object.setPrototypeOf(new Error("x"), null)'), '[Error: null prototype]: x');
});
