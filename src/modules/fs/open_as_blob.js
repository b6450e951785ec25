'use strict';

// `fs.openAsBlob`.

const { validateObject, validateString } = require('#internal/validators');
const { getValidatedPath } = require('#fs/validate');
const native = binding('fs');
const { kPromise } = native;

async function openAsBlob(path, options) {
  validateObject(options, 'options');
  const type = options.type || '';
  validateString(type, 'options.type');
  const bytes = await native.readFile(getValidatedPath(path), 0, kPromise);
  return new globalThis.Blob([bytes], { type });
}

module.exports = { openAsBlob };
