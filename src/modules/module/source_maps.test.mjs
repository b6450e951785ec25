// --enable-source-maps and module.setSourceMapsSupport(): stacks in terms of sources.
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { createRequire, findSourceMap, setSourceMapsSupport, SourceMap } from 'node:module';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '../../../test/harness.mjs';

const directory = mkdtempSync(join(tmpdir(), 'gyre-maps-'));
// Line 1, column 0 of the code is line 3, column 2 of the source.
const map = { version: 3, sources: ['source.ts'], names: [], mappings: 'AAEE', sourcesContent: ['one\ntwo\n  throw it;\n'] };
const inline = `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
const file = join(directory, 'code.cjs');
writeFileSync(file, `throw new Error('here');\n//# sourceMappingURL=${inline}\n`);

test('an uncaught error shows the source', () => {
  const { stderr } = spawnSync(process.execPath, ['--enable-source-maps', file], { encoding: 'utf8' });
  assert.match(stderr, /source\.ts:3\n {2}throw it;\n {2}\^/);
  assert.match(stderr, /at Object\.<anonymous> \(.*source\.ts:3:3\)/);
  assert.doesNotMatch(spawnSync(process.execPath, [file], { encoding: 'utf8' }).stderr, /source\.ts/);
});

test('at run time, on and off', () => {
  const require = createRequire(import.meta.url);
  const stackOf = () => {
    delete require.cache[file];
    try {
      return require(file);
    } catch (error) {
      return error.stack;
    }
  };
  assert.doesNotMatch(stackOf(), /source\.ts/);
  setSourceMapsSupport(true);
  assert.match(stackOf(), /source\.ts:3:3/);
  assert.strictEqual(findSourceMap(file).findOrigin(1, 1).lineNumber, 3);
  setSourceMapsSupport(false);
  assert.doesNotMatch(stackOf(), /source\.ts/);
});

test('SourceMap finds nothing in nonsense', () => {
  for (const mappings of [';;;;', '!!!!', 'AAAA,,,;', undefined, 'ggggggggggggggggggggggggggg']) {
    const found = new SourceMap({ version: 3, sources: ['a'], mappings }).findEntry(1000, 0);
    assert.strictEqual(typeof found, 'object');
  }
});
