'use strict';
// Who answers import() in code that vm compiled.

const {
  codes: {
    ERR_INVALID_ARG_TYPE, ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG, ERR_VM_MODULE_NOT_MODULE, ERR_VM_MODULE_STATUS,
  },
} = require('#internal/errors');

const USE_MAIN_CONTEXT_DEFAULT_LOADER = Symbol('vm_dynamic_import_main_context_default');
// The same for the core's own scripts (the prompt): nobody asked for what is experimental.
const kMainContextLoader = Symbol('kMainContextLoader');
// The compiled code has no way to import(): asking rejects with ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING.
const kNoImporter = Symbol('vm_dynamic_import_missing');

/**
 * The symbol by which the module loader finds who answers import() in the code to be compiled.
 * @param {Function | symbol | undefined} importModuleDynamically
 * @param {() => unknown} referrer what the callback is told it was that imported
 */
function importerIdOf(importModuleDynamically, name, referrer) {
  if (importModuleDynamically === undefined) return kNoImporter;
  if (importModuleDynamically === USE_MAIN_CONTEXT_DEFAULT_LOADER) {
    require('#internal/util').emitExperimentalWarning('vm.USE_MAIN_CONTEXT_DEFAULT_LOADER');
    return undefined;
  }
  if (importModuleDynamically === kMainContextLoader) return undefined;
  if (typeof importModuleDynamically !== 'function') {
    throw new ERR_INVALID_ARG_TYPE('options.importModuleDynamically', 'function', importModuleDynamically);
  }
  const id = Symbol(name);
  const { importers } = require('#module/esm');
  importers.set(id, async (specifier, attributes) => {
    if (!require('#runtime/options').getOptionValue('--experimental-vm-modules')) {
      throw new ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG();
    }
    const { isModule, namespaceOf } = require('#vm/modules');
    const args = [specifier, referrer(), attributes, 'evaluation'];
    const module = await Reflect.apply(importModuleDynamically, undefined, args);
    if (isModule(module)) {
      if (module.status === 'errored') throw module.error;
      if (module.status === 'unlinked' || module.status === 'linking') {
        throw new ERR_VM_MODULE_STATUS('must be linked, evaluating, or evaluated');
      }
      return namespaceOf(module);
    }
    if (module === null || typeof module !== 'object' ||
        !require('util').types.isModuleNamespaceObject(module)) {
      throw new ERR_VM_MODULE_NOT_MODULE();
    }
    return module;
  });
  return id;
}

module.exports = { USE_MAIN_CONTEXT_DEFAULT_LOADER, importerIdOf, kMainContextLoader };
