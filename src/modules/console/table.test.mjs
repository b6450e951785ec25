// console.table() draws boxes around rows and columns.
import assert from 'node:assert';
import { test } from '../../../test/harness.mjs';

function table(...args) {
  let text = '';
  const stdout = { write: (chunk) => { text += chunk; }, on() {}, once() {}, removeListener() {}, listenerCount: () => 1 };
  new console.Console({ stdout }).table(...args);
  return text;
}

test('objects', () => {
  assert.strictEqual(table([{ a: 1, b: 'x' }, { a: 2, c: { d: 1 } }]), `\
┌─────────┬───┬─────┬──────────┐
│ (index) │ a │ b   │ c        │
├─────────┼───┼─────┼──────────┤
│ 0       │ 1 │ 'x' │          │
│ 1       │ 2 │     │ { d: 1 } │
└─────────┴───┴─────┴──────────┘
`);
});

test('maps, chosen columns, wide characters, primitives', () => {
  assert.match(table(new Map([['k', 2]])), /│ \(iteration index\) │ Key │ Values │\n.*\n│ 0 {17}│ 'k' │ 2 {6}│/);
  assert.match(table([{ a: 1, b: 2 }], ['b']), /│ \(index\) │ b │/);
  assert.match(table([['中文']]), /│ 0 {7}│ '中文' │/);
  assert.strictEqual(table(5), '5\n');
  assert.throws(() => table([], 'x'), { code: 'ERR_INVALID_ARG_TYPE' });
});
