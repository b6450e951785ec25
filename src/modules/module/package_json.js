'use strict';

// package.json files: read once each, found upwards from a path.

const { codes: { ERR_INVALID_PACKAGE_CONFIG } } = require('#internal/errors');
const fsNative = binding('fs');

/** @typedef {{ path: string, exists: boolean, name?: string, main?: string, type: 'none'|'commonjs'|'module', exports?: any, imports?: any, data?: any }} PackageConfig */

/** @type {Map<string, PackageConfig>} */
const byFile = new Map();
/** @type {Map<string, PackageConfig | undefined>} */
const scopes = new Map();

/** @returns {PackageConfig} of this very file, which may not exist */
function read(file, base, specifier) {
  let config = byFile.get(file);
  if (config !== undefined) return config;
  const text = fsNative.readFileUtf8(file);
  if (text === undefined) {
    config = { path: file, exists: false, type: 'none' };
  } else {
    config = parse(file, text, base, specifier);
  }
  byFile.set(file, config);
  return config;
}

function parse(file, text, base, specifier) {
  let data;
  try {
    data = JSON.parse(text.charCodeAt(0) === 0xFEFF ? text.slice(1) : text);
  } catch (error) {
    throw new ERR_INVALID_PACKAGE_CONFIG(
      file, specifier ? `"${specifier}" from ${base}` : base, error.message);
  }
  if (data === null || typeof data !== 'object' || Array.isArray(data)) {
    data = {};
  }
  const { name, main, type, exports, imports } = data;
  return {
    path: file,
    exists: true,
    name: typeof name === 'string' ? name : undefined,
    main: typeof main === 'string' ? main : undefined,
    type: type === 'module' || type === 'commonjs' ? type : 'none',
    exports,
    imports: imports !== null && typeof imports === 'object' ? imports : undefined,
    data,
  };
}

/** The package.json that governs `directory`: the nearest one upwards, not beyond a node_modules folder. */
function scopeOf(directory) {
  if (scopes.has(directory)) return scopes.get(directory);
  let found;
  if (!directory.endsWith('/node_modules')) {
    const config = read(directory === '/' ? '/package.json' : `${directory}/package.json`);
    if (config.exists) {
      found = config;
    } else if (directory !== '/') {
      const slash = directory.lastIndexOf('/');
      found = scopeOf(slash <= 0 ? '/' : directory.slice(0, slash));
    }
  }
  scopes.set(directory, found);
  return found;
}

/** The same for a file. */
function scopeOfFile(file) {
  const slash = file.lastIndexOf('/');
  return scopeOf(slash <= 0 ? '/' : file.slice(0, slash));
}

function forget() {
  byFile.clear();
  scopes.clear();
}

module.exports = { forget, read, scopeOf, scopeOfFile };
