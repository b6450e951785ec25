'use strict';

// node:url: the URL Standard's classes, the legacy API, and conversions between file paths and file: URLs.

const native = binding('url');
const { codes: { ERR_MISSING_ARGS } } = require('#internal/errors');
const { validateObject } = require('#internal/validators');
const { URL, URLSearchParams, isURL: isStandardURL } = require('#web/url');
const { Url, formatLegacy, urlParse: parseLegacy, urlResolve, urlResolveObject } = require('#url/legacy');
const { fileURLToPath, fileURLToPathBuffer, pathToFileURL, urlToHttpOptions } = require('#url/file_url');

const parseWarning =
  '`url.parse()` behavior is not standardized and prone to errors that have security implications. ' +
  'Use the WHATWG URL API instead. CVEs are not issued for `url.parse()` vulnerabilities.';
let warnedOfParse = false;

/** Warns once, when the program itself calls url.parse rather than a library that it installed. */
function warnOfParse() {
  if (warnedOfParse || process.noDeprecation === true) return;
  if (binding('util').isInsideNodeModules(100)) return;
  warnedOfParse = true;
  process.emitWarning(parseWarning, 'DeprecationWarning', 'DEP0169');
}

function urlParse(url, parseQueryString, slashesDenoteHost) {
  warnOfParse();
  return parseLegacy(url, parseQueryString, slashesDenoteHost);
}

function urlFormat(urlObject, options) {
  if (!isStandardURL(urlObject)) return formatLegacy(urlObject);
  let fragment = true;
  let unicode = false;
  let search = true;
  let auth = true;
  if (options) {
    validateObject(options, 'options');
    if (options.fragment != null) fragment = Boolean(options.fragment);
    if (options.unicode != null) unicode = Boolean(options.unicode);
    if (options.search != null) search = Boolean(options.search);
    if (options.auth != null) auth = Boolean(options.auth);
  }
  return native.format(urlObject.href, fragment, unicode, search, auth);
}

function domainToASCII(domain) {
  if (arguments.length < 1) throw new ERR_MISSING_ARGS('domain');
  return native.domainToASCII(`${domain}`);
}

function domainToUnicode(domain) {
  if (arguments.length < 1) throw new ERR_MISSING_ARGS('domain');
  return native.domainToUnicode(`${domain}`);
}

module.exports = {
  Url,
  parse: urlParse,
  resolve: urlResolve,
  resolveObject: urlResolveObject,
  format: urlFormat,
  URL,
  URLPattern: undefined,
  URLSearchParams,
  domainToASCII,
  domainToUnicode,
  pathToFileURL,
  fileURLToPath,
  fileURLToPathBuffer,
  urlToHttpOptions,
};

Object.defineProperty(module.exports, 'URLPattern', {
  __proto__: null,
  configurable: true,
  enumerable: true,
  get() { return require('#web/url_pattern').URLPattern; },
  set(value) {
    Object.defineProperty(module.exports, 'URLPattern', {
      __proto__: null, configurable: true, enumerable: true, writable: true, value,
    });
  },
});
