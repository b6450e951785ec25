'use strict';

// A child's own end of its channel: opened before the program runs, when the environment names a descriptor for it.

const { createPipe, kPipeIpc } = require('#net/handles');

/** @param {number} fd @param {string} mode */
function openChannel(fd, mode) {
  const pipe = createPipe(kPipeIpc);
  const status = pipe.open(fd);
  if (status < 0) throw require('#net/errors').errnoException(status, 'open');
  // Only listening for messages keeps the process alive.
  pipe.unref();
  const control = require('#child_process/ipc').setupChannel(process, pipe, mode);
  const counts = (name) => name === 'message' || name === 'disconnect';
  process.on('newListener', function onNewListener(name) {
    if (counts(name)) control.refCounted();
  });
  process.on('removeListener', function onRemoveListener(name) {
    if (counts(name)) control.unrefCounted();
  });
}

/** Reads the environment, and takes out of it what is not for the program. */
function setupChildProcess() {
  const { NODE_CHANNEL_FD: fd, NODE_CHANNEL_SERIALIZATION_MODE: mode } = process.env;
  if (!fd) return;
  delete process.env.NODE_CHANNEL_FD;
  delete process.env.NODE_CHANNEL_SERIALIZATION_MODE;
  const number = Number(fd);
  if (!Number.isInteger(number) || number < 0) return;
  openChannel(number, mode === 'advanced' ? 'advanced' : 'json');
  if (process.env.NODE_UNIQUE_ID) {
    require('#cluster/role').becomeWorker();
    require('cluster')._setupWorker();
    delete process.env.NODE_UNIQUE_ID;
  }
}

module.exports = { openChannel, setupChildProcess };
