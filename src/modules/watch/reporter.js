'use strict';

// In a watched program: its parent is told of every file that is loaded.

/** @param {string} file a path, or a URL */
function report(file) {
  if (typeof process.send !== 'function' || !process.connected) return;
  if (file.startsWith('file:')) file = require('url').fileURLToPath(file.replace(/[?#].*$/s, ''));
  if (file.startsWith('/')) process.send({ 'watch:require': [file] });
}

module.exports = { report };
