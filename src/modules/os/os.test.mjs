import assert from 'node:assert';
import os from 'node:os';
import { test } from '../../../test/harness.mjs';

test('the machine is described', () => {
  assert.strictEqual(os.type(), 'Linux');
  assert.ok(os.cpus().length > 0);
  assert.ok(os.totalmem() >= os.freemem());
  assert.ok(os.uptime() > 0);
  assert.strictEqual(os.loadavg().length, 3);
  assert.ok(os.availableParallelism() >= 1);
});

test('addresses carry their prefix length', () => {
  for (const list of Object.values(os.networkInterfaces())) {
    for (const entry of list) assert.ok(entry.cidr === null || entry.cidr.startsWith(`${entry.address}/`));
  }
});

test('tmpdir follows TMPDIR without a trailing slash', () => {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = '/x/';
  assert.strictEqual(os.tmpdir(), '/x');
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
});

test('priorities are checked, and failures are system errors', () => {
  assert.throws(() => os.setPriority(0, 99), { code: 'ERR_OUT_OF_RANGE' });
  assert.throws(() => os.getPriority(-1), { code: 'ERR_SYSTEM_ERROR', syscall: 'uv_os_getpriority', errno: -3 });
});

test('functions without arguments are their values in text', () => {
  assert.strictEqual(`${os.hostname}`, os.hostname());
});

test('constants cannot be changed', () => {
  assert.throws(() => { os.constants.signals.SIGINT = 3; }, TypeError);
  assert.strictEqual(os.constants.signals.SIGINT, 2);
});
