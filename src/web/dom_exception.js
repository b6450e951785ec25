'use strict';

// DOMException (Web IDL, "DOMException"), cloneable as "Serializable objects" of that interface say.

const { setHook } = binding('realm');
const { clone, kCloneable, transferMode } = require('#web/transferable');

/**
 * The legacy codes: [code, constant, name]. Web IDL keeps the constants of names that it has dropped; those names
 * themselves have no code any more.
 * @type {[number, string, string?][]}
 */
const legacyCodes = [
  [1, 'INDEX_SIZE_ERR', 'IndexSizeError'],
  [2, 'DOMSTRING_SIZE_ERR'],
  [3, 'HIERARCHY_REQUEST_ERR', 'HierarchyRequestError'],
  [4, 'WRONG_DOCUMENT_ERR', 'WrongDocumentError'],
  [5, 'INVALID_CHARACTER_ERR', 'InvalidCharacterError'],
  [6, 'NO_DATA_ALLOWED_ERR'],
  [7, 'NO_MODIFICATION_ALLOWED_ERR', 'NoModificationAllowedError'],
  [8, 'NOT_FOUND_ERR', 'NotFoundError'],
  [9, 'NOT_SUPPORTED_ERR', 'NotSupportedError'],
  [10, 'INUSE_ATTRIBUTE_ERR', 'InUseAttributeError'],
  [11, 'INVALID_STATE_ERR', 'InvalidStateError'],
  [12, 'SYNTAX_ERR', 'SyntaxError'],
  [13, 'INVALID_MODIFICATION_ERR', 'InvalidModificationError'],
  [14, 'NAMESPACE_ERR', 'NamespaceError'],
  [15, 'INVALID_ACCESS_ERR', 'InvalidAccessError'],
  [16, 'VALIDATION_ERR'],
  [17, 'TYPE_MISMATCH_ERR', 'TypeMismatchError'],
  [18, 'SECURITY_ERR', 'SecurityError'],
  [19, 'NETWORK_ERR', 'NetworkError'],
  [20, 'ABORT_ERR', 'AbortError'],
  [21, 'URL_MISMATCH_ERR', 'URLMismatchError'],
  [22, 'QUOTA_EXCEEDED_ERR', 'QuotaExceededError'],
  [23, 'TIMEOUT_ERR', 'TimeoutError'],
  [24, 'INVALID_NODE_TYPE_ERR', 'InvalidNodeTypeError'],
  [25, 'DATA_CLONE_ERR', 'DataCloneError'],
];

/** @type {Map<string, number>} */
const codeOfName = new Map();
for (const [code, , name] of legacyCodes) {
  if (name !== undefined) codeOfName.set(name, code);
}

/** Lets Slots put its private fields on an object that exists already. */
class Given {
  constructor(object) {
    return object;  
  }
}

/** What the standard calls the internal slots of an exception: whoever has them is one. */
class Slots extends Given {
  #name;
  #message;

  constructor(object, name, message) {
    super(object);
    this.#name = name;
    this.#message = message;
  }

  static has(value) {
    return typeof value === 'object' && value !== null && #name in value;
  }

  static nameOf(exception) {
    if (!Slots.has(exception)) throw invalidThis();
    return exception.#name;
  }

  static messageOf(exception) {
    if (!Slots.has(exception)) throw invalidThis();
    return exception.#message;
  }
}

/** Node.js words this one unlike its ERR_INVALID_THIS elsewhere ("must be of type X"). */
function invalidThis() {
  const error = new TypeError('Value of "this" must be of DOMException');
  error.code = 'ERR_INVALID_THIS';
  return error;
}

class DOMException {
  /**
   * @param {string} [message]
   * @param {string | {name?: string, cause?: unknown}} [options] the name, or an object as other errors take it, which
   *   Node.js adds to the standard
   */
  constructor(message = '', options = 'Error') {
    const hasOptions = typeof options === 'object' && options !== null;
    let name = hasOptions ? options.name : options;
    message = `${message}`;
    name = `${name}`;
    // Web IDL, "js-DOMException-specialness": it has [[ErrorData]], though the class does not extend Error. V8 makes the
    // text of the stack when it is first read, so its first line shows the name and message of the slots.
    const exception = new Slots(Reflect.construct(Error, [], new.target), name, message);
    if (hasOptions && 'cause' in options) {
      Object.defineProperty(exception, 'cause', {
        __proto__: null, value: options.cause, enumerable: false, configurable: true, writable: true,
      });
    }
    return exception;  
  }

  get name() {
    return Slots.nameOf(this);
  }

  get message() {
    return Slots.messageOf(this);
  }

  get code() {
    return codeOfName.get(Slots.nameOf(this)) ?? 0;
  }

  // An object that merely inherits from the prototype is cloned like any other.
  get [transferMode]() {
    return Slots.has(this) ? kCloneable : 0;
  }

  [clone]() {
    return ['DOMException', { name: Slots.nameOf(this), message: Slots.messageOf(this), stack: `${this.stack}` }];
  }
}

/** The copy of an exception, from what its clone() said. */
function deserialize({ name, message, stack }) {
  const exception = new DOMException(message, name);
  exception.stack = stack;
  return exception;
}

for (const attribute of ['name', 'message', 'code']) {
  Object.defineProperty(DOMException.prototype, attribute, { __proto__: null, enumerable: true });
}
for (const [value, constant] of legacyCodes) {
  const descriptor = { __proto__: null, value, enumerable: true, configurable: false, writable: false };
  Object.defineProperty(DOMException, constant, descriptor);
  Object.defineProperty(DOMException.prototype, constant, descriptor);
}
Object.defineProperty(DOMException.prototype, Symbol.toStringTag, {
  __proto__: null, value: 'DOMException', enumerable: false, configurable: true, writable: false,
});
Object.setPrototypeOf(DOMException.prototype, Error.prototype);

setHook('domException', (message, name) => new DOMException(message, name));

module.exports = { DOMException, deserialize };
