'use strict';

// The channel between a process and its child: messages both ways, and handles with them. The same code makes
// `child.send()` and `process.send()`.

const EventEmitter = require('events');
const {
  codes: {
    ERR_INVALID_ARG_TYPE,
    ERR_INVALID_HANDLE_TYPE,
    ERR_IPC_CHANNEL_CLOSED,
    ERR_IPC_DISCONNECTED,
    ERR_MISSING_ARGS,
  },
} = require('#internal/errors');
const { deprecate } = require('#internal/util');
const { validateObject } = require('#internal/validators');
const { errnoException } = require('#net/errors');
const { createCodec } = require('#child_process/serialization');

const kInternalPrefix = 'NODE_';
const kMaxRetransmissions = 3;
const kFullQueue = 65536 * 2;

function noop() {}

function isInternal(message) {
  return message !== null && typeof message === 'object' && typeof message.cmd === 'string' &&
    message.cmd.startsWith(kInternalPrefix);
}

/** `child.channel` and `process.channel`: whether the channel keeps the process alive. */
class Control extends EventEmitter {
  #channel;
  #refs = 0;
  #explicit = false;

  constructor(channel) {
    super();
    this.#channel = channel;
  }

  /** Counts a reason to stay; what the program itself said goes before. */
  refCounted() {
    if (++this.#refs === 1 && !this.#explicit) this.#channel.ref();
  }

  unrefCounted() {
    if (--this.#refs === 0 && !this.#explicit) {
      this.#channel.unref();
      this.emit('unref');
    }
  }

  ref() {
    this.#explicit = true;
    this.#channel.ref();
  }

  unref() {
    this.#explicit = true;
    this.#channel.unref();
  }

  get fd() {
    return this.#channel ? this.#channel.fd : undefined;
  }

  get writeQueueSize() {
    return this.#channel.writeQueueSize;
  }
}

class Channel {
  constructor(target, handle, mode) {
    this.target = target;
    this.handle = handle;
    this.codec = createCodec(mode);
    this.control = new Control(handle);
    /** Messages that nobody listens for yet. */
    this.waiting = [];
    /** The handle that the peer has not acknowledged, and what waits behind it. */
    this.sending = null;
    this.queue = null;
    this.writes = 0;
    this.finished = false;
    this.closing = false;
  }

  start() {
    const { target, handle } = this;
    target.channel = this.control;
    // A parent stays until the channel ends; a child only while it listens.
    if (target !== process) this.control.refCounted();
    target.connected = true;
    target._handleQueue = null;
    handle.onread = (nread, chunk) => this.#onRead(nread, chunk);
    target.on('newListener', () => process.nextTick(() => this.#deliverWaiting()));
    target.on('internalMessage', (message, sent) => this.#onInternal(message, sent));
    handle.readStart();
  }

  // --- receiving ---

  #onRead(nread, chunk) {
    if (nread === 0) return;
    if (nread < 0) return this.#ended();
    for (const message of this.codec.decode(chunk)) {
      if (isInternal(message)) {
        if (message.cmd === 'NODE_HANDLE') this.#receiveHandle(message);
        else this.deliver(message, undefined, true);
      } else {
        this.deliver(message, undefined, false);
      }
    }
  }

  #ended() {
    const { target } = this;
    if (target.connected) target.connected = false;
    this.finish();
  }

  #receiveHandle(message) {
    const fd = this.handle.takeFd();
    if (fd < 0) return this.write({ cmd: 'NODE_HANDLE_NACK' });
    this.write({ cmd: 'NODE_HANDLE_ACK' });
    const type = require('#child_process/handle_types').types[message.type];
    if (type === undefined) {
      require('fs').closeSync(fd);
      return;
    }
    const { target } = this;
    type.receive(message, fd, (handle) => this.deliver(message.msg, handle, isInternal(message.msg)), target);
  }

  deliver(message, handle, internal) {
    const { target } = this;
    const event = internal ? 'internalMessage' : 'message';
    if (!internal && target.listenerCount(event) === 0) {
      this.waiting.push([message, handle]);
      return;
    }
    process.nextTick(() => target.emit(event, message, handle));
  }

  #deliverWaiting() {
    const { target } = this;
    if (this.waiting.length === 0 || target.listenerCount('message') === 0) return;
    const { waiting } = this;
    this.waiting = [];
    for (const [message, handle] of waiting) this.deliver(message, handle, false);
  }

  #onInternal(message) {
    if (message.cmd === 'NODE_HANDLE_ACK') return this.#acknowledged();
    if (message.cmd === 'NODE_HANDLE_NACK') return this.#retransmit();
  }

  // --- sending ---

  /** @returns {number} 0 written, 1 under way, or a negative errno */
  write(message, fd, callback) {
    const { handle } = this;
    const data = this.codec.encode(message);
    const request = {
      oncomplete: (status) => {
        this.writes--;
        this.control.unrefCounted();
        callback?.(status);
        this.#finishIfIdle();
      },
    };
    const result = typeof data === 'string'
      ? handle.writeUtf8String(request, data, fd)
      : handle.writeBuffer(request, data, fd);
    if (result === 1) {
      this.writes++;
      this.control.refCounted();
    }
    return result;
  }

  send(message, sentHandle, options, callback) {
    if (message === undefined) throw new ERR_MISSING_ARGS('message');
    // Whatever JSON leaves out would arrive as something else.
    if (typeof message !== 'string' && typeof message !== 'object' && typeof message !== 'number' &&
      typeof message !== 'boolean') {
      throw new ERR_INVALID_ARG_TYPE('message', ['string', 'object', 'number', 'boolean'], message);
    }
    if (sentHandle) return this.#sendHandle(message, sentHandle, options, callback);
    if (this.queue !== null) {
      this.queue.push({ message, handle: undefined, options, callback });
      return this.queue.length === 1;
    }
    return this.#transmit(message, undefined, options, callback);
  }

  #sendHandle(message, sentHandle, options, callback) {
    const { types, typeOf } = require('#child_process/handle_types');
    const wrapped = { cmd: 'NODE_HANDLE', type: null, msg: message };
    wrapped.type = typeOf(sentHandle, wrapped);
    if (wrapped.type === undefined) throw new ERR_INVALID_HANDLE_TYPE();
    if (this.queue !== null) {
      this.queue.push({ message, handle: sentHandle, options, callback });
      return this.queue.length === 1;
    }
    const type = types[wrapped.type];
    const handle = type.handleOf(sentHandle, wrapped, options, this.target);
    // A socket that has closed meanwhile: the message goes without it.
    if (!handle) return this.#transmit(message, undefined, options, callback);
    this.queue = [];
    this.sending = { wrapped, handle, type, options, callback, retries: 0 };
    return this.#transmit(wrapped, handle.fd, options, callback);
  }

  #transmit(message, fd, options, callback) {
    const status = this.write(message, fd, callback && (() => callback(null)));
    if (status === 0) {
      if (callback) process.nextTick(callback, null);
    } else if (status < 0) {
      if (fd !== undefined) this.#dropSending();
      if (!options.swallowErrors) this.fail(errnoException(status, 'write'), callback);
    }
    return this.handle.writeQueueSize < kFullQueue;
  }

  #dropSending() {
    const { sending } = this;
    this.sending = null;
    sending?.type.sent?.(sending.handle, sending.options);
    this.#flush();
  }

  fail(error, callback) {
    if (typeof callback === 'function') process.nextTick(callback, error);
    else process.nextTick(() => this.target.emit('error', error));
  }

  #acknowledged() {
    if (this.sending !== null) this.#dropSending();
  }

  #retransmit() {
    const { sending } = this;
    if (sending === null) return;
    if (sending.retries++ === kMaxRetransmissions) {
      process.emitWarning('Handle did not reach the receiving process correctly', 'SentHandleNotReceivedWarning');
      return this.#dropSending();
    }
    this.#transmit(sending.wrapped, sending.handle.fd, sending.options);
  }

  /** Sends what waited behind a handle, up to the next one. */
  #flush() {
    const { queue } = this;
    if (queue === null) return;
    this.queue = null;
    while (queue.length > 0 && this.sending === null) {
      const { message, handle, options, callback } = queue.shift();
      if (handle) this.#sendHandle(message, handle, options, callback);
      else this.#transmit(message, undefined, options, callback);
    }
    if (queue.length > 0) this.queue.push(...queue);
    else this.#finishIfIdle();
  }

  // --- the end ---

  disconnect() {
    this.target.connected = false;
    this.closing = true;
    // What is under way still goes out.
    process.nextTick(() => this.#finishIfIdle());
  }

  #finishIfIdle() {
    if (this.closing && this.writes === 0 && this.sending === null && !this.queue?.length) this.finish();
  }

  finish() {
    if (this.finished) return;
    this.finished = true;
    const { target, handle } = this;
    handle.onread = noop;
    handle.close();
    this.sending?.type.sent?.(this.sending.handle, this.sending.options);
    this.sending = null;
    target.channel = null;
    process.nextTick(() => {
      target.emit('disconnect');
      if (target !== process) require('#child_process/child').maybeClose(target);
    });
  }
}

function readSendArgs(handle, options, callback) {
  if (typeof handle === 'function') return { handle: undefined, options: {}, callback: handle };
  if (typeof options === 'function') return { handle, options: {}, callback: options };
  if (options !== undefined) validateObject(options, 'options');
  return { handle, options: { swallowErrors: false, ...options }, callback };
}

/**
 * Gives `target` (a ChildProcess, or process itself) its end of a channel.
 * @param {object} handle an IPC pipe @param {'json' | 'advanced'} mode
 */
function setupChannel(target, handle, mode) {
  const channel = new Channel(target, handle, mode);

  target.send = function send(message, sentHandle, options, callback) {
    const args = readSendArgs(sentHandle, options, callback);
    if (this.connected) return this._send(message, args.handle, args.options, args.callback);
    channel.fail(new ERR_IPC_CHANNEL_CLOSED(), args.callback);
    return false;
  };

  target._send = function _send(message, sentHandle, options, callback) {
    if (typeof options === 'boolean') options = { swallowErrors: options };
    return channel.send(message, sentHandle, options ?? {}, callback);
  };

  target.disconnect = function disconnect() {
    if (!this.connected) {
      this.emit('error', new ERR_IPC_DISCONNECTED());
      return;
    }
    this._disconnect();
  };

  target._disconnect = function _disconnect() {
    channel.disconnect();
  };

  const words = ['_channel is deprecated. Use ChildProcess.channel instead.', 'DEP0129'];
  Object.defineProperty(target, '_channel', {
    __proto__: null,
    configurable: true,
    get: deprecate(() => target.channel, ...words),
    set: deprecate((value) => { target.channel = value; }, ...words),
  });

  channel.start();
  return channel.control;
}

module.exports = { setupChannel };
