import assert from 'node:assert';
import { test } from '../../test/harness.mjs';

test('names, codes, causes', () => {
  const error = new DOMException('m', { name: 'NotFoundError', cause: 1 });
  assert.strictEqual(error.code, 8);
  assert.strictEqual(error.cause, 1);
  assert.ok(error instanceof Error);
  assert.match(error.stack, /^NotFoundError: m\n/);
  assert.strictEqual(DOMException.DATA_CLONE_ERR, 25);
  assert.strictEqual(new DOMException('m', 'Made up').code, 0);
  assert.deepStrictEqual(Object.keys(error), []);
});

test('subclasses and wrong receivers', () => {
  class Sub extends DOMException {}
  assert.ok(new Sub() instanceof Sub);
  assert.throws(() => DOMException.prototype.name, { code: 'ERR_INVALID_THIS' });
});
