// node:test runs, orders, reports and counts; the exit status tells whether all passed.
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '../../../test/harness.mjs';

function run(source, ...flags) {
  const { status, stdout } = spawnSync(process.execPath, [...flags, '-e', source], { encoding: 'utf8' });
  return { status, lines: stdout.replace(/ \([\d.]+ms\)/g, '').replace(/duration_ms .*/, 'duration_ms').split('\n') };
}

test('passes, subtests, suites, skips', () => {
  const { status, lines } = run(`
    const { test, describe, it } = require('node:test');
    test('parent', async (t) => { await t.test('child', () => {}); });
    describe('suite', () => { it('one', () => {}); it.skip('two', () => {}); });
    test('todo', { todo: true }, () => {});
  `);
  assert.deepStrictEqual(lines.slice(0, 7), [
    '▶ parent', '  ✔ child', '✔ parent', '▶ suite', '  ✔ one', '  ﹣ two # SKIP', '✔ suite',
  ]);
  assert.strictEqual(status, 0);
});

test('failures set the exit status', () => {
  const { status, lines } = run(`
    const { test } = require('node:test');
    test('bad', () => { throw new Error('no'); });
    test('late', { timeout: 1 }, () => new Promise((resolve) => setTimeout(resolve, 60)));
  `, '--test-reporter=tap');
  assert.strictEqual(status, 1);
  assert.ok(lines.includes('not ok 1 - bad'));
  assert.ok(lines.includes("  failureType: 'testTimeoutFailure'"));
  assert.ok(lines.includes('# fail 1'));
  assert.ok(lines.includes('# cancelled 1'));
});

test('hooks run around tests', () => {
  const { lines } = run(`
    const { before, after, beforeEach, afterEach, describe, it } = require('node:test');
    describe('s', () => {
      before(() => console.log('before')); after(() => console.log('after'));
      beforeEach((t) => console.log('each', t.name)); afterEach(() => console.log('done'));
      it('a', () => console.log('in a')); it('b', () => console.log('in b'));
    });
  `);
  assert.deepStrictEqual(lines.slice(0, 8), ['before', 'each a', 'in a', 'done', 'each b', 'in b', 'done', 'after']);
});

test('mocks record calls and go away', () => {
  const { status } = run(`
    const { test } = require('node:test'); const assert = require('assert');
    const object = { add: (a, b) => a + b };
    test('mock', (t) => {
      const fn = t.mock.method(object, 'add', () => 7);
      assert.strictEqual(object.add(1, 2), 7);
      assert.deepStrictEqual(fn.mock.calls[0].arguments, [1, 2]);
      t.mock.timers.enable({ apis: ['setTimeout'] });
      let fired = false; setTimeout(() => { fired = true; }, 1000); t.mock.timers.tick(1000); assert.ok(fired);
    });
    test('restored', () => assert.strictEqual(object.add(1, 2), 3));
  `);
  assert.strictEqual(status, 0);
});

test('coverage of several processes makes one report', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coverage-'));
  try {
    writeFileSync(join(folder, 'sign.js'),
      'exports.sign = (x) => {\n  if (x < 0) {\n    return -1;\n  }\n  return 1;\n};\nexports.unused = () => {\n};\n');
    for (const [name, value] of [['a', 1], ['b', 2]]) {
      writeFileSync(join(folder, `${name}.test.js`),
        `require('node:test')('${name}', () => { require('./sign.js').sign(${value}); });`);
    }
    const { status, stdout } = spawnSync(process.execPath,
      ['--test', '--experimental-test-coverage', '--test-coverage-lines=90', '--test-reporter=tap'],
      { cwd: folder, encoding: 'utf8' });
    assert.strictEqual(status, 1);
    const lines = stdout.split('\n');
    assert.ok(lines.includes('# sign.js   |  75.00 |    66.67 |   50.00 | 3-4'), stdout);
    assert.ok(lines.includes('# Error: 75.00% line coverage does not meet threshold of 90%.'), stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
