'use strict';

// Class URL (URL Standard, clause 6.1). Parsing is native; it tells where the parts of the href lie, and the getters
// cut them out.

const native = binding('url');
const { codes: { ERR_MISSING_ARGS } } = require('#internal/errors');
const { makeEnumerable, setTag } = require('#web/event');
const { inspectSymbol } = require('#web/inspect');
const { URLSearchParams, createSearchParams, isSearchParams, setList, toUSVString } = require('#web/url_search_params');
const { setTransferMode, kUncloneable } = require('#web/transferable');

const { fields, parse, update } = native;

const kOmitted = 0xffffffff;
/** The setters by the numbers that `update` knows them by. */
const part = {
  protocol: 0, username: 1, password: 2, host: 3, hostname: 4, port: 5, pathname: 6, search: 7, hash: 8,
};

/** A plain TypeError with the code ERR_INVALID_URL: unlike other errors of ours its name shows no code. */
function invalidURL(input, base) {
  const error = new TypeError('Invalid URL');
  error.code = 'ERR_INVALID_URL';
  error.input = input;
  if (base !== undefined) error.base = base;
  return error;
}

/** Types of schemes by number; 1 is any that is not special. */
const schemeTypes = ['http:', '', 'https:', 'ws:', 'ftp:', 'wss:', 'file:'];

class URLContext {
  constructor(fields) { Object.assign(this, fields); }
  get hasPort() { return this.port !== kOmitted; }
  get hasSearch() { return this.search_start !== kOmitted; }
  get hasHash() { return this.hash_start !== kOmitted; }
}

let isURL;
let set;

class URL {
  #href = '';
  #protocolEnd = 0;
  #usernameEnd = 0;
  #hostStart = 0;
  #hostEnd = 0;
  #port = kOmitted;
  #pathnameStart = 0;
  #searchStart = kOmitted;
  #hashStart = kOmitted;
  #searchParams = undefined;

  static {
    set = (url, old, which, value) => url.#set(old, which, value);
    isURL = (value) => typeof value === 'object' && value !== null && #href in value;
  }

  constructor(input, base = undefined) {
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('url');
    input = `${input}`;
    if (base !== undefined) base = `${base}`;
    const href = parse(input, base);
    if (href === undefined) throw invalidURL(input, base);
    this.#adopt(href);
  }

  static parse(input, base = undefined) {
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('url');
    input = `${input}`;
    if (base !== undefined) base = `${base}`;
    return native.canParse(input, base) ? new URL(input, base) : null;
  }

  static canParse(url, base = undefined) {
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('url');
    url = `${url}`;
    return native.canParse(url, base === undefined ? undefined : `${base}`);
  }

  #adopt(href) {
    this.#href = href;
    this.#protocolEnd = fields[0];
    this.#usernameEnd = fields[1];
    this.#hostStart = fields[2];
    this.#hostEnd = fields[3];
    this.#port = fields[4];
    this.#pathnameStart = fields[5];
    this.#searchStart = fields[6];
    this.#hashStart = fields[7];
  }

  #set(old, which, value) {
    const href = update(old, which, `${value}`);
    if (href !== undefined) this.#adopt(href);
  }

  #refreshSearchParams() {
    if (this.#searchParams !== undefined) setList(this.#searchParams, this.#query());
  }

  #query() {
    return this.#searchStart === kOmitted ? '' :
      this.#href.slice(this.#searchStart + 1, this.#hashStart === kOmitted ? undefined : this.#hashStart);
  }

  #hostFrom() {
    const start = this.#hostStart;
    return this.#href[start] === '@' ? start + 1 : start;
  }

  /** As a method, so that a wrong receiver gets the message that Node's has. */
  #text() {
    return this.#href;
  }

  toString() {
    return this.#text();
  }

  get href() {
    return this.#text();
  }

  set href(value) {
    void this.#href;
    value = `${value}`;
    const href = parse(value, undefined);
    if (href === undefined) throw invalidURL(value);
    this.#adopt(href);
    this.#refreshSearchParams();
  }

  get origin() {
    const protocol = this.#href.slice(0, this.#protocolEnd);
    switch (protocol) {
      case 'http:':
      case 'https:':
      case 'ws:':
      case 'wss:':
      case 'ftp:':
        return `${protocol}//${this.host}`;
      case 'blob:': {
        const inner = URL.parse(this.pathname);
        return inner !== null && (inner.protocol === 'http:' || inner.protocol === 'https:') ? inner.origin : 'null';
      }
      default:
        return 'null';
    }
  }

  get protocol() {
    return this.#href.slice(0, this.#protocolEnd);
  }

  set protocol(value) {
    set(this, this.#href, part.protocol, value);
  }

  get username() {
    return this.#protocolEnd + 2 < this.#usernameEnd ? this.#href.slice(this.#protocolEnd + 2, this.#usernameEnd) : '';
  }

  set username(value) {
    set(this, this.#href, part.username, value);
  }

  get password() {
    return this.#hostStart > this.#usernameEnd ? this.#href.slice(this.#usernameEnd + 1, this.#hostStart) : '';
  }

  set password(value) {
    set(this, this.#href, part.password, value);
  }

  get host() {
    const end = this.#port === kOmitted ? this.#hostEnd : this.#hostEnd + 1 + `${this.#port}`.length;
    return this.#href.slice(this.#hostFrom(), end);
  }

  set host(value) {
    set(this, this.#href, part.host, value);
  }

  get hostname() {
    return this.#href.slice(this.#hostFrom(), this.#hostEnd);
  }

  set hostname(value) {
    set(this, this.#href, part.hostname, value);
  }

  get port() {
    return this.#port === kOmitted ? '' : `${this.#port}`;
  }

  set port(value) {
    set(this, this.#href, part.port, value);
  }

  get pathname() {
    let end = this.#searchStart;
    if (end === kOmitted) end = this.#hashStart;
    return this.#href.slice(this.#pathnameStart, end === kOmitted ? undefined : end);
  }

  set pathname(value) {
    set(this, this.#href, part.pathname, value);
  }

  #searchText() {
    if (this.#searchStart === kOmitted) return '';
    const end = this.#hashStart === kOmitted ? this.#href.length : this.#hashStart;
    return end - this.#searchStart <= 1 ? '' : this.#href.slice(this.#searchStart, end);
  }

  get search() {
    return this.#searchText();
  }

  set search(value) {
    set(this, this.#href, part.search, toUSVString(value));
    this.#refreshSearchParams();
  }

  get searchParams() {
    return this.#searchParams ??= createSearchParams(this.#query(), (query) => {
      set(this, this.#href, part.search, query);
    });
  }

  get hash() {
    if (this.#hashStart === kOmitted || this.#href.length - this.#hashStart <= 1) return '';
    return this.#href.slice(this.#hashStart);
  }

  set hash(value) {
    set(this, this.#href, part.hash, value);
  }

  toJSON() {
    return this.#text();
  }

  /** Where the parts lie, for whoever inspects a URL with `showHidden`. */
  #context() {
    return new URLContext({
      href: this.#href,
      protocol_end: this.#protocolEnd,
      username_end: this.#usernameEnd,
      host_start: this.#hostStart,
      host_end: this.#hostEnd,
      pathname_start: this.#pathnameStart,
      search_start: this.#searchStart,
      hash_start: this.#hashStart,
      port: this.#port,
      scheme_type: schemeTypes.includes(this.protocol) ? schemeTypes.indexOf(this.protocol) : 1,
    });
  }

  [inspectSymbol](depth, options) {
    void this.#href;
    const name = this.constructor?.name || 'URL';
    if (typeof depth === 'number' && depth < 0) return `${name} {}`;
    const { inspect } = require('util');
    const shown = {
      href: this.href,
      origin: this.origin,
      protocol: this.protocol,
      username: this.username,
      password: this.password,
      host: this.host,
      hostname: this.hostname,
      port: this.port,
      pathname: this.pathname,
      search: this.search,
      searchParams: this.searchParams,
      hash: this.hash,
    };
    if (options.showHidden) shown[Symbol('context')] = this.#context();
    return `${name} ${inspect(shown, options)}`;
  }
}

Object.defineProperties(URL, {
  parse: { __proto__: null, enumerable: true },
  canParse: { __proto__: null, enumerable: true },
  createObjectURL: {
    __proto__: null,
    configurable: true,
    writable: true,
    enumerable: true,
    value: function createObjectURL(blob) {
      if (arguments.length === 0) throw new ERR_MISSING_ARGS('blob');
      return require('#web/blob').createObjectURL(blob);
    },
  },
  revokeObjectURL: {
    __proto__: null,
    configurable: true,
    writable: true,
    enumerable: true,
    value: function revokeObjectURL(url) {
      if (arguments.length === 0) throw new ERR_MISSING_ARGS('url');
      require('#web/blob').revokeObjectURL(`${url}`);
    },
  },
});
makeEnumerable(URL.prototype, [
  'toString', 'href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search',
  'searchParams', 'hash', 'toJSON',
]);
setTag(URL);
setTransferMode(URL.prototype, kUncloneable);

module.exports = { URL, URLSearchParams, isSearchParams, isURL };
