'use strict';

// node:domain (deprecated by its documentation, and still in use). A domain is entered around callbacks of
// what was started inside it: for ticks, timers, promises and resources by async_hooks; for native operations
// by the async context, in which the domain is kept as if it were a store of an AsyncLocalStorage.

const EventEmitter = require('events');
const context = require('#async_hooks/context');
const { createHook } = require('async_hooks');
const fatal = require('#process/fatal');
const {
  codes: {
    ERR_DOMAIN_CALLBACK_NOT_AVAILABLE, ERR_DOMAIN_CANNOT_SET_UNCAUGHT_EXCEPTION_CAPTURE, ERR_UNHANDLED_ERROR,
  },
} = require('#internal/errors');

if (fatal.hasUncaughtExceptionCaptureCallback()) throw new ERR_DOMAIN_CALLBACK_NOT_AVAILABLE();

// The storage under which frames of the async context hold the domain.
const kStore = Symbol('domain');

// The domains entered and not left, innermost last.
let stack = [];
let active = null;

/**
 * The running domain: that of the stack or, in a native callback, that of its async context. Else null or
 * undefined.
 */
function current() {
  return active || (context.read(kStore, undefined) ?? active);
}

Object.defineProperty(process, 'domain', {
  __proto__: null,
  enumerable: true,
  configurable: true,
  get: current,
  set(value) {
    setActive(value);
  },
});

function setActive(domain) {
  active = domain;
  const frame = context.snapshot();
  const next = !active ? context.withoutStore(frame, kStore) : context.withStore(frame, kStore, active);
  if (next !== frame) context.set(next);
}

function define(target, value) {
  Object.defineProperty(target, 'domain', {
    __proto__: null, configurable: true, enumerable: false, value, writable: true,
  });
}

const isReference = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

// Domains of what was started, by async id. Weak: what was started may be what alone refers to its domain.
const pairing = new Map();
const weakOf = new WeakMap();

function pair(asyncId, domain) {
  let weak = weakOf.get(domain);
  if (weak === undefined) weakOf.set(domain, weak = new WeakRef(domain));
  pairing.set(asyncId, weak);
}
createHook({
  init(asyncId, type, triggerAsyncId, resource) {
    const domain = current();
    if (!domain) return;
    pair(asyncId, domain);
    if (isReference(resource)) define(resource, domain);
  },
  before(asyncId) {
    pairing.get(asyncId)?.deref()?.enter();
  },
  after(asyncId) {
    pairing.get(asyncId)?.deref()?.exit();
  },
  destroy(asyncId) {
    pairing.delete(asyncId);
  },
}).enable();

/** Uncaught exceptions go to the domain while one that listens is entered. */
function updateExceptionCapture() {
  fatal.setDomainHandler(handleUncaught);
}

function handleUncaught(er) {
  if (handleUncaught.willHandle()) return current()._errorHandler(er);
  leaveAll();
  return false;
}
handleUncaught.willHandle = () => {
  const domain = current();
  if (!domain) return false;
  const domains = stack.length > 0 ? stack : [domain];
  return domains.some((each) => each.listenerCount('error') > 0);
};

fatal.forbidCaptureCallback(() => {
  const err = new ERR_DOMAIN_CANNOT_SET_UNCAUGHT_EXCEPTION_CAPTURE();
  err.stack += `\n${'-'.repeat(40)}\n${loadedAt.stack.split('\n').slice(1).join('\n')}`;
  throw err;
});
const loadedAt = new Error('domain was required here');
updateExceptionCapture();

function leaveAll() {
  stack.length = 0;
  setActive(null);
}

class Domain extends EventEmitter {
  constructor() {
    super();
    this.members = [];
    this.on('removeListener', updateExceptionCapture);
    this.on('newListener', updateExceptionCapture);
  }

  /** @returns {boolean} whether the error was dealt with */
  _errorHandler(er) {
    let caught = false;
    if (isReference(er)) {
      define(er, this);
      er.domainThrown = true;
    }
    // The handler must not run inside the domain whose error it handles.
    while (active === this) this.exit();
    if (stack.length === 0 && current()) setActive(null);

    if (stack.length === 0) {
      // Without a listener the exception is the process's.
      if (this.listenerCount('error') > 0) {
        fatal.setDomainHandler(null);
        try {
          caught = this.emit('error', er);
        } finally {
          updateExceptionCapture();
        }
      }
    } else {
      try {
        caught = this.emit('error', er);
      } catch (er2) {
        // An outer domain may deal with what the handler threw.
        if (stack.length === 0) throw er2;
        setActive(stack[stack.length - 1]);
        caught = active._errorHandler(er2);
      }
    }
    // An uncaught exception ends the turn: nothing is left entered.
    leaveAll();
    return caught;
  }

  enter() {
    stack.push(this);
    setActive(this);
  }

  exit() {
    // Leaving one leaves those that were entered inside it.
    const index = stack.lastIndexOf(this);
    if (index === -1) return;
    stack.splice(index);
    const outer = stack.length === 0 ? undefined : stack[stack.length - 1];
    setActive(outer);
  }

  add(ee) {
    if (ee.domain === this) return;
    if (ee.domain) ee.domain.remove(ee);
    // No circles of domains.
    if (this.domain && ee instanceof Domain) {
      for (let d = this.domain; d; d = d.domain) if (ee === d) return;
    }
    define(ee, this);
    this.members.push(ee);
  }

  remove(ee) {
    ee.domain = null;
    const index = this.members.indexOf(ee);
    if (index !== -1) this.members.splice(index, 1);
  }

  run(fn, ...args) {
    this.enter();
    const ret = Reflect.apply(fn, this, args);
    this.exit();
    return ret;
  }

  intercept(cb) {
    const self = this;
    return function runIntercepted(...args) {
      const [er] = args;
      if (er && er instanceof Error) {
        er.domainBound = cb;
        er.domainThrown = false;
        define(er, self);
        self.emit('error', er);
        return undefined;
      }
      self.enter();
      const ret = Reflect.apply(cb, this, args.slice(1));
      self.exit();
      return ret;
    };
  }

  bind(cb) {
    const self = this;
    function runBound(...args) {
      self.enter();
      const ret = Reflect.apply(cb, this, args);
      self.exit();
      return ret;
    }
    define(runBound, this);
    return runBound;
  }
}
for (const name of ['_errorHandler', 'enter', 'exit', 'add', 'remove', 'run', 'intercept', 'bind']) {
  Object.defineProperty(Domain.prototype, name, { __proto__: null, enumerable: true });
}
Domain.prototype.members = undefined;

function createDomain() {
  return new Domain();
}

module.exports = {
  _stack: stack,
  Domain,
  create: createDomain,
  createDomain,
  active: null,
};
Object.defineProperties(module.exports, {
  _stack: {
    __proto__: null,
    enumerable: true,
    configurable: true,
    get: () => stack,
    set(value) {
      stack = value;
    },
  },
  // The active domain is always the one that we are in now.
  active: {
    __proto__: null,
    enumerable: true,
    configurable: true,
    get: () => current(),
    set(value) {
      active = value;
    },
  },
});

// --- emitters made inside a domain emit inside it ---

EventEmitter.usingDomains = true;

const eventInit = EventEmitter.init;
EventEmitter.init = function(opts) {
  define(this, null);
  const domain = current();
  if (domain && !(this instanceof Domain)) this.domain = domain;
  return eventInit.call(this, opts);
};

/** An 'error' event that nobody listens for is the domain's, which runs as if the domain had been left. */
function emitErrorOnDomain(emitter, domain, args) {
  const er = args.length > 1 && args[1] ? args[1] : new ERR_UNHANDLED_ERROR(args[1]);
  if (typeof er === 'object') {
    er.domainEmitter = emitter;
    define(er, domain);
    er.domainThrown = false;
  }
  const originalStack = stack.slice();
  const originalActive = active;
  let index = stack.length - 1;
  while (index > -1 && active === stack[index]) --index;
  stack.length = index + 1;
  setActive(index > -1 ? stack[index] : null);

  domain.emit('error', er);

  stack = originalStack;
  setActive(originalActive);
  return false;
}

const eventEmit = EventEmitter.prototype.emit;
EventEmitter.prototype.emit = function emit(...args) {
  const { domain } = this;
  const type = args[0];
  const hasHandler = type === 'error' && this.listenerCount(type) > 0;
  if (hasHandler || domain === null || domain === undefined || this === process) {
    return Reflect.apply(eventEmit, this, args);
  }
  if (type === 'error') return emitErrorOnDomain(this, domain, args);
  domain.enter();
  const ret = Reflect.apply(eventEmit, this, args);
  domain.exit();
  return ret;
};
