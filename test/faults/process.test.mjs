// What a program does to itself: no heap left, no stack left, work of the wrong complexity, workers ended amid all they do.
import assert from 'node:assert';
import { readdirSync } from 'node:fs';
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { test } from '../harness.mjs';
import { runChild, scratch } from './child.mjs';

test('the heap limit is reached: a report, and the status of an abort', () => {
  const { stderr, status, signal } = runChild(() => {
    const kept = [];
    for (;;) kept.push({ number: kept.length, text: `${kept.length}` });
  }, { flags: ['--max-old-space-size=24'] });
  assert.match(stderr, /FATAL ERROR: .*heap limit.* JavaScript heap out of memory/i);
  assert.ok(status === 134 || signal === 'SIGABRT', `${status} ${signal}`);
});

test('a worker whose heap is full ends alone', async () => {
  const source = 'const kept = []; for (;;) kept.push({ number: kept.length, text: String(kept.length) });';
  const worker = new Worker(source, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } });
  const error = await new Promise((resolve) => worker.on('error', resolve));
  assert.strictEqual(error.code, 'ERR_WORKER_OUT_OF_MEMORY');
});

const recursions = {
  'functions': () => {
    const dive = () => 1 + dive();
    return dive();
  },
  'getters and proxies': () => {
    const proxy = new Proxy({}, { get: (target, key, self) => self[key] });
    return proxy.x;
  },
  'JSON': () => {
    let nested = [];
    for (let i = 0; i < 100_000; i++) nested = [nested];
    return JSON.stringify(nested);
  },
  'toString': () => {
    const object = { toString: () => `${object}` };
    return `${object}`;
  },
  'emit': () => {
    const emitter = new (require('events'))();
    emitter.on('x', () => emitter.emit('x'));
    emitter.emit('x');
  },
  'structuredClone': () => {
    const object = { get again() { return structuredClone(object); } };
    return structuredClone(object);
  },
  'require': () => {
    const fs = require('fs');
    const dive = () => [fs.readdirSync('/'), dive()];
    return dive();
  },
  'inspect': () => {
    const { inspect } = require('util');
    const object = { [inspect.custom]: () => inspect(object) + 'x' };
    return inspect(object);
  },
};

for (const hooks of [false, true]) {
  test(`infinite recursion can be caught${hooks ? ', with async hooks on' : ''}`, () => {
    const { stdout, stderr, status } = runChild(`
      if (${hooks}) {
        require('async_hooks').createHook({ init() {}, before() {}, after() {}, destroy() {}, promiseResolve() {} }).enable();
      }
      const kinds = { ${Object.entries(recursions).map(([name, body]) => `${JSON.stringify(name)}: ${body}`)} };
      const inContext = (body) => Promise.resolve().then(() => new Promise((resolve) => setImmediate(() => {
        try {
          body();
          resolve('ended');
        } catch (error) {
          resolve(error instanceof RangeError ? 'RangeError' : error);
        }
      })));
      (async () => {
        for (const [name, body] of Object.entries(kinds)) {
          let told;
          try {
            body();
            told = 'ended';
          } catch (error) {
            told = error instanceof RangeError ? 'RangeError' : String(error).slice(0, 200);
          }
          console.log(name, told, await inContext(body));
        }
        await new Promise((resolve) => setTimeout(resolve, 1));
        console.log('alive');
      })();
    `);
    assert.strictEqual(stderr, '');
    const lines = stdout.trim().split('\n');
    assert.strictEqual(lines.pop(), 'alive');
    assert.strictEqual(status, 0);
    for (const line of lines) assert.match(line, / RangeError RangeError$/);
  });
}

test('recursion through asynchronous steps never ends the stack', () => {
  const { stdout } = runChild(async () => {
    const dive = async (n) => (n === 0 ? 0 : 1 + await dive(n - 1));
    console.log(await dive(1000));
    let left = 100_000;
    const step = () => (left-- > 0 ? process.nextTick(step) : console.log('ticked'));
    step();
  });
  assert.strictEqual(stdout, '1000\nticked\n');
});

test('100,000 keys of JSON that collide, or look like numbers, take linear time', () => {
  const keysOf = {
    integers: (i) => String(i * 40_503 % 2 ** 32),
    huge: (i) => String(2 ** 33 + i),
    plain: (i) => `key${i}`,
    // The same characters in another order: collide in a hash that adds.
    anagrams: (i) => String(i).padStart(6, '0').split('').reverse().join('a'),
  };
  const { stdout, status } = runChild(`
    const keysOf = { ${Object.entries(keysOf).map(([name, body]) => `${name}: ${body}`)} };
    for (const key of Object.values(keysOf)) {
      const text = (count) => '{' + Array.from({ length: count }, (_, i) => JSON.stringify(key(i)) + ':1').join() + '}';
      console.log(Object.keys(JSON.parse(text(100_000))).length);
    }
  `, { timeout: 30_000 });
  assert.strictEqual(status, 0);
  assert.strictEqual(stdout, '100000\n'.repeat(4));
});

test('Buffer.alloc is zero, also where a vm timeout struck', () => {
  const { stdout, stderr } = runChild(() => {
    const vm = require('vm');
    const isZero = (buffer) => buffer.every((byte) => byte === 0);
    for (let i = 0; i < 30; i++) {
      // Leaves traces in the memory that comes next.
      for (let k = 0; k < 50; k++) Buffer.allocUnsafeSlow(4096).fill(0xff);
      Buffer.allocUnsafe(100).fill(0xff);
      try {
        vm.runInNewContext('for (;;) make(64).toString()', { make: Buffer.alloc }, { timeout: 1 + i % 3 });
      } catch (error) {
        if (error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      }
      for (const size of [1, 64, 100, 4096, 10_000]) {
        if (!isZero(Buffer.alloc(size))) console.log('not zero', size);
        if (!isZero(new Uint8Array(size))) console.log('not zero', size);
      }
    }
    console.log('done');
  });
  assert.strictEqual(stderr, '');
  assert.strictEqual(stdout, 'done\n');
});

test('what is random differs between processes, workers and contexts', async () => {
  const source = `
    const crypto = require('crypto');
    const values = [
      crypto.randomUUID(), crypto.randomUUID(), crypto.randomBytes(16).toString('hex'), crypto.randomInt(2 ** 47), Math.random(),
      crypto.webcrypto.getRandomValues(new Uint32Array(4)).join(), globalThis.crypto.randomUUID(), require('vm').runInNewContext('Math.random()'),
    ];`;
  const values = [];
  for (let i = 0; i < 4; i++) values.push(...JSON.parse(runChild(`${source} console.log(JSON.stringify(values));`).stdout));
  for (let i = 0; i < 2; i++) {
    const worker = new Worker(`${source} require('worker_threads').parentPort.postMessage(values);`, { eval: true });
    values.push(...await new Promise((resolve) => worker.on('message', resolve)));
  }
  assert.strictEqual(new Set(values).size, 6 * 8);
});

test('workers are ended amid all kinds of work, over and over', async () => {
  // A longer run: GYRE_ROUNDS=10000
  const rounds = Number(process.env.GYRE_ROUNDS ?? 90);
  const source = `
    const { workerData, parentPort } = require('worker_threads');
    const fs = require('fs');
    const { file, kind } = workerData;
    const work = {
      files: () => { for (let i = 0; i < 20; i++) fs.promises.readFile('/proc/self/status').then(work.files); },
      writes: () => { for (let i = 0; i < 5; i++) fs.writeFile(file, Buffer.alloc(50_000), work.writes); },
      ring: () => {
        const fd = fs.openSync(file, 'w');
        const more = () => { fs.write(fd, Buffer.alloc(5000), more); fs.mkdir(file + Math.random(), () => {}); };
        for (let i = 0; i < 10; i++) more();
      },
      crypto: () => { for (let i = 0; i < 4; i++) require('crypto').pbkdf2('a', 'b', 2000, 32, 'sha256', work.crypto); },
      zlib: () => { for (let i = 0; i < 4; i++) require('zlib').gzip(Buffer.alloc(100_000), work.zlib); },
      dns: () => { for (let i = 0; i < 4; i++) require('dns').lookup('localhost', work.dns); },
      http: () => {
        const http = require('http');
        const server = http.createServer((req, res) => res.end(Buffer.alloc(20_000))).listen(0, '127.0.0.1', () => {
          const more = () => http.get({ port: server.address().port, host: '127.0.0.1' }, (res) => res.resume().on('close', more)).on('error', more);
          for (let i = 0; i < 5; i++) more();
        });
      },
      child: () => { require('child_process').exec('echo x', work.child); },
      timers: () => { setTimeout(work.timers, 0); setImmediate(() => {}); process.nextTick(() => {}); },
      messages: () => { const { port1, port2 } = new MessageChannel(); port2.on('message', () => port1.postMessage(1)); port1.postMessage(1); },
      spin: () => { for (;;); },
      streams: () => { fs.createReadStream(process.execPath).pipe(fs.createWriteStream(file)).on('close', work.streams); },
      watch: () => { fs.watch('/tmp', () => {}); fs.watchFile(file, { interval: 1 }, () => {}); },
      fetch: () => { fetch('data:text/plain,x').then((r) => r.text()).then(work.fetch); },
      wasm: () => { WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(work.wasm); },
    };
    parentPort.postMessage('ready');
    work[kind]();
  `;
  const kinds = ['files', 'writes', 'ring', 'crypto', 'zlib', 'dns', 'http', 'child', 'timers', 'messages', 'spin', 'streams', 'watch',
    'fetch', 'wasm'];
  const descriptors = () => readdirSync('/proc/self/fd').length;
  const end = async (kind, round) => {
    const worker = new Worker(source, { eval: true, workerData: { kind, file: `${scratch}/worker-${kind}` } });
    const failed = new Promise((_, reject) => worker.on('error', reject));
    // At many different moments: before it runs, while it begins, and later.
    if (round % 3 !== 0) await Promise.race([new Promise((resolve) => worker.once('message', resolve)), failed]);
    for (let i = 0; i < round % 7; i++) await new Promise(setImmediate);
    await Promise.race([worker.terminate(), failed]);
  };
  for (const kind of kinds) await end(kind, 1);
  const before = descriptors();
  for (let round = 0; round < rounds; round++) await end(kinds[round % kinds.length], round);
  for (let i = 0; i < 200 && descriptors() > before; i++) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(descriptors() <= before, `${descriptors()} descriptors, ${before} before`);
});
