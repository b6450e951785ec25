// What a program asks for begins while it still runs, as it would on a thread pool: it does not wait for the turn to end.
import assert from 'node:assert';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from '../../../test/harness.mjs';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'fs-order-'));
const at = (name) => path.join(dir, name);

/** Looks without giving the loop a turn. */
function seen(condition) {
  const end = Date.now() + 20_000;
  while (!condition()) if (Date.now() > end) return false;
  return true;
}

test('changes are seen before the turn ends', () => {
  const fd = fs.openSync(at('written'), 'w');
  fs.writeFileSync(at('old'), '');
  let called = 0;
  const done = (error) => {
    assert.ifError(error);
    called++;
  };
  fs.write(fd, 'text', done);
  fs.rename(at('old'), at('new'), done);
  fs.mkdir(at('made'), done);
  fs.writeFile(at('whole'), 'whole', done);
  fs.promises.symlink('x', at('link')).then(() => called++);
  assert.ok(seen(() => fs.readFileSync(at('written'), 'utf8') === 'text'));
  assert.ok(seen(() => fs.existsSync(at('new')) && fs.existsSync(at('made')) && !fs.existsSync(at('old'))));
  assert.ok(seen(() => fs.existsSync(at('whole')) && fs.readFileSync(at('whole'), 'utf8') === 'whole'));
  assert.ok(seen(() => fs.readdirSync(dir).includes('link')));
  assert.strictEqual(called, 0);
  return new Promise((resolve) => setTimeout(resolve, 1)).then(async () => {
    while (called < 5) await new Promise(setImmediate);
    fs.closeSync(fd);
  });
});

test('a Utf8Stream whose write failed writes it with what came after', () => {
  let failures = 1;
  const pieces = [];
  const writeSync = (fd, data) => {
    if (failures-- > 0) throw Object.assign(new Error('busy'), { code: 'EAGAIN' });
    pieces.push(String(data));
    return data.length;
  };
  const stream = new fs.Utf8Stream({ fd: fs.openSync(at('log'), 'w'), minLength: 1000, retryEAGAIN: () => false, fs: { writeSync } });
  stream.write('one ');
  assert.throws(() => stream.flushSync(), { code: 'EAGAIN' });
  stream.write('two');
  stream.flushSync();
  assert.deepStrictEqual(pieces, ['one two']);
  stream.destroy();
});

test('clean up', () => fs.rmSync(dir, { recursive: true }));
