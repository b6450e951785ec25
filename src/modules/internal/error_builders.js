'use strict';

// The error codes whose message depends on its arguments in more than a template, or that carry further
// properties: code -> [base class, builder, further base classes]. A builder runs with the error as `this`,
// after `code` was set, and returns the message.

const { formatList, determineSpecificType, inspectValue, addNumericalSeparator } = require('#internal/error_text');

const kTypeNames = new Set([
  'string', 'function', 'number', 'object', 'Function', 'Object', 'boolean', 'bigint', 'symbol',
]);
const kClassName = /^[A-Z][a-zA-Z0-9]*$/;

/** The "must be ..." part of ERR_INVALID_ARG_TYPE. */
function describeExpected(expected) {
  const types = [];
  const instances = [];
  const other = [];
  for (const value of expected) {
    if (kTypeNames.has(value)) types.push(value.toLowerCase());
    else if (kClassName.test(value)) instances.push(value);
    else other.push(value);
  }
  if (instances.length > 0) {
    const at = types.indexOf('object');
    if (at !== -1) {
      types.splice(at, 1);
      instances.push('Object');
    }
  }
  const parts = [];
  if (types.length > 0) parts.push(`${types.length > 1 ? 'one of type' : 'of type'} ${formatList(types, 'or')}`);
  if (instances.length > 0) parts.push(`an instance of ${formatList(instances, 'or')}`);
  if (other.length > 1) parts.push(`one of ${formatList(other, 'or')}`);
  else if (other.length === 1) parts.push(`${other[0].toLowerCase() === other[0] ? '' : 'an '}${other[0]}`);
  return parts.join(' or ');
}

function describeArgument(name) {
  if (name.endsWith(' argument')) return `The ${name}`;
  return `The "${name}" ${name.includes('.') ? 'property' : 'argument'}`;
}

function invalidArgType(name, expected, actual) {
  if (!Array.isArray(expected)) expected = [expected];
  return `${describeArgument(String(name))} must be ${describeExpected(expected)}. ` +
    `Received ${determineSpecificType(actual)}`;
}

function invalidArgValue(name, value, reason = 'is invalid') {
  let inspected = inspectValue(value);
  if (inspected.length > 128) inspected = `${inspected.slice(0, 128)}...`;
  return `The ${String(name).includes('.') ? 'property' : 'argument'} '${name}' ${reason}. Received ${inspected}`;
}

function outOfRange(name, range, input, isWholeSentence = false) {
  let received;
  if (Number.isInteger(input) && Math.abs(input) > 2 ** 32) {
    received = addNumericalSeparator(String(input));
  } else if (typeof input === 'bigint') {
    received = String(input);
    if (input > 2n ** 32n || input < -(2n ** 32n)) received = addNumericalSeparator(received);
    received += 'n';
  } else {
    received = inspectValue(input);
  }
  const start = isWholeSentence ? name : `The value of "${name}" is out of range.`;
  return `${start} It must be ${range}. Received ${received}`;
}

function missingArgs(...args) {
  const names = args.map((arg) => (Array.isArray(arg) ? arg.map((name) => `"${name}"`).join(' or ') : `"${arg}"`));
  return `The ${formatList(names)} argument${args.length > 1 ? 's' : ''} must be specified`;
}

function invalidPackageTarget(packagePath, key, target, isImport = false, base = undefined) {
  const needsDot = typeof target === 'string' && !isImport && target.length > 0 && !target.startsWith('./');
  const what = key === '.' ?
    `Invalid "exports" main target ${JSON.stringify(target)} defined` :
    `Invalid "${isImport ? 'imports' : 'exports'}" target ${JSON.stringify(target)} defined for '${key}'`;
  return `${what} in the package config ${packagePath}package.json${base ? ` imported from ${base}` : ''}` +
    (needsDot ? '; targets must start with "./"' : '');
}

function requireEsm(filename, hasEsmSyntax, parentPath = null, packageJsonPath = null) {
  let text = `require() of ES Module ${filename}${parentPath ? ` from ${parentPath}` : ''} not supported.`;
  if (!packageJsonPath) {
    if (parentPath && filename.endsWith('.mjs')) {
      text += `\nInstead change the require of ${filename} to a dynamic import() which is available in all ` +
        'CommonJS modules.';
    }
    return text;
  }
  const basename = parentPath && filename.endsWith('.js') ?
    filename.slice(filename.lastIndexOf('/') + 1) : filename;
  if (hasEsmSyntax) {
    return `${text}\nInstead change the require of ${basename} in ${parentPath} to a dynamic import() which is ` +
      'available in all CommonJS modules.';
  }
  return `${text}\n${basename} is treated as an ES module file as it is a .js file whose nearest parent ` +
    'package.json contains "type": "module" which declares all .js files in that package scope as ES modules.\n' +
    `Instead either rename ${basename} to end in .cjs, change the requiring code to use dynamic import() which is ` +
    'available in all CommonJS modules, or change "type": "module" to "type": "commonjs" in ' +
    `${packageJsonPath} to treat all .js files as CommonJS (using .mjs for all ES modules instead).\n`;
}

function requireAsyncModule(filename, parentFilename) {
  let text = 'require() cannot be used on an ESM graph with top-level await. Use import() instead. To see where ' +
    'the top-level await comes from, use --experimental-print-required-tla.';
  if (parentFilename) text += `\n  From ${parentFilename} `;
  if (filename) text += `\n  Requiring ${filename} `;
  return text;
}

function unsupportedScheme(url, supported) {
  return `Only URLs with a scheme in: ${formatList(supported)} are supported by the default ESM loader. ` +
    `Received protocol '${url.protocol}'`;
}

const kBugNote = 'This is caused by either a bug in Node.js or incorrect usage of Node.js internals.\n' +
  'Please open an issue with this stack trace at https://github.com/nodejs/node/issues\n';

/** An own property, whatever the prototypes define. */
function setUrl(error, url) {
  if (url === undefined) return;
  Object.defineProperty(error, 'url', {
    __proto__: null, value: `${url}`, writable: true, enumerable: true, configurable: true,
  });
}

const builders = {
  __proto__: null,
  ERR_ACCESS_DENIED: [Error, function(message, permission = '', resource = '') {
    this.permission = permission;
    this.resource = resource;
    return message;
  }],
  ERR_BUFFER_OUT_OF_BOUNDS: [RangeError, (name = undefined) => (
    name ? `"${name}" is outside of buffer bounds` : 'Attempt to access memory outside buffer bounds')],
  ERR_ENCODING_INVALID_ENCODED_DATA: [TypeError, function(encoding, errno) {
    this.errno = errno;
    return `The encoded data was not valid for encoding ${encoding}`;
  }],
  ERR_FALSY_VALUE_REJECTION: [Error, function(reason) {
    this.reason = reason;
    return 'Promise was rejected with falsy value';
  }],
  ERR_HTTP2_INVALID_SETTING_VALUE: [TypeError, function(name, actual, min = undefined, max = undefined) {
    this.actual = actual;
    if (min !== undefined) {
      this.min = min;
      this.max = max;
    }
    return `Invalid value for setting "${name}": ${actual}`;
  }, RangeError],
  ERR_HTTP2_STREAM_CANCEL: [Error, function(error) {
    const text = 'The pending stream has been canceled';
    if (!error) return text;
    this.cause = error;
    return typeof error.message === 'string' ? `${text} (caused by: ${error.message})` : text;
  }],
  ERR_IMPORT_ATTRIBUTE_UNSUPPORTED: [TypeError, (name, value, url = undefined) => (
    `Import attribute "${name}" with value "${value}" is not supported${url === undefined ? '' : ` in ${url}`}`)],
  ERR_INTERNAL_ASSERTION: [Error, (message) => (message ? `${message}\n${kBugNote}` : kBugNote)],
  ERR_INVALID_ADDRESS_FAMILY: [RangeError, function(family, host, port) {
    this.host = host;
    this.port = port;
    return `Invalid address family: ${family} ${host}:${port}`;
  }],
  ERR_INVALID_ARG_TYPE: [TypeError, invalidArgType],
  ERR_INVALID_ARG_VALUE: [TypeError, invalidArgValue, RangeError],
  ERR_INVALID_CHAR: [TypeError, (name, field = undefined) => (
    `Invalid character in ${name}${field === undefined ? '' : ` ["${field}"]`}`)],
  ERR_INVALID_FILE_URL_PATH: [TypeError, function(reason, input) {
    this.input = input;
    return `File URL path ${reason}`;
  }],
  ERR_INVALID_MIME_SYNTAX: [TypeError, (production, text, index) => (
    `The MIME syntax for a ${production} in "${text}" is invalid${index === -1 ? '' : ` at ${index}`}`)],
  ERR_INVALID_MODULE_SPECIFIER: [TypeError, (request, reason, base = undefined) => (
    `Invalid module "${request}" ${reason}${base ? ` imported from ${base}` : ''}`)],
  ERR_INVALID_PACKAGE_CONFIG: [Error, (path, base, message) => (
    `Invalid package config ${path}${base ? ` while importing ${base}` : ''}.${message ? ` ${message}` : ''}`)],
  ERR_INVALID_PACKAGE_TARGET: [Error, invalidPackageTarget],
  ERR_INVALID_RETURN_PROPERTY: [TypeError, (input, name, property, value) => (
    `Expected a valid ${input} to be returned for the "${property}" from the "${name}" hook but got ` +
    `${determineSpecificType(value)}.`)],
  ERR_INVALID_RETURN_PROPERTY_VALUE: [TypeError, (input, name, property, value) => (
    `Expected ${input} to be returned for the "${property}" from the "${name}" hook but got ` +
    `${determineSpecificType(value)}.`)],
  ERR_INVALID_RETURN_VALUE: [TypeError, (input, name, value) => (
    `Expected ${input} to be returned from the "${name}" function but got ${determineSpecificType(value)}.`),
  RangeError],
  ERR_INVALID_URL: [TypeError, function(input, base = undefined) {
    this.input = input;
    if (base != null) this.base = base;
    return 'Invalid URL';
  }],
  ERR_INVALID_URL_SCHEME: [TypeError, (expected) => {
    if (typeof expected === 'string') expected = [expected];
    return expected.length > 1 ?
      `The URL must be one of scheme ${expected[0]} or ${expected[1]}` :
      `The URL must be of scheme ${expected[0]}`;
  }],
  ERR_IP_BLOCKED: [Error, (ip) => `IP(${ip}) is blocked by net.BlockList`],
  ERR_MISSING_ARGS: [TypeError, missingArgs],
  ERR_MODULE_NOT_FOUND: [Error, function(path, base, exactUrl) {
    if (exactUrl) setUrl(this, exactUrl);
    return `Cannot find ${exactUrl ? 'module' : 'package'} '${path}' imported from ${base}`;
  }],
  ERR_OUT_OF_RANGE: [RangeError, outOfRange],
  ERR_PACKAGE_IMPORT_NOT_DEFINED: [TypeError, (specifier, packagePath, base) => (
    `Package import specifier "${specifier}" is not defined` +
    `${packagePath ? ` in package ${packagePath}package.json` : ''} imported from ${base}`)],
  ERR_PACKAGE_PATH_NOT_EXPORTED: [Error, (packagePath, subpath, base = undefined) => {
    const from = base ? ` imported from ${base}` : '';
    if (subpath === '.') return `No "exports" main defined in ${packagePath}package.json${from}`;
    return `Package subpath '${subpath}' is not defined by "exports" in ${packagePath}package.json${from}`;
  }],
  ERR_PARSE_ARGS_UNKNOWN_OPTION: [TypeError, (option, allowPositionals) => {
    const hint = ". To specify a positional argument starting with a '-', place it at the end of the command after " +
      `'--', as in '-- "${option}"`;
    return `Unknown option '${option}'${allowPositionals ? hint : ''}`;
  }],
  ERR_REQUIRE_ASYNC_MODULE: [Error, requireAsyncModule],
  ERR_REQUIRE_ESM: [Error, requireEsm],
  ERR_SOCKET_BAD_PORT: [RangeError, (name, port, allowZero = true) => (
    `${name} should be ${allowZero ? '>=' : '>'} 0 and < 65536. Received ${determineSpecificType(port)}.`)],
  ERR_TEST_FAILURE: [Error, function(error, failureType) {
    let message = error?.message ?? error;
    if (typeof message !== 'string') message = inspectValue(message);
    this.failureType = failureType;
    this.cause = error;
    return message;
  }],
  ERR_TLS_ALPN_CALLBACK_INVALID_RESULT: [TypeError, (value, protocols) => (
    `ALPN callback returned a value (${value}) that did not match any of the client's offered protocols ` +
    `(${protocols.join(', ')})`)],
  ERR_TLS_CERT_ALTNAME_INVALID: [Error, function(reason, host, cert) {
    this.reason = reason;
    this.host = host;
    this.cert = cert;
    return `Hostname/IP does not match certificate's altnames: ${reason}`;
  }],
  ERR_UNHANDLED_ERROR: [Error, (error = undefined) => (
    error === undefined ? 'Unhandled error.' : `Unhandled error. (${error})`)],
  ERR_UNSUPPORTED_DIR_IMPORT: [Error, function(path, base, exactUrl) {
    setUrl(this, exactUrl);
    return `Directory import '${path}' is not supported resolving ES modules imported from ${base}`;
  }],
  ERR_UNSUPPORTED_ESM_URL_SCHEME: [Error, unsupportedScheme],
  ERR_VM_MODULE_LINK_FAILURE: [Error, function(message, cause) {
    this.cause = cause;
    return message;
  }],
  ERR_WORKER_INVALID_EXEC_ARGV: [Error, (errors, message = 'invalid execArgv flags') => (
    `Initiated Worker with ${message}: ${errors.join(', ')}`)],
  ERR_WORKER_PATH: [TypeError, (filename) => (
    'The worker script or module filename must be an absolute path or a relative path starting with ' +
    `'./' or '../'.${String(filename).startsWith('file://') ? ' Wrap file:// URLs with `new URL`.' : ''}` +
    `${String(filename).startsWith('data:') ? ' Wrap data: URLs with `new URL`.' : ''} ` +
    `Received "${filename}"`)],
};

/** Codes of class SystemError: `new codes.ERR_FS_EISDIR({ syscall, code, message, path, dest, errno })`. */
const systemBuilders = {
  __proto__: null,
  ERR_FS_CP_DIR_TO_NON_DIR: 'Cannot overwrite non-directory with directory',
  ERR_FS_CP_EEXIST: 'Target already exists',
  ERR_FS_CP_EINVAL: 'Invalid src or dest',
  ERR_FS_CP_FIFO_PIPE: 'Cannot copy a FIFO pipe',
  ERR_FS_CP_NON_DIR_TO_DIR: 'Cannot overwrite directory with non-directory',
  ERR_FS_CP_SOCKET: 'Cannot copy a socket file',
  ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY: 'Cannot overwrite symlink in subdirectory of self',
  ERR_FS_CP_UNKNOWN: 'Cannot copy an unknown file type',
  ERR_FS_EISDIR: 'Path is a directory',
  ERR_SOCKET_BUFFER_SIZE: 'Could not get or set buffer size',
  ERR_SYSTEM_ERROR: 'A system error occurred',
  ERR_TTY_INIT_FAILED: 'TTY initialization failed',
};

module.exports = { builders, systemBuilders };
