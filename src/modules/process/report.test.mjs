// process.report: what a report holds, where it goes, and that a busy worker is in it.
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { test } from '../../../test/harness.mjs';

test('getReport tells of the error that it is given', () => {
  const report = process.report.getReport(Object.assign(new RangeError('far'), { by: 3 }));
  assert.strictEqual(report.javascriptStack.message, 'RangeError: far');
  assert.strictEqual(report.javascriptStack.errorProperties.by, '3');
  assert.strictEqual(report.header.processId, process.pid);
  assert.deepStrictEqual(report.header.componentVersions, { ...process.versions });
});

test('a getter that throws leaves the report whole', () => {
  const error = { get stack() { throw new Error('no'); }, get a() { throw new Error('no'); } };
  assert.strictEqual(process.report.getReport(error).javascriptStack.message, 'No stack.');
});

test('a worker that never comes back from JavaScript is reported', async () => {
  const worker = new Worker('for (;;);', { eval: true, name: 'busy' });
  await once(worker, 'online');
  const [report] = process.report.getReport().workers;
  assert.strictEqual(report.header.event, 'Worker thread subreport [busy]');
  await worker.terminate();
});

test('an uncaught exception writes one, if asked to', () => {
  const directory = mkdtempSync(join(tmpdir(), 'gyre-report-'));
  const args = ['--report-uncaught-exception', '--report-compact', `--report-directory=${directory}`, '-e', 'throw new Error("x")'];
  assert.strictEqual(spawnSync(process.execPath, args).status, 1);
  const [name] = readdirSync(directory);
  const text = readFileSync(join(directory, name), 'utf8');
  assert.strictEqual(text.indexOf('\n'), text.length - 1);
  assert.strictEqual(JSON.parse(text).javascriptStack.message, 'Error: x');
});
