'use strict';

// process.stdin, process.stdout, process.stderr: made when first touched, of the kind that the descriptor is. Writes to
// files, terminals, pipes and sockets end before write() returns, so that process.exit() loses nothing.

const guessHandleType = (fd) => binding('net').guessHandleType(fd);

/** The process's own stdout and stderr are never closed. */
function dummyDestroy(error, callback) {
  callback(error);
  this._undestroy?.();
  if (!this._writableState.emitClose) process.nextTick(() => this.emit('close'));
}

function makeWritable(fd) {
  switch (guessHandleType(fd)) {
    case 'TTY': {
      const tty = require('tty');
      const stream = new tty.WriteStream(fd);
      stream._type = 'tty';
      return stream;
    }
    case 'FILE': {
      const { SyncWriteStream } = require('#stdio/sync_stream');
      const stream = new SyncWriteStream(fd, { autoClose: false });
      stream._type = 'fs';
      return stream;
    }
    case 'PIPE':
    case 'TCP': {
      const net = require('net');
      const { SyncHandle } = require('#stdio/sync_stream');
      const stream = new net.Socket({ handle: new SyncHandle(fd), readable: false, writable: true });
      stream._type = 'pipe';
      return stream;
    }
    default: {
      // Something that cannot be written to: swallow it.
      const { Writable } = require('stream');
      return new Writable({
        write(chunk, encoding, callback) {
          callback();
        },
      });
    }
  }
}

function makeStdWritable(fd) {
  const stream = makeWritable(fd);
  stream.fd = fd;
  stream._isStdio = true;
  stream.destroySoon = stream.destroy;
  stream._destroy = dummyDestroy;
  return stream;
}

let stdout;
let stderr;
let stdin;

function getStdout() {
  if (stdout !== undefined) return stdout;
  stdout = makeStdWritable(1);
  if (stdout.isTTY) process.on('SIGWINCH', () => stdout._refreshSize());
  return stdout;
}

function getStderr() {
  if (stderr !== undefined) return stderr;
  stderr = makeStdWritable(2);
  if (stderr.isTTY) process.on('SIGWINCH', () => stderr._refreshSize());
  return stderr;
}

function makeReadable(fd) {
  switch (guessHandleType(fd)) {
    case 'TTY': {
      const tty = require('tty');
      return new tty.ReadStream(fd);
    }
    case 'FILE': {
      const fs = require('fs');
      return new fs.ReadStream(null, { fd, autoClose: false });
    }
    case 'PIPE':
    case 'TCP': {
      const net = require('net');
      const stream = new net.Socket({ fd, readable: true, writable: false, manualStart: true });
      stream._type = 'pipe';
      return stream;
    }
    default: {
      const { Readable } = require('stream');
      const stream = new Readable({ read() {} });
      stream.push(null);
      return stream;
    }
  }
}

/** A paused stdin must not keep the process alive. */
function stopReading(stream) {
  const handle = stream._handle;
  if (!handle?.reading || stream.readableFlowing) return;
  stream._readableState.reading = false;
  handle.reading = false;
  handle.readStop();
}

function getStdin() {
  if (stdin !== undefined) return stdin;
  stdin = makeReadable(0);
  stdin.fd = 0;
  if (stdin._handle?.readStop) {
    stdin._handle.reading = false;
    stdin._readableState.reading = false;
    stdin._handle.readStop();
  }
  stdin.on('pause', () => process.nextTick(stopReading, stdin));
  return stdin;
}

/** Whether stdout has been made: a fatal error's printer must not make it. */
function stdioMade() {
  return { stdin, stdout, stderr };
}

module.exports = { getStdin, getStdout, getStderr, stdioMade };
