'use strict';

// Types are stripped from .ts files (and replaced by blanks, so that positions stay) by the amaro library.

const { codes: { ERR_INVALID_TYPESCRIPT_SYNTAX, ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX,
  ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING } } = require('#internal/errors');

const loader = require('#runtime/loader');

let transform;

/**
 * @param {{ mode?: 'strip-only' | 'transform', sourceMap?: boolean, filename?: string }} options
 * @returns {any} { code, map }
 */
function run(source, options) {
  transform ??= require('~amaro').transformSync;
  try {
    return transform(source, { mode: 'strip-only', ...options });
  } catch (error) {
    if (error?.code === 'UnsupportedSyntax') throw new ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX(error.message);
    throw new ERR_INVALID_TYPESCRIPT_SYNTAX(error?.message ?? String(error));
  }
}

const withInlineMap = ({ code, map }) => (
  `${code}\n\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}`);

/** JavaScript for a module of this name; what --experimental-transform-types transforms brings its source map. */
function strip(source, filename) {
  if (filename?.includes('/node_modules/')) throw new ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING(filename);
  const { getOptionValue } = require('#runtime/options');
  const transforms = getOptionValue('--experimental-transform-types') === true;
  const withMap = transforms && require('module').getSourceMapsSupport().enabled;
  const type = !transforms ? 'StrippedTypeScript' : `TransformedTypeScript${withMap ? 'WithSourceMaps' : ''}`;
  const cache = loader.isLoaded('#module/compile_cache') && filename !== undefined
    ? require('#module/compile_cache') : undefined;
  const known = cache?.isEnabled() ? cache.transpiled(type, filename, source) : undefined;
  if (known !== undefined) return known;
  const made = run(source, { mode: transforms ? 'transform' : 'strip-only', filename, sourceMap: withMap });
  const result = withMap ? withInlineMap(made) : made.code;
  if (cache?.isEnabled()) cache.saveTranspiled(type, filename, source, result);
  return result;
}

/** module.stripTypeScriptTypes */
function stripTypeScriptTypes(code, options = {}) {
  const { validateBoolean, validateString, validateObject, validateOneOf } = require('#internal/validators');
  validateString(code, 'code');
  validateObject(options, 'options');
  const { mode = 'strip', sourceUrl = '', sourceMap = false } = options;
  validateOneOf(mode, 'options.mode', ['strip', 'transform']);
  validateString(sourceUrl, 'options.sourceUrl');
  if (mode === 'strip') {
    validateOneOf(sourceMap, 'options.sourceMap', [false, undefined]);
    const { code: text } = run(code, {});
    return sourceUrl ? `${text}\n\n//# sourceURL=${sourceUrl}` : text;
  }
  validateBoolean(sourceMap, 'options.sourceMap');
  const made = run(code, { mode: 'transform', sourceMap, filename: sourceUrl });
  if (sourceMap) return withInlineMap(made);
  return sourceUrl ? `${made.code}\n\n//# sourceURL=${sourceUrl}` : made.code;
}

module.exports = { strip, stripTypeScriptTypes };
