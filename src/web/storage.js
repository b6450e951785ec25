'use strict';

// Web storage (HTML, "Web storage"), behind --experimental-webstorage: `localStorage` in the file of --localstorage-file,
// `sessionStorage` in memory. The class and its items are native.

const { createStorage, storageClass } = binding('web_storage');
const { codes: { ERR_INVALID_ARG_VALUE } } = require('#internal/errors');
const { emitExperimentalWarning } = require('#internal/util');

emitExperimentalWarning('Web Storage');

let local;
let session;

module.exports = {
  Storage: storageClass(),

  get localStorage() {
    if (local === undefined) {
      const file = require('#runtime/options').getOptionValue('--localstorage-file') ?? '';
      if (file === '') {
        throw new ERR_INVALID_ARG_VALUE('--localstorage-file', file, 'is an invalid localStorage location');
      }
      local = createStorage(file);
    }
    return local;
  },

  get sessionStorage() {
    return session ??= createStorage(':memory:');
  },
};
