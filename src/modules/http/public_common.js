'use strict';

const common = require('#http/common');

module.exports = {
  _checkInvalidHeaderChar: common.checkInvalidHeaderChar,
  _checkIsHttpToken: common.checkIsHttpToken,
  chunkExpression: common.chunkExpression,
  continueExpression: common.continueExpression,
  CRLF: common.CRLF,
  freeParser: common.freeParser,
  methods: common.methods,
  parsers: common.parsers,
  kIncomingMessage: common.kIncomingMessage,
  HTTPParser: common.HTTPParser,
  isLenient: common.isLenient,
  prepareError: common.prepareError,
  kSkipPendingData: common.kSkipPendingData,
};
