import assert from 'node:assert';
import { AsyncResource, createHook, executionAsyncId } from 'node:async_hooks';
import { stat } from 'node:fs';
import { test } from '../../../test/harness.mjs';

test('init, before, after and destroy surround a native operation', async () => {
  const log = [];
  let id;
  const hook = createHook({
    init(asyncId, type) {
      if (type !== 'FSREQCALLBACK') return;
      id = asyncId;
      log.push('init');
    },
    before: (asyncId) => asyncId === id && log.push('before'),
    after: (asyncId) => asyncId === id && log.push('after'),
    destroy: (asyncId) => asyncId === id && log.push('destroy'),
  }).enable();
  await new Promise((done) => stat('.', () => {
    assert.strictEqual(executionAsyncId(), id);
    log.push('callback');
    done();
  }));
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  hook.disable();
  assert.deepStrictEqual(log, ['init', 'before', 'callback', 'after', 'destroy']);
});

test('a hook enabled inside a hook is told of the next event, not of this', () => {
  const log = [];
  const inner = createHook({ init: (id, type) => log.push(`inner ${type}`) });
  const outer = createHook({
    init(id, type) {
      log.push(`outer ${type}`);
      inner.enable();
    },
  }).enable();
  new AsyncResource('A');
  new AsyncResource('B');
  outer.disable();
  inner.disable();
  assert.deepStrictEqual(log, ['outer A', 'outer B', 'inner B']);
});
