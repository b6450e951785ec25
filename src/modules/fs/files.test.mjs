import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from '../../../test/harness.mjs';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'fs-files-'));
const at = (...parts) => path.join(dir, ...parts);

test('a name that is not UTF-8 goes through as bytes', async () => {
  const name = Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0xff, 0xfe])]);
  fs.writeFileSync(name, 'odd');
  assert.strictEqual(fs.readFileSync(name, 'utf8'), 'odd');
  assert.strictEqual(await fs.promises.readFile(name, 'latin1'), 'odd');
  assert.deepStrictEqual(fs.readdirSync(dir, { encoding: 'buffer' }), [Buffer.from([0xff, 0xfe])]);
  fs.unlinkSync(name);
});

test('files whose size says nothing are read whole', async () => {
  assert.ok(fs.readFileSync('/proc/self/status').length > 100);
  assert.ok((await fs.promises.readFile('/proc/self/status', 'utf8')).includes('Pid:'));
});

test('a directory cannot be read as a file', async () => {
  assert.throws(() => fs.readFileSync(dir), { code: 'EISDIR', syscall: 'read' });
  await assert.rejects(fs.promises.readFile(dir), { code: 'EISDIR', syscall: 'read' });
});

test('a FIFO is read until its writer closes it, beside other reads', async () => {
  execFileSync('mkfifo', [at('fifo')]);
  const reading = fs.promises.readFile(at('fifo'), 'utf8');
  fs.writeFileSync(at('plain'), 'plain');
  assert.strictEqual(await fs.promises.readFile(at('plain'), 'utf8'), 'plain');
  await fs.promises.writeFile(at('fifo'), 'through');
  assert.strictEqual(await reading, 'through');
});

test('a descriptor is read and written from where it stands', () => {
  const fd = fs.openSync(at('stand'), 'w+');
  fs.writeFileSync(fd, 'one ');
  fs.writeFileSync(fd, 'two');
  assert.strictEqual(fs.readFileSync(fd, 'utf8'), '');
  assert.strictEqual(fs.readSync(fd, Buffer.alloc(3), 0, 3, 4), 3);
  fs.closeSync(fd);
  assert.strictEqual(fs.readFileSync(at('stand'), 'utf8'), 'one two');
});

test('mkdir -p tells the first directory that it made', async () => {
  assert.strictEqual(fs.mkdirSync(at('p/q/r'), { recursive: true }), at('p'));
  assert.strictEqual(fs.mkdirSync(at('p/q'), { recursive: true }), undefined);
  assert.strictEqual(await fs.promises.mkdir(at('p/x/y'), { recursive: true }), at('p/x'));
});

test('Stats as numbers, as bigints, with dates', () => {
  fs.writeFileSync(at('times'), 'x');
  fs.utimesSync(at('times'), 1, 1500000000.25);
  const stats = fs.statSync(at('times'));
  assert.strictEqual(stats.mtimeMs, 1500000000250);
  assert.strictEqual(stats.mtime.toISOString(), '2017-07-14T02:40:00.250Z');
  assert.strictEqual(fs.statSync(at('times'), { bigint: true }).mtimeNs, 1500000000250000000n);
  assert.ok(stats.isFile() && !stats.isDirectory());
});

test('cp follows links only when told to', async () => {
  fs.mkdirSync(at('src'));
  fs.writeFileSync(at('src/file'), 'data');
  fs.symlinkSync('file', at('src/link'));
  fs.cpSync(at('src'), at('plain-copy'), { recursive: true });
  await fs.promises.cp(at('src'), at('deep-copy'), { recursive: true, dereference: true });
  assert.ok(fs.lstatSync(at('plain-copy/link')).isSymbolicLink());
  assert.ok(fs.lstatSync(at('deep-copy/link')).isFile());
  assert.throws(() => fs.cpSync(at('src'), at('no')), { code: 'ERR_FS_EISDIR' });
});

test('rm wants to be told about directories, and forgives only with force', () => {
  assert.throws(() => fs.rmSync(at('src')), { code: 'ERR_FS_EISDIR' });
  assert.throws(() => fs.rmSync(at('nothing')), { code: 'ENOENT', syscall: 'lstat' });
  fs.rmSync(at('nothing'), { force: true });
});

test('glob finds by pattern', async () => {
  assert.deepStrictEqual(fs.globSync('src/*', { cwd: dir }).sort(), ['src/file', 'src/link']);
  const found = [];
  for await (const name of fs.promises.glob('p/**/y', { cwd: dir })) found.push(name);
  assert.deepStrictEqual(found, ['p/x/y']);
});

test('opendir reads a tree and closes itself', async () => {
  const seen = [];
  for await (const entry of await fs.promises.opendir(at('p'), { recursive: true })) seen.push(entry.name);
  assert.deepStrictEqual(seen.sort(), ['q', 'r', 'x', 'y']);
});

test('clean up', () => fs.rmSync(dir, { recursive: true }));
