import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from '../../../test/harness.mjs';

function run(flags) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'profile-'));
  try {
    const { status, stderr } = spawnSync(process.execPath, [...flags, '-e', '1'], { cwd: directory, encoding: 'utf8' });
    const files = fs.readdirSync(directory);
    return { status, stderr, files, texts: files.map((name) => fs.readFileSync(path.join(directory, name), 'utf8')) };
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
}

test('--cpu-prof and --heap-prof write a profile when the program ends', () => {
  const cpu = run(['--cpu-prof']);
  assert.match(cpu.files.join(), /^CPU\.\d{8}\.\d{6}\.\d+\.0\.001\.cpuprofile$/);
  assert.ok(Array.isArray(JSON.parse(cpu.texts[0]).nodes));
  const heap = run(['--heap-prof', '--heap-prof-name', 'mine']);
  assert.deepStrictEqual(heap.files, ['mine']);
  assert.ok(JSON.parse(heap.texts[0]).head);
});

test('what belongs to a profile is refused without it', () => {
  const { status, stderr } = run(['--cpu-prof-name', 'x']);
  assert.strictEqual(status, 9);
  assert.match(stderr, /--cpu-prof-name must be used with --cpu-prof/);
});
