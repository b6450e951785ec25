'use strict';

// URLPattern (URL Pattern Standard) is not there yet: the name exists, and says so when used.

const { codes: { ERR_METHOD_NOT_IMPLEMENTED } } = require('#internal/errors');

class URLPattern {
  constructor() {
    throw new ERR_METHOD_NOT_IMPLEMENTED('URLPattern()');
  }
}

module.exports = { URLPattern };
