// Contexts: the object and the global are one; scripts, functions, limits.
import assert from 'node:assert';
import vm from 'node:vm';
import { test } from '../../../test/harness.mjs';

test('the object is the global', () => {
  const box = vm.createContext({ x: 1 });
  vm.runInContext('x += 1; var y = 2; let z = 3; globalThis.w = 4; function f() {} delete globalThis.x', box);
  assert.deepStrictEqual(Object.keys(box).sort(), ['f', 'w', 'y']);
  assert.strictEqual(vm.runInContext('z', box), 3);
  box.later = 5;
  assert.strictEqual(vm.runInContext('later + y', box), 7);
});

test('properties of every kind', () => {
  const box = vm.createContext({});
  vm.runInContext('Object.defineProperty(globalThis, "fixed", { value: 1 }); globalThis[7] = "seven"', box);
  assert.strictEqual(Object.getOwnPropertyDescriptor(box, 'fixed').writable, false);
  assert.strictEqual(box[7], 'seven');
  assert.ok(vm.runInContext('"fixed" in globalThis && Object.hasOwn(globalThis, "7") && !("none" in globalThis)', box));
  assert.throws(() => vm.runInContext('"use strict"; undeclared = 1', box), { name: 'ReferenceError' });
});

test('intrinsics of its own', () => {
  assert.ok(!(vm.runInNewContext('[]') instanceof Array));
  assert.ok(vm.isContext(vm.createContext(vm.constants.DONT_CONTEXTIFY)));
});

test('a proxy can be a context', () => {
  const seen = [];
  const set = (target, key, value) => {
    seen.push(key);
    return Reflect.set(target, key, value);
  };
  const box = vm.createContext(new Proxy({}, { set }));
  vm.runInContext('a = 1', box);
  assert.deepStrictEqual(new Set(seen), new Set(['a']));
});

test('time runs out', () => {
  assert.throws(() => vm.runInNewContext('for (;;);', {}, { timeout: 10 }), { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' });
  const options = { timeout: 10, microtaskMode: 'afterEvaluate' };
  assert.throws(() => vm.runInNewContext('Promise.resolve().then(() => { for (;;); })', {}, options),
    { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' });
});

test('errors show their line', () => {
  assert.throws(() => new vm.Script('let a =', { filename: 'f.js' }),
    (error) => error.name === 'SyntaxError' && error.stack.startsWith('f.js:1\nlet a ='));
});

test('code that may not be made', () => {
  const options = { contextCodeGeneration: { strings: false, wasm: false } };
  assert.throws(() => vm.runInNewContext('eval("1")', {}, options), { name: 'EvalError' });
});

test('cached data', () => {
  const first = new vm.Script('40 + 2');
  const second = new vm.Script('40 + 2', { cachedData: first.createCachedData() });
  assert.strictEqual(second.cachedDataRejected, false);
  assert.strictEqual(second.runInThisContext(), 42);
  const rejected = new vm.Script('40 + 3', { cachedData: Buffer.from('nonsense') });
  assert.strictEqual(rejected.cachedDataRejected, true);
});

test('functions', () => {
  assert.strictEqual(vm.compileFunction('return a + b + c', ['a', 'b'], { contextExtensions: [{ c: 3 }] })(1, 2), 6);
});
