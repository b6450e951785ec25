import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from '../../test/harness.mjs';

const directory = mkdtempSync(join(tmpdir(), 'gyre-storage-'));
process.on('exit', () => rmSync(directory, { recursive: true }));
let files = 0;
const newFile = () => join(directory, `${files++}.localstorage`);

/** Runs a program with the API; its output. */
function run(program, file = newFile()) {
  const flags = ['--no-warnings', '--experimental-webstorage', ...(file ? [`--localstorage-file=${file}`] : [])];
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, '-e', program], { encoding: 'utf8' });
  return stdout + stderr;
}
/** The same for a function, which has to return without an exception. */
const holds = (body, file) => assert.strictEqual(run(`const assert = require('assert'); (${body})()`, file), '');

test('methods, and what they make of their arguments', () => {
  holds(() => {
    const s = sessionStorage;
    assert.strictEqual(s.setItem('a', 1), undefined);
    s.setItem('b', null);
    s.setItem({}, undefined);
    assert.deepStrictEqual([s.length, s.getItem('a'), s.getItem('b'), s.getItem('none')], [3, '1', 'null', null]);
    assert.deepStrictEqual([s.key(0), s.key('1'), s.key(2 ** 32 + 2), s.key(3), s.key(-1)],
      ['[object Object]', 'a', 'b', null, null]);
    s.removeItem('a');
    assert.strictEqual(s.length, 2);
    s.clear();
    assert.strictEqual(s.length, 0);
    for (const [method, count] of [['key', 1], ['getItem', 1], ['removeItem', 1], ['setItem', 2]]) {
      assert.throws(() => s[method](...Array(count - 1)), {
        name: 'TypeError', code: 'ERR_MISSING_ARGS',
        message: `Failed to execute '${method}' on 'Storage': ${count} argument${count > 1 ? 's' : ''} required`,
      });
      assert.throws(() => s[method].call({}, 'a', 'b'), { name: 'TypeError', message: 'Illegal invocation' });
      assert.throws(() => s[method](Symbol('s'), 'v'), TypeError);
    }
    const { get } = Object.getOwnPropertyDescriptor(Storage.prototype, 'length');
    assert.throws(() => get.call({}), { message: 'Illegal invocation' });
    assert.throws(() => new Storage(), { name: 'Error', code: 'ERR_ILLEGAL_CONSTRUCTOR' });
  });
});

test('items are properties', () => {
  holds(() => {
    const s = sessionStorage;
    s.z = 1;
    s[10] = 'ten';
    Object.defineProperty(s, 'a', { value: { toString: () => 'A' } });
    assert.deepStrictEqual(Object.entries(s), [['10', 'ten'], ['a', 'A'], ['z', '1']]);
    assert.deepStrictEqual(Object.getOwnPropertyDescriptor(s, 'a'),
      { value: 'A', writable: true, enumerable: true, configurable: true });
    assert.ok('z' in s && !('y' in s) && delete s.z && delete s.y && !Object.hasOwn(s, 'z'));
    assert.strictEqual(require('util').inspect(s), "Storage { '10': 'ten', a: 'A' }");
    assert.throws(() => Object.defineProperty(s, 'b', { get() {} }), TypeError);
    assert.throws(() => Object.freeze(s), TypeError);
    const heir = Object.create(s);
    heir.own = 1;
    assert.deepStrictEqual([heir.a, heir.own, s.getItem('own')], ['A', 1, null]);
  });
});

test('what the prototypes have hides items, without losing them', () => {
  holds(() => {
    const s = sessionStorage;
    s.setItem('length', 'L');
    s.getItem = 'G';
    assert.deepStrictEqual([s.length, typeof s.getItem, s.getItem('length'), s.getItem('getItem')],
      [2, 'function', 'L', 'G']);
    assert.deepStrictEqual(Reflect.ownKeys(s), []);
    Storage.prototype[5] = 'prototype';
    s.setItem(5, 'own');
    assert.deepStrictEqual([s[5], Object.hasOwn(s, 5)], ['prototype', false]);
    delete Storage.prototype[5];
    assert.strictEqual(s[5], 'own');
  });
});

test('symbols are ordinary properties', () => {
  holds(() => {
    const key = Symbol('key');
    const value = {};
    sessionStorage[key] = value;
    assert.deepStrictEqual([sessionStorage[key], sessionStorage.length], [value, 0]);
    Object.defineProperty(sessionStorage, key, { configurable: false });
    assert.ok(!Reflect.deleteProperty(sessionStorage, key));
  });
});

test('keys and values are any string', () => {
  const file = newFile();
  holds(() => {
    for (const text of ['', '\0a\0', '\ud800', '\u00e9\u{1f600}']) localStorage[text] = text;
  }, file);
  holds(() => {
    const texts = ['', '\0a\0', '\ud800', '\u00e9\u{1f600}'];
    assert.deepStrictEqual(Object.keys(localStorage).sort(), texts.toSorted());
    for (const text of texts) assert.strictEqual(localStorage[text], text);
  }, file);
});

test('the quota is 10 MiB of keys and values, what is over it changes nothing', () => {
  holds(() => {
    const half = 10 * 1024 * 1024 / 2;
    sessionStorage.a = 'x'.repeat(half - 1);
    const full = { name: 'QuotaExceededError', code: 22, message: 'Setting the value exceeded the quota' };
    assert.throws(() => { sessionStorage.b = ''; }, full);
    assert.throws(() => { sessionStorage.a += 'x'; }, full);
    assert.throws(() => { sessionStorage.setItem('b', ''); }, (error) => error instanceof DOMException);
    assert.deepStrictEqual([sessionStorage.length, sessionStorage.a.length], [1, half - 1]);
    sessionStorage.a = '';
    sessionStorage.b = 'x'.repeat(half - 2);
    sessionStorage.clear();
    sessionStorage.c = 'x'.repeat(half - 1);
  });
});

test('the file is made by the first use, in the format of Node.js, without leftovers', () => {
  const file = newFile();
  run('localStorage === globalThis.localStorage; localStorage.getItem', file);
  assert.ok(!readdirSync(directory).includes(file.slice(directory.length + 1)));
  run('localStorage.ab = 1; localStorage.c = 2', file);
  assert.deepStrictEqual(readdirSync(directory).filter((name) => name.startsWith(file.slice(directory.length + 1))),
    [file.slice(directory.length + 1)]);
  const database = new DatabaseSync(file);
  assert.deepStrictEqual(database.prepare('SELECT hex(key) AS k, hex(value) AS v FROM nodejs_webstorage').all()
    .map(({ k, v }) => [k, v]), [['61006200', '3100'], ['6300', '3200']]);
  assert.deepStrictEqual({ ...database.prepare('SELECT * FROM nodejs_webstorage_state').get() },
    { max_size: 10485760, total_size: 10, schema_version: 1, single_row_: 1 });
  database.exec('UPDATE nodejs_webstorage_state SET schema_version = 2');
  database.close();
  assert.match(run('localStorage.ab', file), /Error: localStorage was created with a newer version of Node\.js/);
});

test('without a place for the file', () => {
  assert.match(run('localStorage', null),
    /ERR_INVALID_ARG_VALUE.*The argument '--localstorage-file' is an invalid localStorage location\. Received ''/);
  assert.match(run('localStorage.a', directory), /Error: unable to open database file[^]*code: 'ERR_INVALID_STATE'/);
});

test('globals are there with the flag only, and can be replaced', () => {
  for (const name of ['Storage', 'localStorage', 'sessionStorage']) assert.ok(!(name in globalThis));
  holds(() => {
    assert.ok(sessionStorage instanceof Storage && localStorage instanceof Storage);
    assert.strictEqual(Object.getOwnPropertyDescriptor(globalThis, 'localStorage').get.name, 'get localStorage');
    assert.ok(Object.keys(globalThis).includes('localStorage') && !Object.keys(globalThis).includes('Storage'));
    localStorage = 5; // eslint-disable-line no-global-assign
    assert.strictEqual(localStorage, 5);
  });
});
