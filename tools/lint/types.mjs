// Checks the JSDoc types of the modules' JavaScript halves with tsc. Files of untyped.txt still have findings; that list only
// shrinks: a finding in another file is a fault. "--write" writes the list anew.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, '../..');
const list = path.join(here, 'untyped.txt');

const tsc = path.join(here, 'node_modules/typescript/bin/tsc');
const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', here, '--pretty', 'false'], { encoding: 'utf8', cwd: root, maxBuffer: 1 << 28 });

/** @type {Map<string, string[]>} */
const findings = new Map();
for (const line of stdout.split('\n')) {
  const file = /^([^\s(][^(]*)\(\d+,\d+\): error TS/.exec(line)?.[1];
  if (file === undefined) continue;
  const name = path.relative(root, path.resolve(root, file));
  findings.set(name, [...findings.get(name) ?? [], line]);
}
if (status !== 0 && findings.size === 0) {
  console.error(stdout);
  process.exit(1);
}

if (process.argv[2] === '--write') {
  fs.writeFileSync(list, [...findings.keys()].sort().map((name) => `${name}\n`).join(''));
} else {
  const untyped = new Set(fs.readFileSync(list, 'utf8').trim().split('\n'));
  const bad = [...findings].filter(([name]) => !untyped.has(name));
  for (const [, lines] of bad) console.log(lines.join('\n'));
  const clean = [...untyped].filter((name) => !findings.has(name));
  if (clean.length > 0) console.log(`clean by now, take them off untyped.txt:\n${clean.join('\n')}`);
  process.exitCode = bad.length > 0 ? 1 : 0;
}
