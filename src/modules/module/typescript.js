'use strict';

// Types are stripped from .ts files (and replaced by blanks, so that positions stay) by the amaro library.

const { codes: { ERR_INVALID_TYPESCRIPT_SYNTAX, ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX,
  ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING } } = require('#internal/errors');

let transform;

function strip(source, filename, options) {
  if (filename?.includes('/node_modules/')) throw new ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING(filename);
  transform ??= require('~amaro').transformSync;
  try {
    return transform(source, { mode: 'strip-only', filename, ...options }).code;
  } catch (error) {
    if (error?.code === 'UnsupportedSyntax') throw new ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX(error.message);
    throw new ERR_INVALID_TYPESCRIPT_SYNTAX(error?.message ?? String(error));
  }
}

/** module.stripTypeScriptTypes */
function stripTypeScriptTypes(code, options = {}) {
  const { validateString, validateObject, validateOneOf } = require('#internal/validators');
  validateString(code, 'code');
  validateObject(options, 'options');
  const { mode = 'strip', sourceUrl = '' } = options;
  validateOneOf(mode, 'options.mode', ['strip', 'transform']);
  const text = strip(code, undefined, mode === 'strip' ? undefined : { mode: 'transform', sourceMap: options.sourceMap });
  return sourceUrl ? `${text}\n\n//# sourceURL=${sourceUrl}` : text;
}

module.exports = { strip, stripTypeScriptTypes };
