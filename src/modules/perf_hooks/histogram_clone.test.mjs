import assert from 'node:assert';
import { createHistogram } from 'node:perf_hooks';
import { test } from '../../../test/harness.mjs';

test('a histogram sent in a message is the same one', async () => {
  const histogram = createHistogram();
  histogram.record(5);
  const { port1, port2 } = new MessageChannel();
  const copy = await new Promise((resolve) => {
    port2.onmessage = ({ data }) => resolve(data);
    port1.postMessage(histogram);
  });
  copy.record(7);
  assert.strictEqual(histogram.max, 7);
  assert.strictEqual(histogram.count, 2);
  port1.close();
});
