import assert from 'node:assert';
import { inspect } from 'node:util';
import { test } from '../../../test/harness.mjs';

/** An error one of whose properties cannot be read. */
function hostile(property) {
  return Object.defineProperty(new Error('x'), property, { get() { throw new Error('not this one'); } });
}

test('errors whose properties throw are shown nevertheless', () => {
  assert.strictEqual(inspect(hostile('name')), '[object Error]');
  assert.strictEqual(inspect(hostile('message')), '[object Error]');
  assert.strictEqual(inspect(hostile('stack')), '[Error: x]');
  assert.match(inspect(hostile('errors')), /^Error: x\n {4}at /);
});
