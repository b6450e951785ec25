import assert from 'node:assert';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from '../../../test/harness.mjs';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'fs-errors-'));
const missing = path.join(dir, 'missing');

/** What one failing call gives in its three forms. */
async function threeForms(name, ...args) {
  const errors = [];
  try { fs[`${name}Sync`](...args); } catch (error) { errors.push(error); }
  await new Promise((resolve) => fs[name](...args, (error) => resolve(errors.push(error))));
  await fs.promises[name](...args).catch((error) => errors.push(error));
  return errors;
}

test('an error names code, errno, system call and path in every form', async () => {
  for (const error of await threeForms('open', missing, 'r')) {
    assert.strictEqual(error.message, `ENOENT: no such file or directory, open '${missing}'`);
    assert.strictEqual(error.errno, -2);
    assert.strictEqual(error.code, 'ENOENT');
    assert.strictEqual(error.syscall, 'open');
    assert.strictEqual(error.path, missing);
  }
});

test('and the destination', async () => {
  for (const error of await threeForms('rename', missing, path.join(dir, 'x'))) {
    assert.strictEqual(error.dest, path.join(dir, 'x'));
    assert.ok(error.message.endsWith(`rename '${missing}' -> '${dir}/x'`));
  }
});

test('paths with NUL, of other types and of foreign URLs are refused before any call', async () => {
  assert.throws(() => fs.statSync('a\0b'), { code: 'ERR_INVALID_ARG_VALUE' });
  assert.throws(() => fs.statSync(Buffer.from('a\0b')), { code: 'ERR_INVALID_ARG_VALUE' });
  assert.throws(() => fs.statSync(5), { code: 'ERR_INVALID_ARG_TYPE' });
  assert.throws(() => fs.statSync(new URL('http://h/x')), { code: 'ERR_INVALID_URL_SCHEME' });
  await assert.rejects(fs.promises.stat('a\0b'), { code: 'ERR_INVALID_ARG_VALUE' });
});

test('a path of 5,000 characters is too long', async () => {
  const long = `/${'x'.repeat(5000)}`;
  for (const error of await threeForms('stat', long)) assert.strictEqual(error.code, 'ENAMETOOLONG');
});

test('throwIfNoEntry: false gives undefined, but only for what is missing', () => {
  assert.strictEqual(fs.statSync(missing, { throwIfNoEntry: false }), undefined);
  assert.strictEqual(fs.lstatSync(path.join(dir, 'a/b'), { throwIfNoEntry: false }), undefined);
});

test('the rejection of a promise tells where it was awaited', async () => {
  async function caller() { await fs.promises.access(missing); }
  await caller().catch((error) => assert.match(error.stack, /at async caller/));
});

test('clean up', () => fs.rmSync(dir, { recursive: true }));
