'use strict';

// node:console and the global console: one Console whose streams are process.stdout and process.stderr,
// looked up when first written to.

const { Console, kBindProperties, kBindStreamsLazy, methodsOf } = require('#console/console_class');

// Made by the engine; some of its methods only speak to an inspector.
const engineConsole = globalThis.console;

const console = Object.create(Object.create(Object.prototype));

for (const key of Reflect.ownKeys(Console.prototype)) {
  if (key === 'constructor') continue;
  const descriptor = Object.getOwnPropertyDescriptor(Console.prototype, key);
  if (typeof descriptor.value === 'function') {
    descriptor.value = descriptor.value.bind(console);
    const isPublic = typeof key === 'string';
    Object.defineProperty(descriptor.value, 'name', { __proto__: null, value: isPublic ? key : 'value' });
    if (isPublic) Object.defineProperty(descriptor.value, 'length', { __proto__: null, value: 0 });
  }
  Object.defineProperty(console, key, descriptor);
}
// The symbols come last, behind what kBindProperties and kBindStreamsLazy add.
console[kBindProperties](true, 'auto');

for (const name of ['Console', 'profile', 'profileEnd', 'timeStamp', 'context', 'createTask']) {
  const value = name === 'Console' ? Console : engineConsole[name];
  if (value === undefined) continue;
  Object.defineProperty(console, name,
    { __proto__: null, value, writable: true, enumerable: true, configurable: true });
}

console[kBindStreamsLazy](process);

/**
 * While an inspector is attached, each call of the global console also goes to the engine's own console,
 * which reports it to the inspector.
 */
const forwarded = new Map();
function forwardToInspector(enable) {
  for (const name of methodsOf()) {
    const native = engineConsole[name];
    if (typeof native !== 'function') continue;
    if (enable && !forwarded.has(name)) {
      const own = console[name];
      const wrapper = { [name](...args) {
        Reflect.apply(native, engineConsole, args);
        return Reflect.apply(own, this, args);
      } }[name];
      forwarded.set(name, { own, wrapper });
      console[name] = wrapper;
    } else if (!enable && forwarded.has(name)) {
      const { own, wrapper } = forwarded.get(name);
      if (console[name] === wrapper) console[name] = own;
      forwarded.delete(name);
    }
  }
}
require('#console/inspector_bridge').setForwarder(forwardToInspector);

module.exports = console;
