import assert from 'node:assert';
import { DatabaseSync, backup } from 'node:sqlite';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from '../../../test/harness.mjs';

const open = () => new DatabaseSync(':memory:');

test('rows come back as they went in', () => {
  const db = open();
  db.exec('CREATE TABLE t (a INTEGER, b REAL, c TEXT, d BLOB, e)');
  db.prepare('INSERT INTO t VALUES (?, ?, ?, ?, ?)').run(1, 2.5, 'é\0x', new Uint8Array([1, 2]), null);
  const row = db.prepare('SELECT * FROM t').get();
  assert.deepStrictEqual({ ...row }, { a: 1, b: 2.5, c: 'é\0x', d: new Uint8Array([1, 2]), e: null });
});

test('parameters by name, with and without their sigil', () => {
  const select = open().prepare('SELECT $a AS a, :b AS b, ? AS c');
  assert.deepStrictEqual({ ...select.get({ $a: 1, b: 2 }, 3) }, { a: 1, b: 2, c: 3 });
  assert.throws(() => select.get({ x: 1 }), { code: 'ERR_INVALID_STATE', message: /Unknown named parameter 'x'/ });
});

test('integers past what a number can hold are refused, or bigints', () => {
  const select = open().prepare('SELECT 9007199254740993 AS n');
  assert.throws(() => select.get(), { code: 'ERR_OUT_OF_RANGE' });
  select.setReadBigInts(true);
  assert.strictEqual(select.get().n, 9007199254740993n);
});

test('an error of SQLite tells its code', () => {
  const db = open();
  db.exec('CREATE TABLE t (a UNIQUE)');
  const insert = db.prepare('INSERT INTO t VALUES (?)');
  insert.run(1);
  assert.throws(() => insert.run(1), { code: 'ERR_SQLITE_ERROR', errcode: 2067, errstr: 'constraint failed' });
});

test('what a function of SQL throws comes out as it was thrown', () => {
  const db = open();
  const failure = new Error('mine');
  db.function('fail', () => { throw failure; });
  assert.throws(() => db.prepare('SELECT fail()').get(), failure);
  assert.strictEqual(db.prepare('SELECT 1 AS one').get().one, 1);
});

test('a function of SQL can neither close its database nor run its own statement', () => {
  const db = open();
  let statement;
  db.function('close', () => { db.close(); });
  db.function('again', () => statement.get());
  assert.throws(() => db.prepare('SELECT close()').get(), { code: 'ERR_INVALID_STATE' });
  statement = db.prepare('SELECT again()');
  assert.throws(() => statement.get(), { code: 'ERR_INVALID_STATE' });
  assert.ok(db.isOpen);
});

test('statements and iterators end with their database', () => {
  const db = open();
  const select = db.prepare('SELECT 1 UNION SELECT 2');
  const rows = select.iterate();
  rows.next();
  db.close();
  assert.throws(() => select.get(), { code: 'ERR_INVALID_STATE' });
  assert.throws(() => rows.next(), { code: 'ERR_INVALID_STATE' });
});

test('a backup can be opened', async () => {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'sqlite-')), 'copy.db');
  const db = open();
  db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (7)');
  await backup(db, file);
  assert.strictEqual(new DatabaseSync(file).prepare('SELECT a FROM t').get().a, 7);
  fs.rmSync(path.dirname(file), { recursive: true });
});
