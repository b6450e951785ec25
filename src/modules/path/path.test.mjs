import assert from 'node:assert';
import path from 'node:path';
import { test } from '../../../test/harness.mjs';

const { posix, win32 } = path;

test('node:path is the POSIX flavour and names both', () => {
  assert.strictEqual(path, posix);
  assert.strictEqual(posix.win32, win32);
  assert.strictEqual(win32.posix, posix);
});

test('normalize collapses dots and keeps a trailing separator', () => {
  assert.strictEqual(posix.normalize('/a//b/./c/../d/'), '/a/b/d/');
  assert.strictEqual(posix.normalize('../a/../..'), '../..');
  assert.strictEqual(win32.normalize('C:\\a/..\\..\\b'), 'C:\\b');
  assert.strictEqual(win32.normalize('//server/share/../x'), '\\\\server\\share\\x');
});

test('a relative Windows path never turns into a drive or a device', () => {
  assert.strictEqual(win32.normalize('x/../C:a'), '.\\C:a');
  assert.strictEqual(win32.normalize('CON:a'), '.\\CON:a');
});

test('relative goes up only as far as needed', () => {
  assert.strictEqual(posix.relative('/a/b/c', '/a/d'), '../../d');
  assert.strictEqual(posix.relative('/a', '/'), '..');
  assert.strictEqual(win32.relative('C:\\A\\b', 'c:\\a\\c'), '..\\c');
});

test('parse and format mirror each other', () => {
  const parsed = posix.parse('/home/me/file.tar.gz');
  assert.deepStrictEqual(parsed, { root: '/', dir: '/home/me', base: 'file.tar.gz', ext: '.gz', name: 'file.tar' });
  assert.strictEqual(posix.format(parsed), '/home/me/file.tar.gz');
  assert.strictEqual(posix.format({ dir: '/', base: 'x' }), '//x');
});

test('arguments that are no strings are refused with a code', () => {
  assert.throws(() => path.join(1), { code: 'ERR_INVALID_ARG_TYPE' });
  assert.throws(() => path.resolve('a', null), { code: 'ERR_INVALID_ARG_TYPE' });
});
