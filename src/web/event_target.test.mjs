import assert from 'node:assert';
import { getEventListeners, once } from 'node:events';
import { test } from '../../test/harness.mjs';

test('listeners are called in order, once each', () => {
  const target = new EventTarget();
  const seen = [];
  const first = () => seen.push(1);
  target.addEventListener('x', first);
  target.addEventListener('x', first);
  target.addEventListener('x', { handleEvent(event) { seen.push(event.type); } });
  target.addEventListener('x', () => seen.push(3), { once: true });
  target.dispatchEvent(new Event('x'));
  target.dispatchEvent(new Event('x'));
  assert.deepStrictEqual(seen, [1, 'x', 3, 1, 'x']);
  assert.strictEqual(getEventListeners(target, 'x').length, 2);
});

test('changes during a dispatch', () => {
  const target = new EventTarget();
  const seen = [];
  const late = () => seen.push('late');
  target.addEventListener('x', () => {
    target.removeEventListener('x', gone);
    target.addEventListener('x', late);
  });
  const gone = () => seen.push('gone');
  target.addEventListener('x', gone);
  target.dispatchEvent(new Event('x'));
  assert.deepStrictEqual(seen, []);
  target.dispatchEvent(new Event('x'));
  assert.deepStrictEqual(seen, ['late']);
});

test('preventDefault, stopImmediatePropagation, passive', () => {
  const target = new EventTarget();
  target.addEventListener('x', (event) => event.preventDefault(), { passive: true });
  assert.ok(target.dispatchEvent(new Event('x', { cancelable: true })));
  target.addEventListener('x', (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  });
  target.addEventListener('x', () => assert.fail('stopped'));
  const event = new Event('x', { cancelable: true });
  assert.ok(!target.dispatchEvent(event));
  assert.ok(event.defaultPrevented);
  assert.throws(() => target.dispatchEvent({}), { code: 'ERR_INVALID_ARG_TYPE' });
});

test('a signal removes a listener', () => {
  const target = new EventTarget();
  const controller = new AbortController();
  target.addEventListener('x', () => assert.fail('removed'), { signal: controller.signal });
  controller.abort();
  target.dispatchEvent(new Event('x'));
});

test('an error in a listener is an uncaught exception, and the others still run', async () => {
  const target = new EventTarget();
  let others = 0;
  target.addEventListener('x', () => { throw new Error('boom'); });
  target.addEventListener('x', () => others++);
  const caught = once(process, 'uncaughtException');
  target.dispatchEvent(new Event('x'));
  assert.strictEqual(others, 1);
  assert.strictEqual((await caught)[0].message, 'boom');
});
