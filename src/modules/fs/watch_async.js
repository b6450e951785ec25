'use strict';

// `fsPromises.watch`: the events of a watcher as an async iterator.

const {
  AbortError, codes: { ERR_FS_WATCH_QUEUE_OVERFLOW },
} = require('#internal/errors');
const {
  validateAbortSignal, validateBoolean, validateInteger, validateObject, validateOneOf,
} = require('#internal/validators');
const { watch: watchCallback } = require('#fs/watchers');
const { assertEncoding, getValidatedPath } = require('#fs/validate');

const kMaxQueue = 2048;

function checkOptions(options) {
  if (options !== undefined && typeof options !== 'string') validateObject(options, 'options');
  if (typeof options === 'string') options = { encoding: options };
  const {
    persistent = true, recursive = false, encoding = 'utf8', maxQueue = kMaxQueue, overflow = 'ignore', signal,
  } = options ?? {};
  validateBoolean(persistent, 'options.persistent');
  validateBoolean(recursive, 'options.recursive');
  validateInteger(maxQueue, 'options.maxQueue');
  validateOneOf(overflow, 'options.overflow', ['ignore', 'error']);
  validateAbortSignal(signal, 'options.signal');
  if (encoding !== 'buffer') assertEncoding(encoding);
  return { persistent, recursive, encoding, maxQueue, overflow, signal };
}

async function* watch(filename, options) {
  const path = getValidatedPath(filename, 'filename');
  const { maxQueue, overflow, signal, ...rest } = checkOptions(options);
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });

  let events = [];
  let failure = null;
  let wake = Promise.withResolvers();
  const fail = (error) => {
    failure ??= error;
    wake.resolve();
  };
  const onAbort = () => fail(new AbortError(undefined, { cause: signal.reason }));
  const watcher = watchCallback(path, rest, (eventType, name) => {
    if (events.length < maxQueue) {
      events.push({ __proto__: null, eventType, filename: name });
      wake.resolve();
    } else if (overflow === 'error') {
      fail(new ERR_FS_WATCH_QUEUE_OVERFLOW(maxQueue));
    } else {
      process.emitWarning('fs.watch maxQueue exceeded');
    }
  });
  watcher.on('error', fail);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      await wake.promise;
      wake = Promise.withResolvers();
      const batch = events;
      events = [];
      for (const event of batch) yield event;
      if (failure !== null) throw failure;
    }
  } finally {
    watcher.close();
    signal?.removeEventListener('abort', onAbort);
  }
}

module.exports = { watch };
