'use strict';

// node:http2 is not there yet. It can be loaded, since libraries that offer HTTP/2 load it whether or not it is used;
// what would need it throws an error that names it.

const { codes: { ERR_METHOD_NOT_IMPLEMENTED } } = require('#internal/errors');

function missing(name) {
  return {
    [name]() {
      throw new ERR_METHOD_NOT_IMPLEMENTED(`http2.${name}()`);
    },
  }[name];
}

class Http2ServerRequest {
  constructor() {
    throw new ERR_METHOD_NOT_IMPLEMENTED('http2.Http2ServerRequest');
  }
}

class Http2ServerResponse {
  constructor() {
    throw new ERR_METHOD_NOT_IMPLEMENTED('http2.Http2ServerResponse');
  }
}

// The names of pseudo-headers and the error codes of RFC 9113 7, which programs read without a session.
const constants = {
  NGHTTP2_NO_ERROR: 0,
  NGHTTP2_PROTOCOL_ERROR: 1,
  NGHTTP2_INTERNAL_ERROR: 2,
  NGHTTP2_FLOW_CONTROL_ERROR: 3,
  NGHTTP2_SETTINGS_TIMEOUT: 4,
  NGHTTP2_STREAM_CLOSED: 5,
  NGHTTP2_FRAME_SIZE_ERROR: 6,
  NGHTTP2_REFUSED_STREAM: 7,
  NGHTTP2_CANCEL: 8,
  NGHTTP2_COMPRESSION_ERROR: 9,
  NGHTTP2_CONNECT_ERROR: 10,
  NGHTTP2_ENHANCE_YOUR_CALM: 11,
  NGHTTP2_INADEQUATE_SECURITY: 12,
  NGHTTP2_HTTP_1_1_REQUIRED: 13,
  HTTP2_HEADER_STATUS: ':status',
  HTTP2_HEADER_METHOD: ':method',
  HTTP2_HEADER_AUTHORITY: ':authority',
  HTTP2_HEADER_SCHEME: ':scheme',
  HTTP2_HEADER_PATH: ':path',
  HTTP2_HEADER_PROTOCOL: ':protocol',
};

module.exports = {
  connect: missing('connect'),
  constants,
  createServer: missing('createServer'),
  createSecureServer: missing('createSecureServer'),
  getDefaultSettings: missing('getDefaultSettings'),
  getPackedSettings: missing('getPackedSettings'),
  getUnpackedSettings: missing('getUnpackedSettings'),
  performServerHandshake: missing('performServerHandshake'),
  sensitiveHeaders: Symbol('sensitiveHeaders'),
  Http2ServerRequest,
  Http2ServerResponse,
};
