import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '../../test/harness.mjs';

const folder = mkdtempSync(join(tmpdir(), 'gyre-cli-'));
const file = (name, text) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
function run(args, options = {}) {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: folder, ...options });
  return { status, signal, stdout, stderr };
}

await test('-e, -p, a script on stdin, --', () => {
  assert.strictEqual(run(['-e', 'console.log(1 + 1)']).stdout, '2\n');
  assert.strictEqual(run(['-p', '[1, { a: 2 }]']).stdout, '[ 1, { a: 2 } ]\n');
  assert.strictEqual(run(['-', 'x'], { input: 'console.log(process.argv.slice(2))' }).stdout, "[ 'x' ]\n");
  assert.strictEqual(run(['--input-type=module', '-e', 'console.log(await 3)']).stdout, '3\n');
});
await test('-v prints the level of Node.js, an unknown option is refused with status 9', () => {
  assert.strictEqual(run(['-v']).stdout, 'v24.12.0\n');
  const bad = run(['--no-such-option']);
  assert.strictEqual(bad.status, 9);
  assert.match(bad.stderr, /bad option: --no-such-option/);
  assert.strictEqual(run(['-e', '1'], { env: { ...process.env, NODE_OPTIONS: '--check' } }).status, 9);
});
await test('--v8-options prints what V8 knows, and such an option takes effect', () => {
  const { status, stdout } = run(['--v8-options'], { input: '' });
  assert.strictEqual(status, 0);
  assert.match(stdout, /--stack-size/);
  assert.strictEqual(run(['--expose-gc', '-p', 'typeof gc']).stdout, 'function\n');
});
await test('the start that was rehearsed for the snapshot leaves nothing behind', () => {
  const zero = 'let sum = 0; for (let i = 0; i < 300; i++) for (const byte of Buffer.allocUnsafe(20)) sum += byte; console.log(sum)';
  assert.strictEqual(run(['--zero-fill-buffers', '-e', zero]).stdout, '0\n');
  file('package.json', JSON.stringify({ name: 'self', exports: { mine: './mine.js', 'node-addons': './addons.js', default: './other.js' } }));
  for (const name of ['mine', 'addons', 'other']) file(`${name}.js`, `module.exports = '${name}'`);
  const main = file('conditions.cjs', "console.log(require('self'))");
  assert.strictEqual(run([main]).stdout, 'addons\n');
  assert.strictEqual(run(['-C', 'mine', main]).stdout, 'mine\n');
  assert.strictEqual(run(['--no-addons', main]).stdout, 'other\n');
  rmSync(join(folder, 'package.json'));
  const warns = ['-e', "process.emitWarning('x', { code: 'W1' })"];
  assert.match(run(warns).stderr, /W1/);
  assert.strictEqual(run(['--disable-warning=W1', ...warns]).stderr, '');
  const debug = ['-e', "require('util').debuglog('part')('seen')"];
  assert.match(run(debug, { env: { ...process.env, NODE_DEBUG: 'part' } }).stderr, /PART \d+: seen/);
  const pathed = ['-e', "console.log(require('mine.js'))"];
  assert.strictEqual(run(pathed, { cwd: '/', env: { ...process.env, NODE_PATH: folder } }).stdout, 'mine\n');
});
await test('what is not implemented is refused, what has no effect yet says so', () => {
  const refused = run(['--permission', '-e', '1']);
  assert.strictEqual(refused.status, 9);
  assert.match(refused.stderr, /--permission is not implemented: the program would run without the limits/);
  const accepted = run(['--trace-sync-io', '-p', '1']);
  assert.strictEqual(accepted.stdout, '1\n');
  assert.match(accepted.stderr, /--trace-sync-io has no effect yet/);
});
await test('builtins load under flags for which no compiled code was kept', () => {
  const program = "const http = require('http'); console.log(typeof http.createServer, new http.Agent().maxSockets)";
  for (const flag of ['--no-opt', '--stack-size=500', '--jitless', '--always-sparkplug', '--lazy']) {
    assert.strictEqual(run([flag, '-e', program]).stdout, 'function Infinity\n', flag);
  }
});
await test('-r and --import come first, NODE_OPTIONS counts', () => {
  const first = file('first.cjs', 'globalThis.first = "cjs"');
  const second = file('second.mjs', 'globalThis.second = "esm"');
  const main = file('main.cjs', 'console.log(globalThis.first, globalThis.second)');
  assert.strictEqual(run(['-r', first, '--import', second, main]).stdout, 'cjs esm\n');
  assert.strictEqual(run([main], { env: { ...process.env, NODE_OPTIONS: `-r ${first}` } }).stdout, 'cjs undefined\n');
});
await test('-c finds a syntax error without running anything', () => {
  assert.deepStrictEqual(run(['-c', file('good.cjs', 'console.log("ran")')]).stdout, '');
  assert.strictEqual(run(['-c', file('bad.cjs', 'let a = ;')]).status, 1);
  assert.strictEqual(run(['-c', file('good.mjs', 'await 1; export {}')]).status, 0);
});
await test('a missing file, a syntax error, a script that throws: status 1 with file, line and caret', () => {
  const missing = run([join(folder, 'none.js')]);
  assert.strictEqual(missing.status, 1);
  assert.match(missing.stderr, /Error: Cannot find module '.*none\.js'[\s\S]*code: 'MODULE_NOT_FOUND'/);
  const syntax = run([file('syntax.js', 'syntax error here')]);
  assert.strictEqual(syntax.status, 1);
  assert.match(syntax.stderr, /syntax\.js:1\nsyntax error here\n {7}\^{5}\n\nSyntaxError: Unexpected identifier 'error'/);
  const throws = run([file('throws.cjs', '\nfunction f() {\n  throw new TypeError("no", { cause: new Error("because") });\n}\nf();')]);
  assert.strictEqual(throws.status, 1);
  assert.match(throws.stderr, /throws\.cjs:3\n {2}throw new TypeError.*\n {2}\^\n\nTypeError: no\n {4}at f /);
  assert.match(throws.stderr, /\[cause\]: Error: because/);
  assert.match(throws.stderr, /\n\nNode\.js v24\.12\.0\n$/);
});
await test('a missing export is reported where it is imported', () => {
  const { status, stderr } = run([file('missing.mjs', 'import { nothing } from "node:fs";')]);
  assert.strictEqual(status, 1);
  assert.match(stderr, /missing\.mjs:1\nimport \{ nothing \} from "node:fs";\n {9}\^{7}\n\n?SyntaxError: The requested module/);
});
await test('an unhandled rejection ends the process with status 1', () => {
  const { status, stderr } = run(['-e', 'Promise.reject(new Error("lost"))']);
  assert.strictEqual(status, 1);
  assert.match(stderr, /Error: lost/);
});
await test('a listener of uncaughtException that throws: status 7', () => {
  assert.strictEqual(run(['-e', 'process.on("uncaughtException", () => { throw 1; }); throw 2;']).status, 7);
});
await test('a top-level await that nothing settles: status 13 and where it is', () => {
  const { status, stderr } = run([file('stuck.mjs', 'await new Promise(() => {});')]);
  assert.strictEqual(status, 13);
  assert.match(stderr, /^Warning: Detected unsettled top-level await at .*stuck\.mjs:1\nawait new Promise/);
});
await test('a closed stdout is no crash', () => {
  const { status, signal } = spawnSync('sh', ['-c', `"${process.execPath}" -e 'for (let i = 0; i < 1e4; i++) console.log(i)' | head -1`]);
  assert.deepStrictEqual([status, signal], [0, null]);
});
await test('a loop backend that does not exist is refused', () => {
  assert.notStrictEqual(run(['-e', '1'], { env: { ...process.env, GYRE_LOOP: 'nothing' } }).status, 0);
});
rmSync(folder, { recursive: true });
