// Every name that programs know of the globals and modules is there, and none that they do not.
import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { test } from '../harness.mjs';
import { walkSurface } from './walk.mjs';

const linesOf = (name) => readFileSync(new URL(name, import.meta.url), 'utf8').split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

const expected = new Map(linesOf('names.txt').map((line) => {
  const at = line.indexOf(' ');
  return [line.slice(0, at), line.slice(at + 1)];
}));
const allowed = { '-': new Set(), '+': new Set() };
for (const line of linesOf('differences.txt')) {
  const [sign, path] = line.split(' ');
  allowed[sign].add(path);
}

function isAllowed(sign, path) {
  if (allowed[sign].has(path)) return true;
  for (let at = path.indexOf('.'); at !== -1; at = path.indexOf('.', at + 1)) {
    if (allowed[sign].has(`${path.slice(0, at)}.*`)) return true;
  }
  return false;
}

const found = walkSurface();
const missing = [...expected.keys()].filter((path) => !found.has(path));
const more = [...found.keys()].filter((path) => !expected.has(path));

test('nothing is missing', () => assert.deepStrictEqual(missing.filter((path) => !isAllowed('-', path)), []));

test('there is nothing more', () => assert.deepStrictEqual(more.filter((path) => !isAllowed('+', path)), []));

test('everything is of its kind', () => {
  const wrong = [...found].filter(([path, kind]) => {
    const other = expected.get(path) ?? kind;
    // Whether a value lies ready or is computed does not matter.
    return kind !== other && kind !== 'accessor' && other !== 'accessor';
  });
  assert.deepStrictEqual(wrong, []);
});

test('differences.txt says only what is so', () => {
  const stale = (sign, paths) => [...allowed[sign]].filter((path) => !path.endsWith('.*') && !paths.includes(path));
  assert.deepStrictEqual({ missing: stale('-', missing), more: stale('+', more) }, { missing: [], more: [] });
});
