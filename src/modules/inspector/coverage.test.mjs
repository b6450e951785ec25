import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from '../../../test/harness.mjs';

test('NODE_V8_COVERAGE writes what ran when the program ends', () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'coverage-'));
  try {
    const script = path.join(directory, 'program.cjs');
    fs.writeFileSync(script, 'function called() {}\nfunction notCalled() {}\ncalled();\nprocess.exit(3);\n');
    const output = path.join(directory, 'out');
    const env = { ...process.env, NODE_V8_COVERAGE: output };
    assert.strictEqual(spawnSync(process.execPath, [script], { env }).status, 3);
    const [file] = fs.readdirSync(output);
    const { result } = JSON.parse(fs.readFileSync(path.join(output, file), 'utf8'));
    const { functions } = result.find(({ url }) => url.endsWith('/program.cjs'));
    const count = (name) => functions.find((fn) => fn.functionName === name).ranges[0].count;
    assert.deepStrictEqual([count('called'), count('notCalled')], [1, 0]);
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
});
