// A WebAssembly program with WASI: what it prints, how it ends, and that it stays in its directory.
import assert from 'node:assert';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { WASI } from 'node:wasi';
import { test } from '../../../test/harness.mjs';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gyre-wasi-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

/** An instance without code of its own: the test calls the interface in its place. */
function run(body, options = {}) {
  const wasi = new WASI({ version: 'preview1', preopens: { '/box': folder }, ...options });
  const memory = new WebAssembly.Memory({ initial: 1 });
  let result;
  const program = {
    calls: wasi.wasiImport,
    view: new DataView(memory.buffer),
    put(at, text) {
      const bytes = Buffer.from(text);
      new Uint8Array(memory.buffer).set(bytes, at);
      return [at, bytes.length];
    },
    text: (at, size) => Buffer.from(memory.buffer, at, size).toString(),
  };
  const code = wasi.start({ exports: { memory, _start() { result = body(program); } } });
  return { code, result };
}

const kRead = 1n << 1n;
const kWrite = 1n << 6n;
const kCreate = 1;

test('arguments and environment', () => {
  run(({ calls, view, text }) => {
    assert.strictEqual(calls.args_sizes_get(0, 4), 0);
    assert.deepStrictEqual([view.getUint32(0, true), view.getUint32(4, true)], [2, 6]);
    calls.args_get(16, 64);
    assert.strictEqual(text(64, 6), 'a\0bcd\0');
    calls.environ_get(16, 64);
    assert.strictEqual(text(64, 4), 'K=v\0');
  }, { args: ['a', 'bcd'], env: { K: 'v' } });
});

test('a file is written, found, read and removed', () => {
  run(({ calls, view, put, text }) => {
    assert.strictEqual(calls.path_open(3, 1, ...put(100, 'a.txt'), kCreate, kRead | kWrite, 0n, 0, 0), 0);
    const fd = view.getUint32(0, true);
    view.setUint32(8, 200, true);
    view.setUint32(12, put(200, 'text')[1], true);
    assert.strictEqual(calls.fd_write(fd, 8, 1, 0), 0);
    assert.strictEqual(view.getUint32(0, true), 4);
    assert.strictEqual(fs.readFileSync(path.join(folder, 'a.txt'), 'utf8'), 'text');
    assert.strictEqual(calls.fd_pread(fd, 8, 1, 1n, 0), 76); // no right to seek
    calls.fd_close(fd);
    assert.strictEqual(calls.fd_close(fd), 8);
    assert.strictEqual(calls.fd_readdir(3, 1000, 4096, 0n, 0), 0);
    assert.match(text(1000, view.getUint32(0, true)), /a\.txt$/);
    assert.strictEqual(calls.path_unlink_file(3, ...put(100, 'a.txt')), 0);
    assert.strictEqual(calls.path_unlink_file(3, ...put(100, 'a.txt')), 44);
  });
});

test('no path leads out of the directory', () => {
  fs.symlinkSync('/etc', path.join(folder, 'absolute'));
  fs.symlinkSync('../..', path.join(folder, 'up'));
  fs.symlinkSync('loop', path.join(folder, 'loop'));
  run(({ calls, put }) => {
    const open = (name) => calls.path_open(3, 1, ...put(100, name), 0, kRead, 0n, 0, 0);
    assert.deepStrictEqual(['../x', '/etc/passwd', 'absolute/passwd', 'up/x', 'a/../../x', 'loop', ''].map(open),
                           [76, 76, 76, 76, 76, 32, 44]);
  });
});

test('exit', () => {
  const wasi = new WASI({ version: 'preview1' });
  const memory = new WebAssembly.Memory({ initial: 1 });
  const exports = { memory, _start() { wasi.wasiImport.proc_exit(7); } };
  assert.throws(() => wasi.wasiImport.proc_exit(7), { code: 'ERR_WASI_NOT_STARTED' });
  assert.strictEqual(wasi.start({ exports }), 7);
  assert.throws(() => wasi.start({ exports }), { code: 'ERR_WASI_ALREADY_STARTED' });
});

test('addresses outside of memory, clocks, polling', () => {
  run(({ calls, view }) => {
    assert.strictEqual(calls.random_get(65530, 100), 61);
    assert.strictEqual(calls.clock_time_get(0, 0n, 0), 0);
    assert.ok(Math.abs(Number(view.getBigUint64(0, true) / 1_000_000n) - Date.now()) < 60_000);
    assert.strictEqual(calls.clock_time_get(9, 0n, 0), 28);
    view.setBigUint64(0, 5n, true);
    view.setUint32(16, 1, true);
    view.setBigUint64(24, 1_000_000n, true);
    assert.strictEqual(calls.poll_oneoff(0, 100, 1, 96), 0);
    assert.deepStrictEqual([view.getUint32(96, true), view.getBigUint64(100, true)], [1, 5n]);
  });
});

test('what cannot be opened is said at once', () => {
  assert.throws(() => new WASI({ version: 'preview1', preopens: { '/a': '/nowhere-at-all' } }),
                { code: 'UVWASI_ENOENT', message: /uvwasi_init/ });
  assert.throws(() => new WASI({ version: 'preview9' }), { code: 'ERR_INVALID_ARG_VALUE' });
});
