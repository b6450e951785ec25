// Odd files and odd paths, in all three forms and on each backend of the loop.
import assert from 'node:assert';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { test } from '../harness.mjs';
import { isRoot, runChild, scratch } from './child.mjs';

const at = (name) => join(scratch, name);

/** What the forms of a function say: 'ok' or the code and call of the error; all the same, or an array. */
async function outcome(name, ...args) {
  const tell = (error) => [error.code, error.syscall].filter(Boolean).join(' ');
  const told = [];
  try {
    fs[`${name}Sync`](...args);
    told.push('ok');
  } catch (error) {
    told.push(tell(error));
  }
  told.push(await new Promise((resolve) => {
    try {
      fs[name](...args, (error) => resolve(error ? tell(error) : 'ok'));
    } catch (error) {
      resolve(tell(error));
    }
  }));
  told.push(await fs.promises[name](...args).then(() => 'ok', tell));
  return told.every((one) => one === told[0]) ? told[0] : told;
}

const kOfPaths = [
  ['readFile'], ['stat'], ['lstat'], ['access'], ['readdir'], ['unlink'], ['rmdir'], ['readlink'], ['truncate'], ['opendir'],
  ['chmod', 0o600], ['utimes', 1, 1], ['writeFile', 'x'], ['appendFile', 'x'], ['open', 'r'], ['realpath'], ['statfs'],
];

test('a path with NUL is refused before anything happens', async () => {
  for (const [name, ...rest] of kOfPaths) {
    assert.strictEqual(await outcome(name, `${scratch}/a\0b`, ...rest), 'ERR_INVALID_ARG_VALUE', name);
    assert.strictEqual(await outcome(name, Buffer.from(`${scratch}/a\0b`), ...rest), 'ERR_INVALID_ARG_VALUE', name);
  }
  assert.strictEqual(await outcome('rename', at('a'), at('b\0')), 'ERR_INVALID_ARG_VALUE');
  assert.deepStrictEqual(fs.readdirSync(scratch).filter((name) => name.startsWith('a')), []);
});

test('a path of 5,000 characters is ENAMETOOLONG', async () => {
  for (const path of [`/${'x'.repeat(5000)}`, `/${'y/'.repeat(2500)}`, Buffer.from(`/${'z'.repeat(5000)}`)]) {
    for (const [name, ...rest] of kOfPaths) {
      if (name === 'realpath' && !String(path).startsWith('/x')) continue; // resolved piece by piece
      assert.match(String(await outcome(name, path, ...rest)), /^ENAMETOOLONG [a-z]+(,ENAMETOOLONG [a-z]+)*$/, name);
    }
  }
});

test('a name that is no UTF-8 is a file like any other', async () => {
  const name = Buffer.from([0x66, 0xff, 0xfe, 0x80]);
  const path = Buffer.concat([Buffer.from(`${scratch}/bytes/`), name]);
  fs.mkdirSync(at('bytes'));
  fs.writeFileSync(path, 'one');
  await fs.promises.appendFile(path, 'two');
  assert.strictEqual(await fs.promises.readFile(path, 'utf8'), 'onetwo');
  assert.deepStrictEqual(fs.readdirSync(at('bytes'), { encoding: 'buffer' }), [name]);
  assert.deepStrictEqual((await fs.promises.readdir(at('bytes'), { encoding: 'buffer', withFileTypes: true }))[0].name, name);
  assert.deepStrictEqual(fs.realpathSync.native(path, 'buffer').subarray(-4), name);
  const copy = Buffer.concat([path, Buffer.from([0xc0])]);
  await fs.promises.copyFile(path, copy);
  await fs.promises.rename(copy, path);
  await fs.promises.symlink(name, copy);
  assert.deepStrictEqual(await fs.promises.readlink(copy, 'buffer'), name);
  assert.strictEqual(fs.statSync(copy).size, 6);
  fs.rmSync(at('bytes'), { recursive: true });
  assert.strictEqual(fs.existsSync(at('bytes')), false);
});

test('a directory where a file is wanted, and the other way round', async () => {
  fs.writeFileSync(at('file'), 'x');
  assert.deepStrictEqual(await outcome('readFile', scratch), 'EISDIR read');
  assert.deepStrictEqual(await outcome('writeFile', scratch, 'x'), 'EISDIR open');
  assert.deepStrictEqual(await outcome('readdir', at('file')), 'ENOTDIR scandir');
  assert.deepStrictEqual(await outcome('stat', at('file/below')), 'ENOTDIR stat');
  assert.deepStrictEqual(await outcome('rmdir', at('file')), 'ENOTDIR rmdir');
  assert.deepStrictEqual(await outcome('mkdir', at('file')), 'EEXIST mkdir');
  const stream = fs.createReadStream(scratch);
  assert.strictEqual((await new Promise((resolve) => stream.on('error', resolve).resume())).code, 'EISDIR');
});

for (const backend of ['auto', 'epoll', 'uring']) {
  const env = { GYRE_LOOP: backend };

  test(`files that say that they are empty are read to their end (${backend})`, () => {
    const { stdout, stderr } = runChild(async (given) => {
      const fs = require('fs');
      const name = '/proc/self/status';
      const whole = (text) => /^Name:[^]*nonvoluntary_ctxt_switches/.test(text);
      console.log(fs.statSync(name).size);
      console.log(whole(fs.readFileSync(name, 'utf8')), whole(String(fs.readFileSync(name))));
      console.log(whole(await fs.promises.readFile(name, 'utf8')));
      let text = '';
      for await (const chunk of fs.createReadStream(name, { highWaterMark: 16 })) text += chunk;
      console.log(whole(text));
      const handle = await fs.promises.open(name);
      console.log(whole(await handle.readFile('utf8')));
      await handle.close();
      await fs.promises.copyFile(name, given.copy);
      console.log(whole(fs.readFileSync(given.copy, 'utf8')));
    }, { env, values: { copy: at('copy') } });
    assert.strictEqual(stderr, '');
    assert.strictEqual(stdout, '0\ntrue true\ntrue\ntrue\ntrue\ntrue\n');
  });

  test(`both ends of a FIFO in one program; what waits for an end holds up nothing else (${backend})`, () => {
    const fifo = at(`fifo-${backend}`);
    execFileSync('mkfifo', [fifo]);
    const { stdout, stderr, status } = runChild(async (given) => {
      const fs = require('fs');
      const { fifo, file } = given;
      const readers = [fs.promises.readFile(fifo, 'utf8')];
      for (let i = 0; i < 20; i++) await fs.promises.writeFile(file, String(i));
      console.log(await fs.promises.readFile(file, 'utf8'));
      await fs.promises.writeFile(fifo, 'whole');
      console.log(await readers[0]);
      let text = '';
      const ended = new Promise((resolve) => {
        fs.createReadStream(fifo).on('data', (data) => { text += data; }).on('close', resolve);
      });
      const stream = fs.createWriteStream(fifo);
      for (let i = 0; i < 1000; i++) stream.write('0123456789'.repeat(40));
      stream.end();
      await ended;
      console.log(text.length);
    }, { env, values: { fifo, file: at('beside') } });
    assert.strictEqual(stderr, '');
    assert.strictEqual(stdout, '19\nwhole\n400000\n');
    assert.strictEqual(status, 0);
  });

  test(`in a working directory that is gone (${backend})`, () => {
    const gone = at(`gone-${backend}`);
    fs.mkdirSync(gone);
    const { stdout, stderr } = runChild(async (given) => {
      const fs = require('fs');
      const code = (error) => error.code;
      const attempt = (call) => {
        try {
          return call();
        } catch (error) {
          return error.code;
        }
      };
      fs.rmdirSync(given.gone);
      console.log(attempt(() => fs.readFileSync('x')), attempt(() => fs.mkdirSync('x')));
      console.log(await fs.promises.writeFile('x', '').catch(code), await fs.promises.stat('..').then(() => 'there', code));
      const child = require('child_process').spawn('/bin/true', { cwd: '/' });
      child.on('exit', (status) => console.log(status));
      process.chdir('/');
      console.log(process.cwd());
    }, { env, values: { gone }, cwd: gone });
    assert.strictEqual(stderr, '');
    assert.strictEqual(stdout, 'ENOENT ENOENT\nENOENT there\n/\n0\n');
  });
}

test('a program begins in a working directory that is gone', () => {
  const gone = at('begun');
  fs.mkdirSync(gone);
  const { stdout, status } = spawnSync('sh', ['-c', `cd "${gone}"; rmdir "${gone}"; "${process.execPath}" -p 1+1`], { encoding: 'utf8' });
  assert.deepStrictEqual([stdout, status], ['2\n', 0]);
});

test('flush reaches the disk before the call ends', () => {
  const log = at('trace');
  const { status } = spawnSync('strace', ['-V']);
  if (status !== 0) return;
  for (const backend of ['auto', 'epoll']) {
    const traced = runChild(async (given) => {
      const fs = require('fs');
      fs.writeFileSync(given.file, 'a', { flush: true });
      await fs.promises.writeFile(given.file, 'b', { flush: true });
      fs.appendFileSync(given.file, 'c', { flush: true });
    }, { values: { file: at('flushed') }, under: ['strace', '-f', '-qq', '-e', 'trace=fsync', '-o', log], env: { GYRE_LOOP: backend } });
    if (traced.status !== 0 && /ptrace/.test(traced.stderr)) return;
    assert.strictEqual(fs.readFileSync(log, 'utf8').match(/fsync\(\d+\) += 0/g)?.length, 3);
  }
});

test('rights: a file of another user is EACCES', async () => {
  if (isRoot) return; // test/faults/system.test.mjs has it for root
  assert.strictEqual(await outcome('readFile', '/etc/shadow'), 'EACCES open');
});
