// Names that Node.js 24 has given up: what looks for them must not be warned of them.
import assert from 'node:assert';
import http from 'node:http';
import { test } from '../../../test/harness.mjs';

test('_headers and _headerNames are gone', () => {
  assert.deepStrictEqual(['_headers', '_headerNames'].filter((name) => name in http.OutgoingMessage.prototype), []);
});
