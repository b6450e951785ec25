'use strict';

// `fs.openAsBlob`: a blob whose bytes are read from the file when they are asked for.

const { validateObject, validateString } = require('#internal/validators');
const { getValidatedPath } = require('#fs/validate');

async function openAsBlob(path, options) {
  validateObject(options, 'options');
  const type = options.type || '';
  validateString(type, 'options.type');
  path = getValidatedPath(path);
  const { size, mtimeMs } = await require('#fs/promises').stat(path);
  return require('#web/blob').createFileBlob(path, { size, mtimeMs }, type);
}

module.exports = { openAsBlob };
