// What the system refuses: descriptors, disk, memory, threads, io_uring, rights.
import assert from 'node:assert';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { skip, test } from '../harness.mjs';
import { denying, isRoot, runChild, scratch, works } from './child.mjs';

const at = (name) => join(scratch, name);
const kBackends = ['auto', 'epoll', 'uring'];
const kIoUring = [425, 426, 427];

function ok(result, expected) {
  assert.strictEqual(result.stderr, '');
  assert.strictEqual(result.stdout.trim(), expected);
  assert.strictEqual(result.status, 0);
}

for (const backend of kBackends) {
  const env = { GYRE_LOOP: backend };

  test(`no descriptor left: every form says EMFILE, and all is well when there are some again (${backend})`, () => {
    ok(runChild(async (given) => {
      const fs = require('fs');
      const { file } = given;
      const code = (error) => (error ? error.code : 'none');
      const attempts = () => Promise.all([
        fs.promises.readFile(file).catch(code),
        new Promise((resolve) => fs.open(file, 'r', (error) => resolve(code(error)))),
        new Promise((resolve) => fs.open(file, 'w', (error) => resolve(code(error)))),
        fs.promises.readdir('/').catch(code),
        fs.promises.stat(file).then(() => 'stat', code),
        new Promise((resolve) => require('net').connect(1, '127.0.0.1').on('error', (error) => resolve(code(error)))),
        new Promise((resolve) => require('child_process').spawn('true').on('error', (error) => resolve(code(error)))
          .on('exit', resolve)),
        code(require('child_process').spawnSync('true').error),
        new Promise((resolve) => new (require('worker_threads').Worker)('1', { eval: true })
          .on('error', (error) => resolve(code(error))).on('exit', resolve)),
      ]);
      console.log('begun'); // makes stdout
      try {
        fs.closeSync('none'); // loads the words of errors
      } catch {}
      fs.writeFileSync(file, '');
      await attempts(); // loads what it needs
      const open = [];
      try {
        for (;;) open.push(fs.openSync(file, 'w'));
      } catch (error) {
        console.log(error.code, error.syscall);
      }
      console.log(...await attempts());
      for (const fd of open) fs.closeSync(fd);
      console.log((await fs.promises.readdir('/')).length > 0);
    }, { values: { file: at('many') }, under: ['prlimit', '--nofile=100'], env }),
    'begun\nEMFILE open\nEMFILE EMFILE EMFILE EMFILE stat EMFILE EMFILE EMFILE ERR_WORKER_INIT_FAILED\ntrue');
  });

  test(`a thread can not be had: what needs one is done all the same (${backend})`, () => {
    if (!isRoot) return;
    // Root knows no such limit, so another user meets it; the loop itself needs no thread.
    const user = { uid: 65533, gid: 65533 };
    if (spawnSync(process.execPath, ['-p', '1'], { ...user, cwd: '/' }).status !== 0) return;
    ok(runChild(async (given) => {
      const { promisify } = require('util');
      const crypto = require('crypto');
      const zlib = require('zlib');
      const key = await promisify(crypto.pbkdf2)('a', 'b', 1000, 8, 'sha1');
      const text = zlib.gunzipSync(await promisify(zlib.gzip)('zipped')).toString();
      const { address } = await require('dns').promises.lookup('localhost');
      const entries = await require('fs').promises.readdir('/');
      console.log(key.length, text, typeof address, entries.length > 0);
      const { Worker } = require('worker_threads');
      try {
        new Worker('1', { eval: true });
      } catch (error) {
        console.log(error.code);
      }
    }, { under: ['prlimit', '--nproc=1'], env, cwd: '/', ...user }), '8 zipped string true\nERR_WORKER_INIT_FAILED');
  });
}

for (const backend of ['auto', 'epoll']) {
  test(`io_uring is refused: epoll and threads do it all (${backend})`, () => {
    if (!works('python3', '-c', '1')) return;
    ok(runChild(async (given) => {
      const fs = require('fs');
      const file = given.file;
      await fs.promises.writeFile(file, 'text');
      const handle = await fs.promises.open(file, 'r+');
      await handle.write('T', 0);
      await handle.close();
      await fs.promises.rename(file, file + '2');
      const server = require('net').createServer((socket) => socket.end('hello')).listen(0, () => {
        require('net').connect(server.address().port).on('data', async (data) => {
          console.log(String(data), await fs.promises.readFile(file + '2', 'utf8'));
          server.close();
        });
      });
    }, { values: { file: at('plain') }, under: denying(...kIoUring), env: { GYRE_LOOP: backend } }), 'hello Text');
  });
}

test('io_uring is refused where it was demanded: an error, not a crash', () => {
  if (!works('python3', '-c', '1')) return;
  const result = runChild('1', { under: denying(...kIoUring), env: { GYRE_LOOP: 'uring' } });
  assert.match(result.stderr, /io_uring/);
  assert.notStrictEqual(result.status, 0);
  assert.strictEqual(result.signal, null);
});

const disk = at('disk');
fs.mkdirSync(disk);
if (isRoot && works('mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk)) {
  for (const backend of kBackends) {
    test(`the disk is full in mid-write (${backend})`, () => {
      try {
        ok(runChild(async (given) => {
          const fs = require('fs');
          const file = given.disk + '/full';
          const code = (error) => error.code + ' ' + error.syscall;
          console.log(await fs.promises.writeFile(file, Buffer.alloc(4 << 20)).catch(code));
          console.log(fs.statSync(file).size === 1 << 20);
          const stream = fs.createWriteStream(file);
          for (let i = 0; i < 64; i++) stream.write(Buffer.alloc(65536));
          console.log(await new Promise((resolve) => stream.on('error', (error) => resolve(code(error)))));
          console.log(stream.bytesWritten === 1 << 20);
          const fd = fs.openSync(given.disk + '/more', 'w');
          try {
            fs.writeSync(fd, Buffer.alloc(4096));
          } catch (error) {
            console.log(code(error));
          }
          console.log(await fs.promises.mkdir(given.disk + '/a').then(() => 'made', code));
          fs.unlinkSync(file);
          await fs.promises.writeFile(file, 'fits again');
          console.log(fs.readFileSync(file, 'utf8'));
        }, { values: { disk }, env: { GYRE_LOOP: backend } }),
        'ENOSPC write\ntrue\nENOSPC write\ntrue\nENOSPC write\nmade\nfits again');
      } finally {
        for (const name of fs.readdirSync(disk)) fs.rmSync(join(disk, name), { recursive: true });
      }
    });
  }
  test('unmount', () => spawnSync('umount', [disk]));
} else {
  skip('the disk is full in mid-write', 'may not mount');
}

test('memory for a buffer can not be had: a RangeError', () => {
  const size = 2 ** 46;
  for (const allocate of [
    () => new ArrayBuffer(size), () => new Uint8Array(size), () => Buffer.alloc(size), () => Buffer.allocUnsafe(size),
    () => Buffer.allocUnsafeSlow(size), () => 'x'.repeat(size),
    () => new SharedArrayBuffer(size), () => new WebAssembly.Memory({ initial: 70_000 }),
  ]) {
    assert.throws(allocate, RangeError, String(allocate));
  }
});

test('signals without end interrupt system calls, and nothing notices', async () => {
  for (const backend of kBackends) {
    const child = spawn(process.execPath, ['-e', `(${async () => {
      const fs = require('fs');
      const file = process.argv[1];
      let signals = 0;
      process.on('SIGUSR2', () => signals++);
      console.log('ready');
      const bytes = Buffer.alloc(300_000, 'x');
      for (let i = 0; i < 40 || signals < 20; i++) {
        await fs.promises.writeFile(file, bytes);
        if (!(await fs.promises.readFile(file)).equals(bytes)) throw new Error('read');
        if (!fs.readFileSync(file).equals(bytes)) throw new Error('readSync');
        const { status, stdout } = require('child_process').spawnSync('cat', [file]);
        if (status !== 0 || !stdout.equals(bytes)) throw new Error('spawnSync');
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      console.log('done');
      process.exit(0);
    }})()`, at('storm')], { env: { ...process.env, GYRE_LOOP: backend }, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (data) => { text += data; });
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    const storm = setInterval(() => {
      for (let i = 0; i < 20; i++) child.kill('SIGUSR2');
    }, 1);
    const [code, signal] = await exited;
    clearInterval(storm);
    assert.deepStrictEqual([code, signal], [0, null]);
    assert.match(text, /done/);
  }
});

test('a stdout that nobody reads any more is EPIPE, not a signal', async () => {
  const program = `
    process.stdout.on('error', (error) => { console.error(error.code); process.exitCode = 3; });
    process.stdin.once('data', () => process.stdout.write('x'.repeat(1e6)));`;
  const child = spawn(process.execPath, ['-e', program], { stdio: 'pipe' });
  child.stdout.destroy();
  await once(child.stdout, 'close');
  child.stdin.end('go');
  const [[code, signal], [text]] = await Promise.all([once(child, 'exit'), once(child.stderr, 'data')]);
  assert.deepStrictEqual([code, signal, String(text)], [3, null, 'EPIPE\n']);
});

test('rights given up hold for all ways to a file', () => {
  if (!isRoot) return;
  const secret = at('secret');
  fs.chmodSync(scratch, 0o755);
  fs.writeFileSync(secret, 'x', { mode: 0o600 });
  for (const backend of kBackends) {
    ok(runChild(async (given) => {
      const fs = require('fs');
      const { secret } = given;
      const code = (error) => error.code;
      const attempts = async () => [
        ...await Promise.all([
          fs.promises.readFile(secret, 'utf8').catch(code),
          fs.promises.open(secret, 'r').then((handle) => handle.close(), code),
          fs.promises.open(secret, 'a+').then((handle) => handle.close(), code),
          fs.promises.writeFile(secret, 'x', { flag: 'r+' }).catch(code),
          fs.promises.chmod(secret, 0o600).catch(code),
          fs.promises.truncate(secret, 1).catch(code),
          fs.promises.rename(secret, secret).catch(code),
        ]),
        (() => {
          try {
            return fs.readFileSync(secret, 'utf8');
          } catch (error) {
            return error.code;
          }
        })(),
      ].join();
      console.log(await attempts());
      process.setgroups([]);
      process.setgid(65534);
      process.setuid(65534);
      console.log(await attempts());
    }, { values: { secret }, env: { GYRE_LOOP: backend } }),
    'x,,,,,,,x\nEACCES,EACCES,EACCES,EACCES,EPERM,EACCES,,EACCES');
  }
});
