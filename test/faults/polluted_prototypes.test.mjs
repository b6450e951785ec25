// A program that puts things on Object.prototype (by mistake, or led to it by an attacker) must not break the built-in
// modules: their property descriptors and system errors are their own, whatever is inherited.
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { promises, readFile, writeSync } from 'node:fs';
import process from 'node:process';
import { test } from '../harness.mjs';

const modules = [
  'assert', 'async_hooks', 'buffer', 'child_process', 'crypto', 'dgram', 'diagnostics_channel', 'dns', 'events', 'fs', 'http', 'https',
  'module', 'net', 'os', 'perf_hooks', 'querystring', 'readline', 'stream', 'stream/web', 'string_decoder', 'timers', 'tls', 'tty', 'url',
  'util', 'v8', 'vm', 'worker_threads', 'zlib',
];

const program = `
  const key = process.argv[1];
  Object.defineProperty(Object.prototype, key, {
    __proto__: null, configurable: true, writable: true,
    value: key === 'get' || key === 'set' ? function() { return 'polluted'; } : true,
  });
  for (const name of ${JSON.stringify(modules)}) require(name);
  const fs = require('fs');
  fs.readdirSync('.', { withFileTypes: true });
  fs.statSync('.').mtime;
  try { fs.readFileSync(1.5); } catch (error) { if (error.code === undefined) throw error; }
  require('util').inspect({ a: [new Map([[1, 2]])], get b() { return 1; } }, { depth: 5 });
  require('util').deprecate(() => {}, 'old');
  new EventTarget().addEventListener('x', () => {}, { once: true });
  const stream = require('stream');
  stream.pipeline(stream.Readable.from(['a']), new stream.PassThrough(), (error) => { if (error) throw error; });
  performance.mark('a');
  structuredClone({ a: new Date() });
  new TransformStream();
  require('zlib').gunzipSync(require('zlib').gzipSync('a'));
  require('child_process').execFileSync('true');
  require('vm').runInNewContext('1');
  import('node:os').then(() => process.exit(0));
`;

for (const key of ['get', 'set', 'value', 'writable', 'enumerable', 'configurable', 'then']) {
  test(`Object.prototype.${key}`, () => {
    const { status, stderr } = spawnSync(process.execPath, ['-e', program, key], { encoding: 'utf8' });
    assert.strictEqual(status, 0, stderr);
  });
}

/** Runs `body` while assigning `key` to an object anywhere throws. */
async function withSetter(key, body) {
  Object.defineProperty(Object.prototype, key, {
    __proto__: null,
    configurable: true,
    get() {
      return 0;
    },
    set() {
      throw new Error('a setter ran');
    },
  });
  try {
    return await body();
  } finally {
    delete Object.prototype[key];
  }
}

test('the error of a callback has its properties, and no setter runs', async () => {
  const error = await withSetter('errno', () => new Promise((resolve) => readFile('/does/not/exist', resolve)));
  assert.strictEqual(error.code, 'ENOENT');
  assert.strictEqual(error.errno, -2);
});

test('the error of a promise too', async () => {
  const reading = () => promises.readFile('/does/not/exist').catch((error) => error);
  const error = await withSetter('errno', reading);
  assert.strictEqual(error.errno, -2);
});

test('what a setter throws while a synchronous call fails is what the call throws', () =>
  withSetter('errno', () => assert.throws(() => writeSync(99999, 'x'), { message: 'a setter ran' })));
