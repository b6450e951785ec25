'use strict';

// `node:sqlite`. The classes check arguments in the words of Node.js; the native half runs SQLite.

const { Buffer } = require('buffer');
const {
  codes: { ERR_ILLEGAL_CONSTRUCTOR },
} = require('#internal/errors');
const { emitExperimentalWarning } = require('#internal/util');
const constants = require('#sqlite/constants');
const native = binding('sqlite');
const { kDeterministic, kDirectOnly, kPromise } = native;

emitExperimentalWarning('SQLite');

const kNative = Symbol('kNative');
const kOptions = Symbol('kOptions');

/** The errors of the native classes of Node.js are worded by hand. */
function coded(Type, code, message) {
  const error = new Type(message);
  error.code = code;
  Error.captureStackTrace(error, coded);
  return error;
}

const invalidType = (message) => coded(TypeError, 'ERR_INVALID_ARG_TYPE', message);
const invalidState = (message) => coded(Error, 'ERR_INVALID_STATE', message);

const kKinds = {
  __proto__: null,
  boolean: 'a boolean',
  string: 'a string',
  function: 'a function',
};

/** Checks an argument or option by `typeof`. */
function check(value, name, kind) {
  if (typeof value !== kind) throw invalidType(`The "${name}" argument must be ${kKinds[kind]}.`);
  return value;
}

function checkInteger(value, name) {
  if (!Number.isInteger(value) || value !== (value | 0)) {
    throw invalidType(`The "${name}" argument must be an integer.`);
  }
  return value;
}

function checkObject(value, name) {
  if (typeof value !== 'object' && typeof value !== 'function') {
    throw invalidType(`The "${name}" argument must be an object.`);
  }
  if (value === null) throw invalidType(`The "${name}" argument must be an object.`);
  return value;
}

/** An option: its default if it is undefined. */
function option(options, name, kind, fallback) {
  const value = options[name];
  return value === undefined ? fallback : check(value, `options.${name}`, kind);
}

/** Where a database lies: a path, or the href of a file: URL, whose query SQLite reads. */
function location(path) {
  const bad = () => invalidType('The "path" argument must be a string, Uint8Array, or URL without null bytes.');
  if (typeof path === 'string') {
    if (path.includes('\0')) throw bad();
    return path;
  }
  if (path instanceof Uint8Array) {
    if (path.includes(0)) throw bad();
    return Buffer.from(path.buffer, path.byteOffset, path.byteLength).toString();
  }
  if (typeof path === 'object' && path !== null && typeof path.href === 'string') {
    if (path.href.includes('\0') || path.href.includes('%00')) throw bad();
    if (!path.href.startsWith('file:')) {
      throw coded(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file:');
    }
    return path.href;
  }
  throw bad();
}

/** How statements are to behave, out of options; what is missing comes from `defaults`. */
function statementOptions(options, defaults) {
  const result = {};
  for (const name of Object.keys(defaults)) result[name] = option(options, name, 'boolean', defaults[name]);
  return result;
}

const kStatementDefaults = {
  readBigInts: false,
  returnArrays: false,
  allowBareNamedParameters: true,
  allowUnknownNamedParameters: false,
};

function openNative(db) {
  const { path, readOnly, foreignKeys, doubleQuoted, timeout, allowExtension, defensive } = db[kOptions];
  const handle = new native.DatabaseHandle();
  handle.open(path, readOnly, foreignKeys, doubleQuoted, timeout, allowExtension, defensive);
  db[kNative] = handle;
}

function DatabaseSync(...args) {
  if (new.target === undefined) {
    throw coded(TypeError, 'ERR_CONSTRUCT_CALL_REQUIRED', 'Cannot call constructor without `new`');
  }
  const path = location(args[0]);
  const options = args[1] === undefined ? {} : checkObject(args[1], 'options');
  const open = option(options, 'open', 'boolean', true);
  const settings = {
    path,
    readOnly: option(options, 'readOnly', 'boolean', false),
    foreignKeys: option(options, 'enableForeignKeyConstraints', 'boolean', true),
    doubleQuoted: option(options, 'enableDoubleQuotedStringLiterals', 'boolean', false),
    allowExtension: option(options, 'allowExtension', 'boolean', false),
    timeout: options.timeout === undefined ? 0 : checkInteger(options.timeout, 'options.timeout'),
    statement: statementOptions(options, kStatementDefaults),
    defensive: option(options, 'defensive', 'boolean', false),
  };
  const hidden = (value) => ({
    __proto__: null, value, writable: true, configurable: true, enumerable: false,
  });
  Object.defineProperty(this, kOptions, hidden(settings));
  Object.defineProperty(this, kNative, hidden(null));
  if (open) openNative(this);
}

Object.assign(DatabaseSync.prototype, {
  open() {
    if (this[kNative]?.isOpen()) throw invalidState('database is already open');
    openNative(this);
  },

  close() {
    connection(this).close();
    this[kNative] = null;
  },

  prepare(sql, options) {
    const handle = connection(this);
    check(sql, 'sql', 'string');
    let style = this[kOptions].statement;
    if (options !== undefined) style = statementOptions(checkObject(options, 'options'), style);
    return makeStatement(this, handle.prepare(sql), style);
  },

  exec(sql) {
    const handle = connection(this);
    handle.exec(check(sql, 'sql', 'string'));
  },

  function(name, options, fn) {
    const handle = connection(this);
    check(name, 'name', 'string');
    if (fn === undefined && arguments.length < 3) {
      fn = options;
      options = {};
    } else {
      checkObject(options, 'options');
    }
    const bigints = option(options, 'useBigIntArguments', 'boolean', false);
    const varargs = option(options, 'varargs', 'boolean', false);
    const deterministic = option(options, 'deterministic', 'boolean', false);
    const directOnly = option(options, 'directOnly', 'boolean', false);
    check(fn, 'function', 'function');
    const flags = (deterministic ? kDeterministic : 0) | (directOnly ? kDirectOnly : 0);
    handle.createFunction(name, varargs ? -1 : fn.length, flags, bigints, fn);
  },

  createTagStore(capacity) {
    const { SQLTagStore } = require('#sqlite/tag_store');
    connection(this);
    return new SQLTagStore(this, capacity);
  },

  location(dbName) {
    const handle = connection(this);
    if (dbName !== undefined) check(dbName, 'dbName', 'string');
    return handle.location(dbName ?? 'main');
  },

  aggregate(name, options) {
    const handle = connection(this);
    check(name, 'name', 'string');
    checkObject(options, 'options');
    const { start, step } = options;
    if (start === undefined) {
      throw invalidType('The "options.start" argument must be a function or a primitive value.');
    }
    check(step, 'options.step', 'function');
    const result = option(options, 'result', 'function', undefined);
    const bigints = option(options, 'useBigIntArguments', 'boolean', false);
    const varargs = option(options, 'varargs', 'boolean', false);
    const directOnly = option(options, 'directOnly', 'boolean', false);
    const inverse = option(options, 'inverse', 'function', undefined);
    // The first parameter is what has been gathered so far.
    const argc = varargs ? -1 : Math.max(step.length - 1, (inverse?.length ?? 0) - 1, 0);
    handle.createAggregate(name, argc, directOnly ? kDirectOnly : 0, bigints, start, step, inverse, result);
  },

  createSession(options) {
    const handle = connection(this);
    let table;
    let db = 'main';
    if (options !== undefined) {
      checkObject(options, 'options');
      table = option(options, 'table', 'string', undefined);
      db = option(options, 'db', 'string', 'main');
    }
    return makeSession(handle.createSession(table, db));
  },

  applyChangeset(changeset, options) {
    const handle = connection(this);
    if (!(changeset instanceof Uint8Array)) throw invalidType('The "changeset" argument must be a Uint8Array.');
    let filter;
    let onConflict;
    if (options !== undefined) {
      checkObject(options, 'options');
      filter = option(options, 'filter', 'function', undefined);
      onConflict = option(options, 'onConflict', 'function', undefined);
    }
    return handle.applyChangeset(changeset, filter, onConflict);
  },

  enableLoadExtension(enabled) {
    const handle = connection(this);
    check(enabled, 'enabled', 'boolean');
    if (!this[kOptions].allowExtension && enabled) {
      throw invalidState('Cannot enable extension loading because it was disabled at database creation.');
    }
    this[kOptions].loadExtension = enabled;
    handle.enableLoadExtension(enabled);
  },

  enableDefensive(active) {
    connection(this).enableDefensive(check(active, 'active', 'boolean'));
  },

  loadExtension(path, entryPoint) {
    const handle = connection(this);
    if (!this[kOptions].allowExtension || this[kOptions].loadExtension === false) {
      throw invalidState('extension loading is not allowed');
    }
    check(path, 'path', 'string');
    if (entryPoint !== undefined) check(entryPoint, 'entryPoint', 'string');
    handle.loadExtension(path, entryPoint);
  },

  setAuthorizer(callback) {
    const handle = connection(this);
    if (callback !== null && typeof callback !== 'function') {
      throw invalidType('The "callback" argument must be a function or null.');
    }
    handle.setAuthorizer(callback);
  },

  [Symbol.dispose]() {
    if (this[kNative]?.isOpen()) this.close();
  },
});

/** The open connection of a database. */
function connection(db) {
  const handle = db[kNative];
  if (handle === undefined || handle === null || !handle.isOpen()) throw invalidState('database is not open');
  return handle;
}

const getters = (prototype, entries) => {
  for (const [name, get] of Object.entries(entries)) {
    Object.defineProperty(prototype, name, { __proto__: null, get, enumerable: true, configurable: true });
  }
};
getters(DatabaseSync.prototype, {
  isOpen() {
    return Boolean(this[kNative]?.isOpen());
  },
  isTransaction() {
    return connection(this).inTransaction();
  },
});
Object.defineProperty(DatabaseSync.prototype, Symbol.for('sqlite-type'), {
  __proto__: null, value: 'node:sqlite', writable: true, configurable: true, enumerable: true,
});

function StatementSync() {
  throw new ERR_ILLEGAL_CONSTRUCTOR();
}

function makeStatement(db, handle, options) {
  const statement = Object.create(StatementSync.prototype);
  const state = { db, handle, options: { ...options } };
  Object.defineProperty(statement, kNative, { __proto__: null, value: state, enumerable: false });
  applyOptions(state);
  return statement;
}

function applyOptions({ handle, options }) {
  handle.setOptions(options.readBigInts, options.returnArrays, options.allowBareNamedParameters,
    options.allowUnknownNamedParameters);
}

/** The native side of a statement that can still be used. */
function liveHandle(statement) {
  const { handle } = statement[kNative];
  if (handle.isFinalized()) throw invalidState('statement has been finalized');
  return handle;
}

class StatementSyncIterator extends Iterator {
  #handle;
  #done = false;

  constructor(handle) {
    super();
    this.#handle = handle;
  }

  next() {
    if (this.#handle.isFinalized()) throw invalidState('statement has been finalized');
    if (this.#done) return { __proto__: null, done: true, value: null };
    const value = this.#handle.next();
    if (value !== undefined) return { __proto__: null, done: false, value };
    this.#done = true;
    return { __proto__: null, done: true, value: null };
  }

  return() {
    if (this.#handle.isFinalized()) throw invalidState('statement has been finalized');
    this.#handle.reset();
    this.#done = true;
    return { __proto__: null, done: true, value: null };
  }
}

function setter(name, argument) {
  return function(value) {
    liveHandle(this);
    check(value, argument, 'boolean');
    const state = this[kNative];
    state.options[name] = value;
    applyOptions(state);
  };
}

Object.assign(StatementSync.prototype, {
  iterate(...parameters) {
    const handle = liveHandle(this);
    handle.start(...parameters);
    return new StatementSyncIterator(handle);
  },

  all(...parameters) {
    return liveHandle(this).all(...parameters);
  },

  get(...parameters) {
    return liveHandle(this).get(...parameters);
  },

  run(...parameters) {
    const [changes, lastInsertRowid] = liveHandle(this).run(...parameters);
    return { changes, lastInsertRowid };
  },

  columns() {
    const flat = liveHandle(this).columns();
    const result = [];
    for (let i = 0; i < flat.length; i += 5) {
      const [column, database, name, table, type] = flat.slice(i, i + 5);
      result.push({ __proto__: null, column, database, name, table, type });
    }
    return result;
  },

  setAllowBareNamedParameters: setter('allowBareNamedParameters', 'allowBareNamedParameters'),
  setAllowUnknownNamedParameters: setter('allowUnknownNamedParameters', 'enabled'),
  setReadBigInts: setter('readBigInts', 'readBigInts'),
  setReturnArrays: setter('returnArrays', 'returnArrays'),
});
getters(StatementSync.prototype, {
  sourceSQL() {
    return liveHandle(this).sourceSQL();
  },
  expandedSQL() {
    return liveHandle(this).expandedSQL();
  },
});

function Session() {
  throw new ERR_ILLEGAL_CONSTRUCTOR();
}

function makeSession(handle) {
  const session = Object.create(Session.prototype);
  Object.defineProperty(session, kNative, { __proto__: null, value: handle, enumerable: false });
  return session;
}

Object.assign(Session.prototype, {
  changeset() {
    return this[kNative].changeset();
  },

  patchset() {
    return this[kNative].patchset();
  },

  close() {
    this[kNative].close();
  },

  [Symbol.dispose]() {
    try {
      this[kNative].close();
    } catch {
      // It was closed.
    }
  },
});

for (const { prototype } of [DatabaseSync, Session]) {
  Object.defineProperty(prototype, Symbol.dispose, { __proto__: null, enumerable: false });
}

/** Copies pages until none is left, telling `progress` after each batch but the last. */
async function runBackup(sourceDb, path, { rate, source, target, progress }) {
  const handle = connection(sourceDb).backup(path, source, target);
  try {
    for (;;) {
      const [finished, totalPages, remainingPages] = await handle.step(rate, kPromise);
      if (finished) return totalPages;
      if (progress !== undefined) progress({ totalPages, remainingPages });
    }
  } finally {
    handle.close();
  }
}

function backup(sourceDb, path) {
  const options = arguments[2];
  if (typeof sourceDb !== 'object' || sourceDb === null) {
    throw invalidType('The "sourceDb" argument must be an object.');
  }
  connection(sourceDb);
  const target = location(path);
  const settings = { rate: 100, source: 'main', target: 'main', progress: undefined };
  if (options !== undefined) {
    checkObject(options, 'options');
    if (options.rate !== undefined) settings.rate = checkInteger(options.rate, 'options.rate');
    settings.source = option(options, 'source', 'string', 'main');
    settings.target = option(options, 'target', 'string', 'main');
    settings.progress = option(options, 'progress', 'function', undefined);
  }
  return runBackup(sourceDb, target, settings);
}

module.exports = {
  DatabaseSync,
  StatementSync,
  Session,
  constants,
  backup,
};
