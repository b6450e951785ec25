'use strict';

// Which files hold tests: those that patterns name, or by default what is called like a test.

const { getOptionValue } = require('#runtime/options');

const kTestName = /(?:^test-.+|^test|.*[.\-_]test)\.[cm]?[jt]s$/;
const kScript = /\.[cm]?[jt]s$/;
const kTypeScript = /\.[cm]?ts$/;
const kDeclaration = /\.d\.[cm]?ts$/;

function isTestName(name, inTestFolder) {
  if (kDeclaration.test(name)) return false;
  if (kTypeScript.test(name) && getOptionValue('--experimental-strip-types') === false) return false;
  return kTestName.test(name) || (inTestFolder && kScript.test(name));
}

function walk(folder, inTestFolder, found) {
  const fs = require('fs');
  const path = require('path');
  let entries;
  try {
    entries = fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return;
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name === 'node_modules' || entry.name.startsWith('.')) continue;
      walk(full, inTestFolder || entry.name === 'test', found);
    } else if (isTestName(entry.name, inTestFolder)) {
      found.push(full);
    }
  }
}

/**
 * @param {string[] | undefined} patterns globs @param {string} cwd
 * @returns {string[]} sorted; relative to cwd, or absolute where a pattern is
 */
function findTestFiles(patterns, cwd) {
  const path = require('path');
  if (patterns === undefined || patterns.length === 0) {
    const found = [];
    walk(cwd, false, found);
    return found.sort().map((file) => path.relative(cwd, file));
  }
  const fs = require('fs');
  const found = new Set();
  for (const pattern of patterns) {
    const exact = path.resolve(cwd, pattern);
    if (fs.existsSync(exact) && fs.statSync(exact).isFile()) {
      found.add(path.isAbsolute(pattern) ? exact : path.relative(cwd, exact));
      continue;
    }
    for (const name of fs.globSync(pattern, { cwd })) {
      const full = path.resolve(cwd, name);
      const isDependency = full.split(path.sep).includes('node_modules') && !pattern.includes('node_modules');
      if (isDependency || !fs.statSync(full).isFile()) continue;
      found.add(path.isAbsolute(pattern) ? full : path.relative(cwd, full));
    }
  }
  return [...found].sort();
}

module.exports = { findTestFiles };
