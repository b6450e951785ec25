'use strict';

// The legacy URL API: url.parse, url.format and url.resolve, with their own rules, which predate the URL Standard.

const native = binding('url');
const { codes: { ERR_INVALID_ARG_TYPE, ERR_INVALID_URL } } = require('#internal/errors');
const { validateString } = require('#internal/validators');

const lazyQuerystring = () => require('querystring');

function Url() {
  this.protocol = null;
  this.slashes = null;
  this.auth = null;
  this.host = null;
  this.port = null;
  this.hostname = null;
  this.hash = null;
  this.search = null;
  this.query = null;
  this.pathname = null;
  this.path = null;
  this.href = null;
}

const protocolPattern = /^[a-z0-9.+-]+:/i;
const portPattern = /:[0-9]*$/;
const hostPattern = /^\/\/[^@/]+@[^@/]+/;
const simplePathPattern = /^(\/\/?(?!\/)[^?\s]*)(\?[^\s]*)?$/;

/** Protocols that never have a host, and those that always have slashes. */
const hostless = new Set(['javascript', 'javascript:']);
const slashed = new Set([
  'http', 'http:', 'https', 'https:', 'ftp', 'ftp:', 'gopher', 'gopher:', 'file', 'file:', 'ws', 'ws:', 'wss', 'wss:',
]);

const maxHostname = 255;
const forbiddenHost = /[\0\t\n\r #%/:<>?@[\\\]^|]/;
const forbiddenIpv6Host = /[\0\t\n\r #%/<>?@\\^|]/;

function isWhitespace(code) {
  return code <= 0x20 || code === 0xa0 || code === 0xfeff;
}

/** Trims, turns backslashes before the query into slashes, and tells which marks were seen. */
function normalize(url) {
  let start = 0;
  let end = url.length;
  while (start < end && isWhitespace(url.charCodeAt(start))) start++;
  while (end > start && isWhitespace(url.charCodeAt(end - 1))) end--;
  const trimmed = url.slice(start, end);
  const mark = trimmed.search(/[?#]/);
  const head = mark === -1 ? trimmed : trimmed.slice(0, mark);
  const tail = mark === -1 ? '' : trimmed.slice(mark);
  return {
    rest: (head.includes('\\') ? head.replaceAll('\\', '/') : head) + tail,
    hasHash: tail.includes('#'),
    hasAt: trimmed.includes('@'),
  };
}

function urlParse(url, parseQueryString, slashesDenoteHost) {
  if (url instanceof Url) return url;
  const object = new Url();
  object.parse(url, parseQueryString, slashesDenoteHost);
  return object;
}

/** A mere path, which most servers parse: nothing of a host in it. False if it is something else. */
function parseSimplePath(url, rest, parseQueryString) {
  const match = simplePathPattern.exec(rest);
  if (match === null) return false;
  url.path = rest;
  url.href = rest;
  url.pathname = match[1];
  if (match[2]) {
    url.search = match[2];
    const query = url.search.slice(1);
    url.query = parseQueryString ? lazyQuerystring().parse(query) : query;
  } else if (parseQueryString) {
    url.search = null;
    url.query = { __proto__: null };
  }
  return true;
}

/** Where the host ends: at the first delimiter, or at a character that no host has unless an `@` comes after it. */
function splitAuthority(rest) {
  let at = -1;
  let nonHost = -1;
  for (let i = 0; i < rest.length; i++) {
    const c = rest[i];
    if (c === '\t' || c === '\n' || c === '\r') {
      // Removed, as the URL Standard does.
      rest = rest.slice(0, i) + rest.slice(i + 1);
      i--;
      continue;
    }
    if (c === '#' || c === '/' || c === '?') {
      if (nonHost === -1) nonHost = i;
      break;
    }
    if (c === '@') {
      at = i;
      nonHost = -1;
    } else if (nonHost === -1 && ' "%\';<>\\^`{|}'.includes(c)) {
      nonHost = i;
    }
  }
  const end = nonHost === -1 ? rest.length : nonHost;
  return { auth: at === -1 ? null : rest.slice(0, at), host: rest.slice(at + 1, end), rest: rest.slice(end) };
}

let warnedInvalidPort = false;

/** Cuts the hostname at a character that it cannot have; what follows goes to the path. */
function cutHostname(url, hostname, rest, text) {
  for (let i = 0; i < hostname.length; i++) {
    const code = hostname.charCodeAt(i);
    const valid = (code >= 0x61 && code <= 0x7a) || code === 0x2e || (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2b || code === 0x5f || code > 127;
    if (valid) continue;
    if (code !== 0x3a) continue;
    if (!warnedInvalidPort) {
      warnedInvalidPort = true;
      process.emitWarning(`The URL ${text} is invalid. Future versions of Node.js will throw an error.`,
                          'DeprecationWarning', 'DEP0170');
    }
    url.hostname = hostname.slice(0, i);
    return `/${hostname.slice(i)}${rest}`;
  }
  return rest;
}

function parseHost(url, rest, text) {
  const parts = splitAuthority(rest);
  if (parts.auth !== null) url.auth = decodeURIComponent(parts.auth);
  let { host } = parts;
  rest = parts.rest;
  const port = portPattern.exec(host);
  if (port !== null) {
    if (port[0] !== ':') url.port = port[0].slice(1);
    host = host.slice(0, host.length - port[0].length);
  }
  url.hostname = host;
  const ipv6 = host[0] === '[' && host.at(-1) === ']';
  if (!ipv6) rest = cutHostname(url, host, rest, text);
  url.hostname = url.hostname.length > maxHostname ? '' : url.hostname.toLowerCase();
  if (url.hostname !== '') {
    if (ipv6) {
      if (forbiddenIpv6Host.test(url.hostname)) throw new ERR_INVALID_URL(text);
    } else {
      url.hostname = toAscii(url.hostname);
      if (url.hostname === '' || forbiddenHost.test(url.hostname)) throw new ERR_INVALID_URL(text);
    }
  }
  url.host = url.hostname + (url.port ? `:${url.port}` : '');
  if (ipv6) {
    url.hostname = url.hostname.slice(1, -1);
    if (rest[0] !== '/') rest = `/${rest}`;
  }
  return rest;
}

const asciiOnly = /^[\0-\x7f]*$/;

function toAscii(hostname) {
  return asciiOnly.test(hostname) && !hostname.includes('xn--') ? hostname : native.toASCII(hostname);
}

const needsEscape = /[\t\n\r "'<>\\^`{|}]/g;

function escapeCharacter(character) {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/** Splits what follows the host into path, query and fragment. */
function parseTail(url, rest, parseQueryString) {
  const hash = rest.indexOf('#');
  if (hash !== -1) {
    url.hash = rest.slice(hash);
    rest = rest.slice(0, hash);
  }
  const question = rest.indexOf('?');
  if (question !== -1) {
    url.search = rest.slice(question);
    url.query = url.search.slice(1);
    if (parseQueryString) url.query = lazyQuerystring().parse(url.query);
    rest = rest.slice(0, question);
  } else if (parseQueryString) {
    url.search = null;
    url.query = { __proto__: null };
  }
  if (rest !== '') url.pathname = rest;
}

Url.prototype.parse = function parse(url, parseQueryString, slashesDenoteHost) {
  validateString(url, 'url');
  const normalized = normalize(url);
  let { rest } = normalized;
  if (!slashesDenoteHost && !normalized.hasHash && !normalized.hasAt &&
      parseSimplePath(this, rest, parseQueryString)) {
    return this;
  }
  const proto = protocolPattern.exec(rest)?.[0];
  const lowerProto = proto?.toLowerCase();
  if (proto !== undefined) {
    this.protocol = lowerProto;
    rest = rest.slice(proto.length);
  }
  let slashes = false;
  if (slashesDenoteHost || proto !== undefined || hostPattern.test(rest)) {
    slashes = rest.startsWith('//');
    if (slashes && !hostless.has(lowerProto)) {
      rest = rest.slice(2);
      this.slashes = true;
    }
  }
  if (!hostless.has(lowerProto) && (slashes || (proto !== undefined && !slashed.has(proto)))) {
    rest = parseHost(this, rest, url);
  }
  if (!hostless.has(lowerProto)) rest = rest.replace(needsEscape, escapeCharacter);
  parseTail(this, rest, parseQueryString);
  if (slashed.has(lowerProto) && this.hostname && !this.pathname) this.pathname = '/';
  if (this.pathname || this.search) this.path = (this.pathname || '') + (this.search || '');
  this.href = this.format();
  return this;
};

const authNeedsEscape = /[^A-Za-z0-9\-_.~!'()*:]/;

function encodeAuth(auth) {
  if (!authNeedsEscape.test(auth)) return auth;
  return lazyQuerystring().escape(auth).replaceAll('%3A', ':').replaceAll('%3a', ':');
}

Url.prototype.format = function format() {
  const auth = this.auth ? `${encodeAuth(this.auth)}@` : '';
  let protocol = this.protocol || '';
  let pathname = this.pathname || '';
  let hash = this.hash || '';
  let host = '';
  let query = '';
  if (this.host) {
    host = auth + this.host;
  } else if (this.hostname) {
    const bracket = this.hostname.includes(':') && !/^\[.*\]$/s.test(this.hostname);
    host = auth + (bracket ? `[${this.hostname}]` : this.hostname) + (this.port ? `:${this.port}` : '');
  }
  if (this.query !== null && typeof this.query === 'object') query = lazyQuerystring().stringify(this.query);
  let search = this.search || (query && `?${query}`) || '';
  if (protocol && !protocol.endsWith(':')) protocol += ':';
  pathname = pathname.replace(/[?#]/g, encodeURIComponent);
  if (this.slashes || slashed.has(protocol)) {
    if (this.slashes || host) {
      if (pathname && pathname[0] !== '/') pathname = `/${pathname}`;
      host = `//${host}`;
    } else if (protocol.startsWith('file')) {
      host = '//';
    }
  }
  search = search.replaceAll('#', '%23');
  if (hash && hash[0] !== '#') hash = `#${hash}`;
  if (search && search[0] !== '?') search = `?${search}`;
  return protocol + host + pathname + search + hash;
};

function urlResolve(source, relative) {
  return urlParse(source, false, true).resolve(relative);
}

/** Takes the port off `host`. */
Url.prototype.parseHost = function parseHost() {
  const [port] = /:[0-9]*$/.exec(this.host) ?? [];
  if (port !== undefined && port !== ':') this.port = port.slice(1);
  const hostname = port === undefined ? this.host : this.host.slice(0, -port.length);
  if (hostname) this.hostname = hostname;
};

Url.prototype.resolve = function resolve(relative) {
  return this.resolveObject(urlParse(relative, false, true)).format();
};

function urlResolveObject(source, relative) {
  return source ? urlParse(source, false, true).resolveObject(relative) : relative;
}

/** Another protocol than the base's: the relative URL stands mostly for itself. */
function resolveOtherProtocol(base, result, relative) {
  if (!slashed.has(relative.protocol)) {
    Object.assign(result, relative);
    result.href = result.format();
    return result;
  }
  result.protocol = relative.protocol;
  if (!relative.host && !/^file:?$/.test(relative.protocol) && !hostless.has(relative.protocol)) {
    const segments = (relative.pathname || '').split('/');
    while (segments.length > 0 && !(relative.host = segments.shift()));
    relative.host ||= '';
    relative.hostname ||= '';
    if (segments[0] !== '') segments.unshift('');
    if (segments.length < 2) segments.unshift('');
    result.pathname = segments.join('/');
  } else {
    result.pathname = relative.pathname;
  }
  result.search = relative.search;
  result.query = relative.query;
  result.host = relative.host || '';
  result.auth = relative.auth;
  result.hostname = relative.hostname || relative.host;
  result.port = relative.port;
  if (result.pathname || result.search) result.path = (result.pathname || '') + (result.search || '');
  result.slashes ||= relative.slashes;
  result.href = result.format();
  return result;
}

/** Takes the host out of the first segment of a path, for protocols whose slashes the legacy parser does not know. */
function hostFromFirstSegment(result, segments) {
  result.hostname = result.host = segments.shift();
  const at = result.host?.indexOf('@') > 0 ? result.host.split('@') : null;
  if (at) {
    result.auth = at.shift();
    result.host = result.hostname = at.shift();
  }
}

function setPath(result) {
  if (result.pathname !== null || result.search !== null) {
    result.path = (result.pathname ? result.pathname : '') + (result.search ? result.search : '');
  }
}

/** Removes "." and "..", and returns how many levels the path goes above where it starts. */
function removeDots(segments) {
  let up = 0;
  for (let i = segments.length - 1; i >= 0; i--) {
    const segment = segments[i];
    if (segment === '.') {
      segments.splice(i, 1);
    } else if (segment === '..') {
      segments.splice(i, 1);
      up++;
    } else if (up > 0) {
      segments.splice(i, 1);
      up--;
    }
  }
  return up;
}

Url.prototype.resolveObject = function resolveObject(relative) {
  if (typeof relative === 'string') relative = urlParse(relative, false, true);
  const result = Object.assign(new Url(), this);
  // The fragment is always the relative URL's.
  result.hash = relative.hash;
  if (relative.href === '') {
    result.href = result.format();
    return result;
  }
  if (relative.slashes && !relative.protocol) {
    for (const key of Object.keys(relative)) if (key !== 'protocol') result[key] = relative[key];
    if (slashed.has(result.protocol) && result.hostname && !result.pathname) result.path = result.pathname = '/';
    result.href = result.format();
    return result;
  }
  if (relative.protocol && relative.protocol !== result.protocol) return resolveOtherProtocol(this, result, relative);
  return resolvePath(result, relative);
};

function resolvePath(result, relative) {
  const isSourceAbsolute = result.pathname && result.pathname[0] === '/';
  const isRelativeAbsolute = relative.host || (relative.pathname && relative.pathname[0] === '/');
  let mustEndAbsolute = isRelativeAbsolute || isSourceAbsolute || (result.host && relative.pathname);
  const removeAllDots = mustEndAbsolute;
  let segments = (result.pathname && result.pathname.split('/')) || [];
  let relativeSegments = (relative.pathname && relative.pathname.split('/')) || [];
  const noLeadingSlashes = result.protocol && !slashed.has(result.protocol);

  // With an unknown protocol the host is the path's first segment for now.
  if (noLeadingSlashes) {
    result.hostname = '';
    result.port = null;
    if (result.host) {
      if (segments[0] === '') segments[0] = result.host;
      else segments.unshift(result.host);
    }
    result.host = '';
    if (relative.protocol) {
      relative.hostname = null;
      relative.port = null;
      result.auth = null;
      if (relative.host) {
        if (relativeSegments[0] === '') relativeSegments[0] = relative.host;
        else relativeSegments.unshift(relative.host);
      }
      relative.host = null;
    }
    mustEndAbsolute &&= relativeSegments[0] === '' || segments[0] === '';
  }

  if (isRelativeAbsolute) {
    if (relative.host || relative.host === '') {
      if (result.host !== relative.host) result.auth = null;
      result.host = relative.host;
      result.port = relative.port;
    }
    if (relative.hostname || relative.hostname === '') {
      if (result.hostname !== relative.hostname) result.auth = null;
      result.hostname = relative.hostname;
    }
    result.search = relative.search;
    result.query = relative.query;
    segments = relativeSegments;
  } else if (relativeSegments.length > 0) {
    segments.pop();
    segments = segments.concat(relativeSegments);
    relativeSegments = [];
    result.search = relative.search;
    result.query = relative.query;
  } else if (relative.search !== null && relative.search !== undefined) {
    if (noLeadingSlashes) hostFromFirstSegment(result, segments);
    result.search = relative.search;
    result.query = relative.query;
    setPath(result);
    result.href = result.format();
    return result;
  }
  return finishPath(result, relative, segments, { mustEndAbsolute, removeAllDots, noLeadingSlashes });
}

function finishPath(result, relative, segments, { mustEndAbsolute, removeAllDots, noLeadingSlashes }) {
  if (segments.length === 0) {
    // Nothing but what the host and the query say.
    result.pathname = null;
    result.path = result.search ? `/${result.search}` : null;
    result.href = result.format();
    return result;
  }
  const last = segments.at(-1);
  const hasTrailingSlash = ((result.host || relative.host || segments.length > 1) && (last === '.' || last === '..')) ||
    last === '';
  const up = removeDots(segments);
  if (!mustEndAbsolute && !removeAllDots) for (let i = 0; i < up; i++) segments.unshift('..');
  if (mustEndAbsolute && segments[0] !== '' && (!segments[0] || segments[0][0] !== '/')) segments.unshift('');
  if (hasTrailingSlash && !segments.join('/').endsWith('/')) segments.push('');
  const isAbsolute = segments[0] === '' || (segments[0] && segments[0][0] === '/');
  if (noLeadingSlashes) {
    result.hostname = result.host = isAbsolute ? '' : segments.length > 0 ? segments.shift() : '';
    const at = result.host && result.host.indexOf('@') > 0 ? result.host.split('@') : null;
    if (at) {
      result.auth = at.shift();
      result.host = result.hostname = at.shift();
    }
  }
  mustEndAbsolute ||= result.host && segments.length > 0;
  if (mustEndAbsolute && !isAbsolute) segments.unshift('');
  if (segments.length === 0) {
    result.pathname = null;
    result.path = null;
  } else {
    result.pathname = segments.join('/');
  }
  setPath(result);
  result.auth = relative.auth || result.auth;
  result.slashes ||= relative.slashes;
  result.href = result.format();
  return result;
}

/** url.format of anything but a URL: a string or an object with the properties of Url. */
function formatLegacy(urlObject) {
  if (typeof urlObject === 'string') return urlParse(urlObject).format();
  if (typeof urlObject !== 'object' || urlObject === null) {
    throw new ERR_INVALID_ARG_TYPE('urlObject', ['Object', 'string'], urlObject);
  }
  return Url.prototype.format.call(urlObject);
}

module.exports = { Url, formatLegacy, urlParse, urlResolve, urlResolveObject };
