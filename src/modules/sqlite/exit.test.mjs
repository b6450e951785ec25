import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from '../../../test/harness.mjs';

test('a program that ends by itself closes its databases: no journal stays', () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'gyre-sqlite-'));
  const program = `
    const { DatabaseSync } = require('node:sqlite');
    globalThis.database = new DatabaseSync(process.argv[1]);
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a)');
    globalThis.insert = database.prepare('INSERT INTO t VALUES (1)');
    insert.run();`;
  spawnSync(process.execPath, ['-e', program, path.join(directory, 'a.db')]);
  assert.deepStrictEqual(fs.readdirSync(directory), ['a.db']);
  fs.rmSync(directory, { recursive: true });
});
