'use strict';

// util.aborted(), transferableAbortController(), transferableAbortSignal().

const { codes: { ERR_INVALID_ARG_TYPE } } = require('#internal/errors');
const { validateAbortSignal, validateObject } = require('#internal/validators');

/**
 * A promise for the abortion of a signal, that settles only while `resource` is alive: what waits for it dies
 * with the resource.
 */
async function aborted(signal, resource) {
  if (signal === undefined) throw new ERR_INVALID_ARG_TYPE('signal', 'AbortSignal', signal);
  validateAbortSignal(signal, 'signal');
  validateObject(resource, 'resource', { nullable: false, allowFunction: true, allowArray: true });
  if (signal.aborted) return undefined;
  const { promise, resolve } = Promise.withResolvers();
  const { kWeakHandler } = require('#web/event_target');
  signal.addEventListener('abort', () => resolve(), { __proto__: null, [kWeakHandler]: resource, once: true });
  return promise;
}

function transferableAbortController() {
  const controller = new AbortController();
  require('#web/abort_transfer').makeTransferable(controller.signal);
  return controller;
}

function transferableAbortSignal(signal) {
  const { isAbortSignal } = require('#web/abort');
  if (!isAbortSignal(signal)) throw new ERR_INVALID_ARG_TYPE('signal', 'AbortSignal', signal);
  return require('#web/abort_transfer').makeTransferable(signal);
}

module.exports = { aborted, transferableAbortController, transferableAbortSignal };
