'use strict';

const { kHighWaterMark, kUniqueHeaders, OutgoingMessage } = require('#http/outgoing');
const { parseUniqueHeadersOption, validateHeaderName, validateHeaderValue } = require('#http/header_rules');

module.exports = {
  kHighWaterMark,
  kUniqueHeaders,
  parseUniqueHeadersOption,
  validateHeaderName,
  validateHeaderValue,
  OutgoingMessage,
};
