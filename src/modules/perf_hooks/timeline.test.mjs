import assert from 'node:assert';
import { PerformanceObserver, createHistogram, performance } from 'node:perf_hooks';
import { test } from '../../../test/harness.mjs';

test('marks and measures are kept in the order of their start', () => {
  performance.mark('late', { startTime: 20 });
  performance.mark('early', { startTime: 10, detail: { a: 1 } });
  const measure = performance.measure('between', 'early', 'late');
  assert.strictEqual(measure.duration, 10);
  assert.deepStrictEqual(performance.getEntries().map((entry) => entry.name), ['early', 'between', 'late']);
  performance.clearMarks();
  performance.clearMeasures();
  assert.deepStrictEqual(performance.getEntries(), []);
});

test('an observer is told of what it asked for, together', async () => {
  const names = await new Promise((done) => {
    const observer = new PerformanceObserver((list) => {
      observer.disconnect();
      done(list.getEntries().map((entry) => entry.name));
    });
    observer.observe({ entryTypes: ['mark'] });
    performance.mark('one');
    performance.measure('not asked for');
    performance.mark('two');
  });
  assert.deepStrictEqual(names, ['one', 'two']);
});

test('timerify records into a histogram', () => {
  const histogram = createHistogram();
  const timed = performance.timerify((a, b) => a + b, { histogram });
  assert.strictEqual(timed(1, 2), 3);
  assert.strictEqual(histogram.count, 1);
});
