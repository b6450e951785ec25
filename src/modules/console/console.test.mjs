// class Console: where text goes, groups, counts, assertions, and streams that fail.
import assert from 'node:assert';
import { Writable } from 'node:stream';
import { test } from '../../../test/harness.mjs';

function capture(options) {
  const lines = [];
  const sink = (mark) => new Writable({
    write(chunk, encoding, callback) {
      lines.push(mark + chunk);
      callback();
    },
  });
  return { lines, console: new console.Console({ stdout: sink(''), stderr: sink('E:'), ...options }) };
}

test('log, error, groups', () => {
  const { lines, console } = capture();
  console.log('%s', 'a', { b: 1 });
  console.error('two\nlines');
  console.group('g');
  console.log('in\nside');
  console.groupEnd();
  console.log();
  assert.deepStrictEqual(lines, ['a { b: 1 }\n', 'E:two\nlines\n', 'g\n', '  in\n  side\n', '\n']);
});

test('count, assert, dir', () => {
  const { lines, console } = capture();
  console.count();
  console.count('x');
  console.count();
  console.assert(false, 'why %s', 1);
  console.assert(true);
  console.dir({ a: { b: { c: {} } } }, { depth: 0 });
  assert.deepStrictEqual(lines,
    ['default: 1\n', 'x: 1\n', 'default: 2\n', 'E:Assertion failed: why 1\n', '{ a: [Object] }\n']);
});

test('methods are bound', () => {
  const { lines, console } = capture();
  const { log } = console;
  log('detached');
  assert.deepStrictEqual(lines, ['detached\n']);
});

test('a failing stream is ignored unless asked otherwise', () => {
  const stdout = new Writable({
    write() {
      throw new Error('boom');
    },
  });
  new console.Console(stdout).log('x');
  assert.strictEqual(stdout.listenerCount('error'), 0);
});

test('bad options', () => {
  assert.throws(() => new console.Console(), { code: 'ERR_CONSOLE_WRITABLE_STREAM' });
  assert.throws(() => new console.Console({ stdout: process.stdout, colorMode: 'x' }), { code: 'ERR_INVALID_ARG_VALUE' });
});
