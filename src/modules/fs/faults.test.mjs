import assert from 'node:assert';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { test } from '../../../test/harness.mjs';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'fs-faults-'));
const at = (name) => path.join(dir, name);

test('killed at any point of write and rename: the old file or the new, never a mix', async () => {
  const script = at('writer.cjs');
  const target = at('target');
  fs.writeFileSync(target, 'x'.repeat(100000));
  fs.writeFileSync(script, `
    const fs = require('fs');
    const target = ${JSON.stringify(target)};
    (async () => {
      for (let i = 0; ; i++) {
        await fs.promises.writeFile(target + '.new', String.fromCharCode(97 + i % 26).repeat(100000));
        await fs.promises.rename(target + '.new', target);
        if (i === 0) fs.writeSync(1, 'begun');
      }
    })();`);
  for (let round = 0; round < 5; round++) {
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    for (let i = 0; i < round * 1000; i++) fs.existsSync(target);
    child.kill('SIGKILL');
    await once(child, 'close');
    const text = fs.readFileSync(target, 'utf8');
    assert.strictEqual(text, text[0].repeat(100000));
  }
});

test('flush: data is synchronized before writeFile ends', async () => {
  const calls = [];
  const { fsyncSync } = fs;
  fs.fsyncSync = (fd) => { calls.push(fd); fsyncSync(fd); };
  fs.writeFileSync(at('flushed'), 'x', { flush: true });
  fs.writeFileSync(at('plain'), 'x');
  fs.fsyncSync = fsyncSync;
  assert.strictEqual(calls.length, 1);
  await fs.promises.writeFile(at('flushed'), 'y', { flush: true });
  assert.strictEqual(fs.readFileSync(at('flushed'), 'utf8'), 'y');
});

test('a working directory that was deleted', () => {
  const gone = at('gone');
  const script = at('gone.cjs');
  fs.mkdirSync(gone);
  fs.writeFileSync(script, `
    const fs = require('fs');
    process.chdir(${JSON.stringify(gone)});
    fs.rmdirSync(${JSON.stringify(gone)});
    for (const f of [() => process.cwd(), () => fs.readFileSync('x'), () => fs.writeFileSync('x', '')]) {
      try { f(); console.log('done'); } catch (error) { console.log(error.code); }
    }`);
  const { stdout } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  assert.strictEqual(stdout, 'ENOENT\nENOENT\nENOENT\n');
});

test('a full disk in mid-write is ENOSPC', async () => {
  const bytes = Buffer.alloc(4096);
  assert.throws(() => fs.writeFileSync('/dev/full', bytes), { code: 'ENOSPC', syscall: 'write' });
  await assert.rejects(fs.promises.writeFile('/dev/full', bytes), { code: 'ENOSPC' });
  const stream = fs.createWriteStream('/dev/full');
  stream.write(bytes);
  const [error] = await once(stream, 'error');
  assert.strictEqual(error.code, 'ENOSPC');
});

test('buffers that are detached or shrunk under a call do no harm', async () => {
  const handle = await fs.promises.open(at('plain'), 'r+');
  const buffer = new Uint8Array(1 << 16);
  const reading = handle.read(buffer, 0, buffer.length, 0);
  structuredClone(buffer.buffer, { transfer: [buffer.buffer] });
  await reading;
  await handle.close();
});

test('ten thousand writes in flight at once all end', async () => {
  const fd = fs.openSync(at('many'), 'w');
  const writes = Array.from({ length: 10000 }, (_, i) => new Promise((resolve, reject) => {
    fs.write(fd, Buffer.from('12345678'), 0, 8, i * 8, (error) => (error ? reject(error) : resolve()));
  }));
  await Promise.all(writes);
  fs.closeSync(fd);
  assert.strictEqual(fs.statSync(at('many')).size, 80000);
});

test('a writer that waits for the reader of a FIFO is heard', async () => {
  spawnSync('mkfifo', [at('fifo')]);
  for (let round = 0; round < 10; round++) {
    const writer = spawn('sh', ['-c', `echo ${round} > ${at('fifo')}`], { stdio: 'ignore' });
    const closed = once(writer, 'close');
    assert.strictEqual(await fs.promises.readFile(at('fifo'), 'utf8'), `${round}\n`);
    await closed;
  }
});

test('what a worker left open is closed with it', async () => {
  const source = `const fs = require('fs');
    require('worker_threads').parentPort.postMessage(fs.openSync(${JSON.stringify(at('plain'))}));`;
  const worker = new Worker(source, { eval: true });
  const [[fd]] = await Promise.all([once(worker, 'message'), once(worker, 'exit')]);
  assert.throws(() => fs.fstatSync(fd), { code: 'EBADF' });
});

test('bad descriptors are EBADF in every form', async () => {
  const fd = fs.openSync(at('plain'));
  fs.closeSync(fd);
  assert.throws(() => fs.fstatSync(fd), { code: 'EBADF', syscall: 'fstat' });
  assert.throws(() => fs.readSync(fd, Buffer.alloc(1)), { code: 'EBADF', syscall: 'read' });
  assert.throws(() => fs.closeSync(fd), { code: 'EBADF', syscall: 'close' });
});

test('clean up', () => fs.rmSync(dir, { recursive: true }));
