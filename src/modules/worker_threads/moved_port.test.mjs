// moveMessagePortToContext: the port and what it delivers belong to the context.
import assert from 'node:assert';
import { once } from 'node:events';
import vm from 'node:vm';
import { MessageChannel, MessagePort, moveMessagePortToContext } from 'node:worker_threads';
import { test } from '../../../test/harness.mjs';

test('objects of the context on both ways', async () => {
  const context = vm.createContext();
  const { port1, port2 } = new MessageChannel();
  context.port = moveMessagePortToContext(port1, context);
  assert.ok(!(context.port instanceof MessagePort));
  vm.runInContext(`port.onmessage = ({ data, ports }) => {
    port.postMessage([data instanceof Object, ports instanceof Array, data.port === ports[0], port instanceof Object]);
    ports[0].close();
    port.close();
  }; port.start();`, context);
  const other = new MessageChannel();
  port2.postMessage({ port: other.port1 }, [other.port1]);
  assert.deepStrictEqual(await once(port2, 'message').then(([value]) => value), [true, true, true, true]);
});

test('an error of the context, and no way to our own objects', () => {
  const context = vm.createContext();
  const { port1 } = new MessageChannel();
  context.port = moveMessagePortToContext(port1, context);
  const result = vm.runInContext(`try { port.postMessage(() => {}) } catch (e) { [e instanceof Error, e.name, e.code].join() }`,
                                 context);
  assert.strictEqual(result, 'true,DataCloneError,25');
  assert.strictEqual(vm.runInContext('port.postMessage.constructor("return typeof process")()', context), 'undefined');
  vm.runInContext('port.close()', context);
});

test('what is no port or no context is refused', () => {
  const { port1 } = new MessageChannel();
  assert.throws(() => moveMessagePortToContext({}, vm.createContext()), { code: 'ERR_INVALID_ARG_TYPE' });
  assert.throws(() => moveMessagePortToContext(port1, {}), { code: 'ERR_INVALID_ARG_TYPE' });
  port1.close();
});
