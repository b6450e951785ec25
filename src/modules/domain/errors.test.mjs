import assert from 'node:assert';
import domain from 'node:domain';
import { EventEmitter } from 'node:events';
import { stat } from 'node:fs';
import { test } from '../../../test/harness.mjs';

const failing = {
  'a tick': (fail) => process.nextTick(fail),
  'a timer': (fail) => setTimeout(fail, 1),
  'a native callback': (fail) => stat('.', fail),
};
for (const [name, start] of Object.entries(failing)) {
  test(`an error thrown in ${name} goes to the domain it was started in`, async () => {
    const mine = domain.create();
    const error = await new Promise((done) => {
      mine.on('error', done);
      mine.run(() => start(() => { throw new Error(name); }));
    });
    assert.strictEqual(error.message, name);
    assert.strictEqual(error.domainThrown, true);
  });
}

test('an error event that nobody hears goes to the emitter\'s domain', () => {
  const mine = domain.create();
  const seen = [];
  mine.on('error', (error) => seen.push(error.message));
  mine.run(() => new EventEmitter()).emit('error', new Error('mine'));
  assert.deepStrictEqual(seen, ['mine']);
});
