// The lcov reporter is made with new, without, or by compose().
import assert from 'node:assert';
import { lcov } from 'node:test/reporters';
import { PassThrough } from 'node:stream';
import { test } from '../../../test/harness.mjs';

test('lcov is a function that makes a stream', () => {
  for (const made of [new lcov(), lcov()]) assert.strictEqual(made.constructor.name, 'LcovReporter');
  const stream = new PassThrough({ objectMode: true }).compose(lcov);
  assert.strictEqual(typeof stream.read, 'function');
});
