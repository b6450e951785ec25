'use strict';

// node:tty: terminals as sockets.

const net = require('net');
const {
  codes: { ERR_INVALID_FD, ERR_TTY_INIT_FAILED },
} = require('#internal/errors');
const { errnoException } = require('#net/errors');
const { openTTY } = require('#net/handles');
const { getColorDepth, hasColors } = require('#tty/colors');

/** @param {number} fd */
function isatty(fd) {
  return Number.isInteger(fd) && fd >= 0 && fd <= 2147483647 && binding('tty').isatty(fd);
}

function openHandle(fd) {
  if (fd >> 0 !== fd || fd < 0) throw new ERR_INVALID_FD(fd);
  const handle = openTTY(fd);
  if (typeof handle !== 'number') return handle;
  const [code, message] = require('util').getSystemErrorMap().get(handle) ?? ['UNKNOWN', 'unknown error'];
  throw new ERR_TTY_INIT_FAILED({ errno: handle, code, message, syscall: 'uv_tty_init' });
}

/**
 * @param {number} fd
 * @param {object} [options] of net.Socket
 */
function ReadStream(fd, options) {
  if (!(this instanceof ReadStream)) return new ReadStream(fd, options);
  const handle = openHandle(fd);
  net.Socket.call(this, { readableHighWaterMark: 0, handle, manualStart: true, ...options });
  this.isRaw = false;
  this.isTTY = true;
}
Object.setPrototypeOf(ReadStream.prototype, net.Socket.prototype);
Object.setPrototypeOf(ReadStream, net.Socket);

/** @param {boolean} flag */
ReadStream.prototype.setRawMode = function (flag) {
  flag = Boolean(flag);
  const error = this._handle?.setRawMode(flag ? 1 : 0);
  if (error) {
    this.emit('error', errnoException(error, 'setRawMode'));
    return this;
  }
  this.isRaw = flag;
  return this;
};

/** @param {number} fd */
function WriteStream(fd) {
  if (!(this instanceof WriteStream)) return new WriteStream(fd);
  const handle = openHandle(fd);
  net.Socket.call(this, { handle, manualStart: true });
  // A terminal is written at once, so that nothing is lost at exit.
  this._handle.setBlocking(true);
  const size = [0, 0];
  if (this._handle.getWindowSize(size) === 0) [this.columns, this.rows] = size;
}
Object.setPrototypeOf(WriteStream.prototype, net.Socket.prototype);
Object.setPrototypeOf(WriteStream, net.Socket);

WriteStream.prototype.isTTY = true;
WriteStream.prototype.getColorDepth = getColorDepth;
WriteStream.prototype.hasColors = hasColors;

WriteStream.prototype._refreshSize = function () {
  const { columns, rows } = this;
  const size = [0, 0];
  const error = this._handle.getWindowSize(size);
  if (error) {
    this.emit('error', errnoException(error, 'getWindowSize'));
    return;
  }
  if (columns === size[0] && rows === size[1]) return;
  [this.columns, this.rows] = size;
  this.emit('resize');
};

WriteStream.prototype.cursorTo = function (x, y, callback) {
  return require('readline').cursorTo(this, x, y, callback);
};
WriteStream.prototype.moveCursor = function (dx, dy, callback) {
  return require('readline').moveCursor(this, dx, dy, callback);
};
WriteStream.prototype.clearLine = function (dir, callback) {
  return require('readline').clearLine(this, dir, callback);
};
WriteStream.prototype.clearScreenDown = function (callback) {
  return require('readline').clearScreenDown(this, callback);
};
WriteStream.prototype.getWindowSize = function () {
  return [this.columns, this.rows];
};

module.exports = { isatty, ReadStream, WriteStream };
