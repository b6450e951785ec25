// process.versions says what is really part of the program.
import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { test } from '../../../test/harness.mjs';

test('bundled libraries', () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  for (const name of ['acorn', 'amaro', 'cjs-module-lexer', 'undici']) {
    assert.strictEqual(process.versions[name.replaceAll('-', '_')], dependencies[name]);
  }
});
