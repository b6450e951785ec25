import assert from 'node:assert';
import { EventEmitter } from 'node:events';
import { test } from '../../../test/harness.mjs';

test('the eleventh listener is warned of, once', async () => {
  const emitter = new EventEmitter();
  const warnings = [];
  process.on('warning', (warning) => warnings.push(warning));
  for (let i = 0; i < 13; i++) emitter.on('x', () => {});
  await new Promise(setImmediate);
  assert.strictEqual(warnings.length, 1);
  assert.strictEqual(warnings[0].name, 'MaxListenersExceededWarning');
  assert.strictEqual(warnings[0].count, 11);
  assert.match(warnings[0].message, /11 x listeners added to \[EventEmitter\]\. MaxListeners is 10\./);
});
