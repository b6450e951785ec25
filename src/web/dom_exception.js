'use strict';

// DOMException (Web IDL, clause "DOMException"). Instances are native errors, so that they carry [[ErrorData]] and a
// stack.

/** Legacy code constants, in order from 1, each with the error name that still uses it (null: disused). */
const legacyCodes = [
  ['INDEX_SIZE_ERR', 'IndexSizeError'],
  ['DOMSTRING_SIZE_ERR', null],
  ['HIERARCHY_REQUEST_ERR', 'HierarchyRequestError'],
  ['WRONG_DOCUMENT_ERR', 'WrongDocumentError'],
  ['INVALID_CHARACTER_ERR', 'InvalidCharacterError'],
  ['NO_DATA_ALLOWED_ERR', null],
  ['NO_MODIFICATION_ALLOWED_ERR', 'NoModificationAllowedError'],
  ['NOT_FOUND_ERR', 'NotFoundError'],
  ['NOT_SUPPORTED_ERR', 'NotSupportedError'],
  ['INUSE_ATTRIBUTE_ERR', 'InUseAttributeError'],
  ['INVALID_STATE_ERR', 'InvalidStateError'],
  ['SYNTAX_ERR', 'SyntaxError'],
  ['INVALID_MODIFICATION_ERR', 'InvalidModificationError'],
  ['NAMESPACE_ERR', 'NamespaceError'],
  ['INVALID_ACCESS_ERR', 'InvalidAccessError'],
  ['VALIDATION_ERR', null],
  ['TYPE_MISMATCH_ERR', 'TypeMismatchError'],
  ['SECURITY_ERR', 'SecurityError'],
  ['NETWORK_ERR', 'NetworkError'],
  ['ABORT_ERR', 'AbortError'],
  ['URL_MISMATCH_ERR', 'URLMismatchError'],
  ['QUOTA_EXCEEDED_ERR', 'QuotaExceededError'],
  ['TIMEOUT_ERR', 'TimeoutError'],
  ['INVALID_NODE_TYPE_ERR', 'InvalidNodeTypeError'],
  ['DATA_CLONE_ERR', 'DataCloneError'],
];

const codeOfName = new Map();
legacyCodes.forEach(([, name], index) => { if (name !== null) codeOfName.set(name, index + 1); });

/** Puts private fields on an object that something else made: a derived constructor "returns" its argument. */
class Identity {
  constructor(object) { return object; }
}

class State extends Identity {
  #name;
  #message;

  constructor(error, message, name) {
    super(error);
    this.#message = message;
    this.#name = name;
  }

  static has(object) { return typeof object === 'object' && object !== null && #name in object; }
  static name(object) { return State.has(object) ? object.#name : throwInvalidThis(); }
  static message(object) { return State.has(object) ? object.#message : throwInvalidThis(); }
}

function throwInvalidThis() {
  const { codes: { ERR_INVALID_THIS } } = require('#internal/errors');
  throw new ERR_INVALID_THIS('DOMException');
}

class DOMException {
  constructor(message = '', options = 'Error') {
    const error = Reflect.construct(Error, [], new.target);
    if (options !== null && typeof options === 'object') {
      const { name } = options;
      new State(error, `${message}`, `${name}`);
      if ('cause' in options) {
        Object.defineProperty(error, 'cause', {
          __proto__: null, value: options.cause, configurable: true, writable: true, enumerable: false,
        });
      }
    } else {
      new State(error, `${message}`, `${options}`);
    }
    return error;
  }

  get name() { return State.name(this); }
  get message() { return State.message(this); }
  get code() { return codeOfName.get(State.name(this)) ?? 0; }
}

for (const name of ['name', 'message', 'code']) {
  Object.defineProperty(DOMException.prototype, name, { __proto__: null, enumerable: true });
}
legacyCodes.forEach(([constant], index) => {
  const descriptor = { __proto__: null, value: index + 1, enumerable: true };
  Object.defineProperty(DOMException, constant, descriptor);
  Object.defineProperty(DOMException.prototype, constant, descriptor);
});
Object.setPrototypeOf(DOMException.prototype, Error.prototype);
Object.defineProperty(DOMException.prototype, Symbol.toStringTag, {
  __proto__: null, value: 'DOMException', configurable: true,
});

// Web IDL: DOMException is serializable.
const transferable = require('#web/transferable');
Object.defineProperty(DOMException.prototype, transferable.transferMode, {
  __proto__: null,
  configurable: true,
  get() { return State.has(this) ? transferable.kCloneable : 0; },
});
Object.defineProperty(DOMException.prototype, transferable.clone, {
  __proto__: null,
  configurable: true,
  value() {
    return ['DOMException', { name: State.name(this), message: State.message(this), stack: this.stack }];
  },
});

/** @returns {DOMException} the copy of what `serialize` gave */
function deserialize({ name, message, stack }) {
  const exception = new DOMException(message, name);
  Object.defineProperty(exception, 'stack', {
    __proto__: null, value: stack, configurable: true, writable: true, enumerable: false,
  });
  return exception;
}

module.exports = { DOMException, isDOMException: State.has, deserialize };
