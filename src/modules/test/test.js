'use strict';

// node:test. A test belongs to the test or suite whose code declares it, else to the root of this process's
// run.

const { Suite, Test } = require('#test/runner');
const { currentParent } = require('#test/harness');
const { callerLocation } = require('#test/location');
const { kEmptyObject } = require('#internal/util');

async function startSoon(subtest) {
  const { harness } = subtest;
  if (harness.bootstrap !== undefined) await harness.bootstrap;
  await subtest.start();
}

function declare(Factory, args, overrides) {
  const [name, options, fn] = args;
  const parent = currentParent();
  const subtest = parent.createSubtest(Factory, name, options, fn, { ...overrides, loc: callerLocation() });
  // A suite starts its tests itself, when it has been built.
  if (parent instanceof Suite) return Promise.resolve();
  return startSoon(subtest);
}

function makeDeclarer(Factory) {
  const test = (name, options, fn) => declare(Factory, [name, options, fn], kEmptyObject);
  for (const keyword of ['skip', 'todo', 'only']) {
    const overrides = { __proto__: null, [keyword]: true };
    test[keyword] = (name, options, fn) => declare(Factory, [name, options, fn], overrides);
    Object.defineProperty(test[keyword], 'name', { __proto__: null, value: '', configurable: true });
  }
  return test;
}

function makeHook(name) {
  return Object.defineProperty((fn, options) => {
    const parent = currentParent();
    parent.createHook(name, fn, { loc: callerLocation(), ...options });
  }, 'name', { __proto__: null, value: '', configurable: true });
}

const test = makeDeclarer(Test);
const describe = makeDeclarer(Suite);
Object.defineProperty(describe, 'name', { __proto__: null, value: 'test', configurable: true });

function run(options = kEmptyObject) {
  return require('#test/run').run(options);
}

Object.assign(test, {
  after: makeHook('after'),
  afterEach: makeHook('afterEach'),
  before: makeHook('before'),
  beforeEach: makeHook('beforeEach'),
  describe,
  it: test,
  run,
  suite: describe,
  test,
});

function defineLazy(name, make) {
  let value;
  Object.defineProperty(test, name, {
    __proto__: null, configurable: true, enumerable: true, get() { return value ??= make(); },
  });
}
defineLazy('mock', () => new (require('#test/mock').MockTracker)());
defineLazy('snapshot', () => require('#test/snapshot').snapshot);
defineLazy('assert', () => ({ __proto__: null, register: require('#test/context').registerAssertion }));

module.exports = test;
