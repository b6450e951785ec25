'use strict';

// The `stdio` option: what a child finds at each of its descriptors.

const {
  codes: { ERR_INVALID_ARG_VALUE, ERR_INVALID_SYNC_FORK_INPUT, ERR_IPC_ONE_PIPE, ERR_IPC_SYNC_FORK },
} = require('#internal/errors');
const { createPipe, kPipeIpc, isTCP, isPipe, isHandle } = require('#net/handles');

/**
 * @param {string} option 'pipe', 'ignore', 'inherit', 'overlapped'
 * @param {unknown} [channel] what comes fourth
 */
function stdioStringToArray(option, channel) {
  const options = [];
  switch (option) {
    case 'ignore':
    case 'overlapped':
    case 'pipe':
      options.push(option, option, option);
      break;
    case 'inherit':
      options.push(0, 1, 2);
      break;
    default:
      throw new ERR_INVALID_ARG_VALUE('stdio', option);
  }
  if (channel) options.push(channel);
  return options;
}

/** The native handle that a program's object stands for. */
function handleOf(value) {
  for (const handle of [value, value?.handle, value?._handle]) if (isHandle(handle)) return handle;
  return undefined;
}

function closeAll(list) {
  for (const entry of list) entry.handle?.close?.();
}

/**
 * @param {string | unknown[]} stdio
 * @param {boolean} sync for spawnSync(), which has no handles of its own
 * @returns {{ stdio: object[], ipc: object | undefined, ipcFd: number | undefined }}
 */
function getValidStdio(stdio, sync) {
  if (typeof stdio === 'string') stdio = stdioStringToArray(stdio);
  else if (!Array.isArray(stdio)) throw new ERR_INVALID_ARG_VALUE('stdio', stdio);
  const result = { stdio: [], ipc: undefined, ipcFd: undefined };
  const wanted = stdio.slice();
  while (wanted.length < 3) wanted.push(undefined);
  for (let i = 0; i < wanted.length; i++) {
    try {
      result.stdio.push(readEntry(wanted[i] ?? (i < 3 ? 'pipe' : 'ignore'), i, sync, result));
    } catch (error) {
      if (!sync) closeAll(result.stdio.filter((entry) => entry.type === 'pipe'));
      throw error;
    }
  }
  return result;
}

function readEntry(entry, index, sync, result) {
  if (entry === 'ignore') return { type: 'ignore' };
  if (entry === 'pipe' || entry === 'overlapped' || (typeof entry === 'number' && entry < 0)) {
    const pipe = { type: 'pipe', readable: index === 0, writable: index !== 0 };
    if (!sync) pipe.handle = createPipe();
    return pipe;
  }
  if (entry === 'ipc') {
    if (sync) throw new ERR_IPC_SYNC_FORK();
    if (result.ipc !== undefined) throw new ERR_IPC_ONE_PIPE();
    result.ipc = createPipe(kPipeIpc);
    result.ipcFd = index;
    return { type: 'pipe', handle: result.ipc, ipc: true };
  }
  if (entry === 'inherit') return { type: 'inherit', fd: index };
  if (typeof entry === 'number' || typeof entry.fd === 'number') {
    return { type: 'fd', fd: typeof entry === 'number' ? entry : entry.fd };
  }
  const handle = handleOf(entry);
  if (handle !== undefined) {
    const wrapType = isTCP(handle) ? 'tcp' : isPipe(handle) ? 'pipe' : 'tty';
    return { type: 'wrap', wrapType, handle, fd: handle.fd, _stdio: entry };
  }
  if (ArrayBuffer.isView(entry) || typeof entry === 'string') {
    if (!sync) throw new ERR_INVALID_SYNC_FORK_INPUT(require('util').inspect(entry));
  }
  throw new ERR_INVALID_ARG_VALUE('stdio', entry);
}

module.exports = { getValidStdio, stdioStringToArray };
