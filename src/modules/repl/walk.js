'use strict';

// Walks a syntax tree of acorn's, which are objects with a `type` whose other properties hold nodes or lists of them.

/**
 * Calls `visit(node, parent)` for `node` and what is below it, outermost first, in the order of the source.
 * Where it returns false the walk does not go deeper.
 */
function walk(node, visit, parent = undefined) {
  if (visit(node, parent) === false) return;
  for (const key of Object.keys(node)) {
    const value = node[key];
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item?.type === 'string') walk(item, visit, node);
    } else if (typeof value?.type === 'string') {
      walk(value, visit, node);
    }
  }
}

module.exports = { walk };
