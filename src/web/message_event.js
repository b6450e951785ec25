'use strict';

// MessageEvent (HTML), CloseEvent (WebSockets) and ErrorEvent (HTML): light, since ports and workers use the first
// without the rest of what undici brings. undici's bundle takes them from here.

const { Event, makeEnumerable, setTag } = require('#web/event');

/** A TypeError as Web IDL's conversions give it. */
function conversionError(message, header) {
  return new TypeError(header === undefined ? message : `${header}: ${message}`);
}

function checkCount(count, header) {
  if (count < 1) throw conversionError(`1 argument required, but ${count} found.`, header);
}

function checkBrand(valid) {
  if (valid) return;
  const error = new TypeError('Illegal invocation');
  error.code = 'ERR_INVALID_THIS';
  throw error;
}

function toDOMString(value, header, name) {
  if (typeof value === 'symbol') {
    throw conversionError(`${name} is a symbol, which cannot be converted to a DOMString.`, header);
  }
  return `${value}`;
}

function toUSVString(value) {
  return `${value}`.toWellFormed();
}

function toPort(value, header, name) {
  const { isMessagePort } = require('#web/messaging');
  if (isMessagePort(value)) return value;
  const { inspect } = require('util');
  throw conversionError(`Expected ${name} ("${inspect(value)}") to be an instance of MessagePort.`, header);
}

function toPorts(value, header, name) {
  const method = typeof value === 'object' && value !== null ? value[Symbol.iterator] : undefined;
  if (typeof method !== 'function') throw conversionError(`${name} (${String(value)}) is not iterable.`, header);
  return [...value].map((port, index) => toPort(port, header, `${name}[${index}]`));
}

const toUnsigned = (bits) => (value) => {
  const number = Number(value);
  return Number.isFinite(number) ? ((Math.trunc(number) % 2 ** bits) + 2 ** bits) % 2 ** bits : 0;
};

const any = (value) => value;

/**
 * A dictionary: [member, conversion, default] for each.
 * @returns {object} with all members
 */
function toDictionary(value, header, members) {
  if (value !== undefined && value !== null && typeof value !== 'object' && typeof value !== 'function') {
    throw conversionError(`Expected ${value} to be one of: Null, Undefined, Object.`, header);
  }
  const result = {};
  for (const [key, convert, byDefault] of members) {
    const member = value?.[key];
    result[key] = member === undefined ? byDefault() : convert(member, header, `eventInitDict.${key}`);
  }
  return result;
}

const eventMembers = [
  ['bubbles', Boolean, () => false], ['cancelable', Boolean, () => false], ['composed', Boolean, () => false],
];
const messageMembers = [
  ...eventMembers,
  ['data', any, () => null],
  ['origin', toUSVString, () => ''],
  ['lastEventId', toDOMString, () => ''],
  ['source', (value, header, name) => (value === null ? null : toPort(value, header, name)), () => null],
  ['ports', toPorts, () => []],
];
const closeMembers = [
  ...eventMembers,
  ['wasClean', Boolean, () => false],
  ['code', toUnsigned(16), () => 0],
  ['reason', toUSVString, () => ''],
];
const errorMembers = [
  ...eventMembers,
  ['message', toDOMString, () => ''],
  ['filename', toUSVString, () => ''],
  ['lineno', toUnsigned(32), () => 0],
  ['colno', toUnsigned(32), () => 0],
  ['error', any, () => undefined],
];

const kTrusted = Symbol('kTrusted');
let createFastMessageEvent;

class MessageEvent extends Event {
  #init;

  static {
    /** An event of values that need no conversion. */
    createFastMessageEvent = (type, init) => {
      const event = new MessageEvent(kTrusted, type, init);
      event.#init = {
        data: init?.data ?? null,
        origin: init?.origin ?? '',
        lastEventId: init?.lastEventId ?? '',
        source: init?.source ?? null,
        ports: init?.ports ?? [],
      };
      return event;
    };
  }

  constructor(type, eventInitDict = {}) {
    if (type === kTrusted) {
      super(eventInitDict, arguments[2]);
      return;
    }
    const header = 'MessageEvent constructor';
    checkCount(arguments.length, header);
    const name = toDOMString(type, header, 'type');
    const init = toDictionary(eventInitDict, header, messageMembers);
    super(name, init);
    this.#init = init;
  }

  get data() {
    checkBrand(#init in this);
    return this.#init.data;
  }

  get origin() {
    checkBrand(#init in this);
    return this.#init.origin;
  }

  get lastEventId() {
    checkBrand(#init in this);
    return this.#init.lastEventId;
  }

  get source() {
    checkBrand(#init in this);
    return this.#init.source;
  }

  get ports() {
    checkBrand(#init in this);
    return Object.freeze(this.#init.ports);
  }

  initMessageEvent(type, bubbles = false, cancelable = false, data = null, origin = '', lastEventId = '', source = null,
                   ports = []) {
    checkBrand(#init in this);
    checkCount(arguments.length, 'MessageEvent.initMessageEvent');
    return new MessageEvent(type, { bubbles, cancelable, data, origin, lastEventId, source, ports });
  }
}

class CloseEvent extends Event {
  #init;

  constructor(type, eventInitDict = {}) {
    const header = 'CloseEvent constructor';
    checkCount(arguments.length, header);
    const name = toDOMString(type, header, 'type');
    const init = toDictionary(eventInitDict, undefined, closeMembers);
    super(name, init);
    this.#init = init;
  }

  get wasClean() {
    checkBrand(#init in this);
    return this.#init.wasClean;
  }

  get code() {
    checkBrand(#init in this);
    return this.#init.code;
  }

  get reason() {
    checkBrand(#init in this);
    return this.#init.reason;
  }
}

class ErrorEvent extends Event {
  #init;

  constructor(type, eventInitDict) {
    const header = 'ErrorEvent constructor';
    checkCount(arguments.length, header);
    const init = toDictionary(eventInitDict, undefined, errorMembers);
    super(toDOMString(type, header, 'type'), init);
    this.#init = init;
  }

  get message() {
    checkBrand(#init in this);
    return this.#init.message;
  }

  get filename() {
    checkBrand(#init in this);
    return this.#init.filename;
  }

  get lineno() {
    checkBrand(#init in this);
    return this.#init.lineno;
  }

  get colno() {
    checkBrand(#init in this);
    return this.#init.colno;
  }

  get error() {
    checkBrand(#init in this);
    return this.#init.error;
  }
}

makeEnumerable(MessageEvent.prototype, ['data', 'origin', 'lastEventId', 'source', 'ports', 'initMessageEvent']);
makeEnumerable(CloseEvent.prototype, ['reason', 'code', 'wasClean']);
makeEnumerable(ErrorEvent.prototype, ['message', 'filename', 'lineno', 'colno', 'error']);
for (const constructor of [MessageEvent, CloseEvent, ErrorEvent]) {
  setTag(constructor);
  // Web IDL's classes of messages are not serializable.
  const { setTransferMode, kUncloneable } = require('#web/transferable');
  setTransferMode(constructor.prototype, kUncloneable);
}

module.exports = { CloseEvent, ErrorEvent, MessageEvent, createFastMessageEvent };
