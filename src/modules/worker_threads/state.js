'use strict';

// What this thread is, as its parent told it. The main thread has none of it.
module.exports = { parentPort: null, workerData: null, threadName: undefined, control: undefined,
  isInternal: false, registerHooks: undefined, onExit: undefined, onFatal: undefined };
