// Every error code that the core asks for stands in the tables: a constructor is made for any name, so that a misspelt one
// would be noticed only by whoever meets the error.
import assert from 'node:assert';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from '../harness.mjs';

const root = new URL('../../src/', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');

const known = new Set();
for (const file of ['error_templates.js', 'error_builders.js']) {
  for (const [, code] of read(`modules/internal/${file}`).matchAll(/^ {2}(ERR_\w+):/gm)) known.add(code);
}

/** The codes that a file takes from #internal/errors or throws by name, and the native throws. */
function askedFor(path, text) {
  const found = [];
  const patterns = path.endsWith('.js') ?
    [/\bcodes\.(ERR_\w+)/g, /\bnew (ERR_\w+)/g] :
    [/\bThrow(?:Code|TypeError|RangeError)?\("(ERR_\w+)"/g];
  for (const pattern of patterns) {
    for (const [, code] of text.matchAll(pattern)) if (code !== 'ERR_X') found.push(code); // ERR_X: any, in comments
  }
  return found;
}

test('the tables know every code that is thrown', () => {
  assert.ok(known.size > 250);
  const unknown = [];
  for (const path of readdirSync(root, { recursive: true })) {
    if (!/\.(?:js|cc)$/.test(path)) continue;
    for (const code of askedFor(path, read(path))) {
      if (!known.has(code)) unknown.push(`${path}: ${code}`);
    }
  }
  assert.deepStrictEqual(unknown, []);
});
