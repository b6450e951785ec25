import assert from 'node:assert';
import { inspect } from 'node:util';
import { test } from '../../test/harness.mjs';

const ownKeys = (object) => Reflect.ownKeys(object).map(String);

test('name, message and code; names without a legacy code have 0', () => {
  const error = new DOMException('m', 'NotFoundError');
  assert.deepStrictEqual([error.name, error.message, error.code], ['NotFoundError', 'm', 8]);
  assert.deepStrictEqual(ownKeys(error), ['stack']);
  assert.strictEqual(`${error}`, 'NotFoundError: m');
  assert.strictEqual(Object.prototype.toString.call(error), '[object DOMException]');
  for (const name of ['EncodingError', 'ValidationError', 'NoDataAllowedError', 'DOMStringSizeError', 'toString', '']) {
    assert.strictEqual(new DOMException('m', name).code, 0);
  }
});

test('missing and odd arguments', () => {
  const fields = (...args) => {
    const { name, message, code } = new DOMException(...args);
    return [name, message, code];
  };
  assert.deepStrictEqual(fields(), ['Error', '', 0]);
  assert.deepStrictEqual(fields(undefined, undefined), ['Error', '', 0]);
  assert.deepStrictEqual(fields(null, null), ['null', 'null', 0]);
  assert.deepStrictEqual(fields(5, 6), ['6', '5', 0]);
  assert.deepStrictEqual(fields('m', {}), ['undefined', 'm', 0]);
  assert.throws(() => new DOMException(Symbol('s')), TypeError);
  assert.throws(() => new DOMException('m', Symbol('s')), TypeError);
  assert.throws(() => DOMException('m'), /^TypeError: Class constructor DOMException cannot be invoked without 'new'/);
});

test('arguments are converted in the order of Node.js', () => {
  const seen = [];
  const text = (name) => ({ toString() { seen.push(`${name} as text`); return name; } });
  new DOMException(text('message'), {
    get name() { seen.push('name'); return text('name'); },
    get cause() { seen.push('cause'); return 1; },
  });
  assert.deepStrictEqual(seen, ['name', 'message as text', 'name as text', 'cause']);
});

test('an object gives name and cause, a cause of undefined too', () => {
  const error = new DOMException('m', { name: 'AbortError', cause: 1 });
  assert.deepStrictEqual([error.name, error.code, error.cause], ['AbortError', 20, 1]);
  assert.strictEqual(Object.getOwnPropertyDescriptor(error, 'cause').enumerable, false);
  assert.ok(Object.hasOwn(new DOMException('m', { cause: undefined }), 'cause'));
  assert.ok(!('cause' in new DOMException('m', { name: 'AbortError' })));
});

test('it is an Error, with a stack that shows name and message', () => {
  function fail() { return new DOMException('m', 'AbortError'); }
  const error = fail();
  assert.ok(error instanceof Error);
  assert.match(error.stack, /^AbortError: m\n {4}at fail /);
  assert.strictEqual(new DOMException().stack.split('\n')[0], 'Error');
  assert.match(inspect(error), /^DOMException \[AbortError\]: m\n {4}at fail /);
  error.stack = 'replaced';
  assert.strictEqual(inspect(error), '[replaced]');
});

test('subclasses', () => {
  class Sub extends DOMException {
    constructor() { super('m', 'DataError'); }
  }
  const error = new Sub();
  assert.ok(error instanceof Sub && error instanceof DOMException);
  assert.match(inspect(error), /^Sub \[DOMException\] \[DataError\]: m\n/);
});

test('attributes want an exception for a receiver', () => {
  for (const name of ['name', 'message', 'code']) {
    const { get, set, enumerable, configurable } = Object.getOwnPropertyDescriptor(DOMException.prototype, name);
    assert.deepStrictEqual([get.name, set, enumerable, configurable], [`get ${name}`, undefined, true, true]);
    for (const receiver of [DOMException.prototype, {}, undefined, new Error('m'), 1]) {
      assert.throws(() => get.call(receiver), {
        name: 'TypeError', code: 'ERR_INVALID_THIS', message: 'Value of "this" must be of DOMException',
      });
    }
  }
  assert.match(inspect(DOMException.prototype), /^\[object DOMException\] {\n {2}name: \[Getter\],/);
});

test('constants on the class and its prototype', () => {
  const constants = Object.entries(DOMException);
  assert.strictEqual(constants.length, 25);
  assert.deepStrictEqual(constants.map(([, value]) => value), Array.from({ length: 25 }, (_, i) => i + 1));
  assert.deepStrictEqual([constants[0][0], constants[19][0], constants[24][0]],
    ['INDEX_SIZE_ERR', 'ABORT_ERR', 'DATA_CLONE_ERR']);
  for (const target of [DOMException, DOMException.prototype]) {
    assert.deepStrictEqual(Object.getOwnPropertyDescriptor(target, 'QUOTA_EXCEEDED_ERR'),
      { value: 22, writable: false, enumerable: true, configurable: false });
  }
});

test('structured clones keep name, message and stack, and nothing else', () => {
  class Sub extends DOMException {}
  const error = Object.assign(new Sub('m', { name: 'DataCloneError', cause: 1 }), { extra() {} });
  const { copy } = structuredClone({ copy: error });
  assert.strictEqual(Object.getPrototypeOf(copy), DOMException.prototype);
  assert.deepStrictEqual([copy.name, copy.message, copy.code, copy.stack], ['DataCloneError', 'm', 25, error.stack]);
  assert.deepStrictEqual(ownKeys(copy), ['stack']);
  const impostor = structuredClone(Object.setPrototypeOf({ a: 1 }, DOMException.prototype));
  assert.deepStrictEqual(impostor, { a: 1 });
});
