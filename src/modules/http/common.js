'use strict';

// What all of node:http shares: parsers and their pool, checks of names and values, small constants.

const native = binding('http');
const { HTTPParser } = native;
const { setImmediate } = require('timers');
const { IncomingMessage, readStart, readStop } = require('#http/incoming');

const CRLF = '\r\n';
const chunkExpression = /(?:^|\W)chunked(?:$|\W)/i;
const continueExpression = /(?:^|\W)100-continue(?:$|\W)/i;
const kIncomingMessage = Symbol('IncomingMessage');
const kSkipPendingData = Symbol('SkipPendingData');
const methods = native.methods.slice();

const tokenExpression = /^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/;
const invalidCharExpression = /[^\t\x20-\x7e\x80-\xff]/;

/** @param {string} value whether it is a token of RFC 9110 5.6.2 */
function checkIsHttpToken(value) {
  return tokenExpression.test(value);
}

/** @param {string} value whether something in it cannot stand in a field value */
function checkInvalidHeaderChar(value) {
  return invalidCharExpression.test(value);
}

// --- the parser's callbacks: `this` is the parser -------------------------------------------------------------------

const kOnMessageBegin = HTTPParser.kOnMessageBegin | 0;
const kOnHeaders = HTTPParser.kOnHeaders | 0;
const kOnHeadersComplete = HTTPParser.kOnHeadersComplete | 0;
const kOnBody = HTTPParser.kOnBody | 0;
const kOnMessageComplete = HTTPParser.kOnMessageComplete | 0;
const kOnExecute = HTTPParser.kOnExecute | 0;
const kOnTimeout = HTTPParser.kOnTimeout | 0;

/** Fields that do not come with the head: trailers. */
function parserOnHeaders(headers) {
  if (this.maxHeaderPairs <= 0 || this._headers.length < this.maxHeaderPairs) this._headers.push(...headers);
}

function parserOnHeadersComplete(major, minor, headers, method, url, status, reason, upgrade, keepAlive) {
  const { socket } = this;
  const Message = socket?.server?.[kIncomingMessage] || IncomingMessage;
  const incoming = (this.incoming = new Message(socket));
  incoming.httpVersionMajor = major;
  incoming.httpVersionMinor = minor;
  incoming.httpVersion = `${major}.${minor}`;
  incoming.joinDuplicateHeaders = socket?.server?.joinDuplicateHeaders || this.joinDuplicateHeaders;
  incoming.url = url ?? '';
  incoming.upgrade = upgrade;
  let count = headers.length;
  if (this.maxHeaderPairs > 0) count = Math.min(count, this.maxHeaderPairs);
  incoming._addHeaderLines(headers, count);
  if (typeof method === 'number') {
    incoming.method = methods[method];
  } else {
    incoming.statusCode = status;
    incoming.statusMessage = reason;
  }
  return this.onIncoming(incoming, keepAlive);
}

function parserOnBody(chunk) {
  const stream = this.incoming;
  if (stream === null) return;
  if (!stream._dumped && !stream.push(chunk)) {
    readStop(this.socket);
  }
}

function parserOnMessageComplete() {
  const stream = this.incoming;
  if (stream !== null) {
    stream.complete = true;
    const headers = this._headers;
    if (headers.length > 0) {
      stream._addHeaderLines(headers, headers.length);
      this._headers = [];
    }
    stream.push(null);
  }
  readStart(this.socket);
}

// --- the pool -------------------------------------------------------------------------------------------------------

const parsers = {
  name: 'parsers',
  max: 1000,
  list: [],
  alloc() {
    return this.list.length > 0 ? this.list.pop() : makeParser();
  },
  free(parser) {
    if (this.list.length >= this.max) return false;
    this.list.push(parser);
    return true;
  },
};

function resetParser(parser) {
  parser._headers = [];
  parser._consumed = false;
  parser.socket = null;
  parser.incoming = null;
  parser.outgoing = null;
  parser.maxHeaderPairs = 2000;
  parser.onIncoming = null;
  parser.joinDuplicateHeaders = null;
  parser[kOnMessageBegin] = null;
  parser[kOnExecute] = null;
  parser[kOnTimeout] = null;
}

function makeParser() {
  const parser = new HTTPParser();
  parser._url = '';
  resetParser(parser);
  parser[kOnHeaders] = parserOnHeaders;
  parser[kOnHeadersComplete] = parserOnHeadersComplete;
  parser[kOnBody] = parserOnBody;
  parser[kOnMessageComplete] = parserOnMessageComplete;
  return parser;
}

function closeParser(parser) {
  parser.close();
}

/** Gives a parser back. It may be on the stack: it is closed later, or kept for the next connection. */
function freeParser(parser, request, socket) {
  if (parser) {
    if (parser._consumed) parser.unconsume();
    parser.remove();
    resetParser(parser);
    if (parsers.free(parser)) parser.free();
    else setImmediate(closeParser, parser);
  }
  if (request) request.parser = null;
  if (socket) socket.parser = null;
}

/** @param {Error & { reason?: string }} error of a parser */
function prepareError(error, parser, rawPacket) {
  error.rawPacket = rawPacket || parser.getCurrentBuffer();
  if (typeof error.reason === 'string') error.message = `Parse Error: ${error.reason}`;
}

let warnedLenient = false;
/** Whether --insecure-http-parser was given. */
function isLenient() {
  const lenient = Boolean(require('#runtime/options').getOptionValue('--insecure-http-parser'));
  if (lenient && !warnedLenient) {
    warnedLenient = true;
    process.emitWarning('Using insecure HTTP parsing');
  }
  return lenient;
}

function lenientFlags(insecure) {
  return (insecure === undefined ? isLenient() : insecure) ? HTTPParser.kLenientAll : HTTPParser.kLenientNone;
}

/** The --max-http-header-size option. */
function getMaxHeaderSize() {
  return +(require('#runtime/options').getOptionValue('--max-http-header-size') || 16384);
}

module.exports = {
  CRLF,
  HTTPParser,
  checkInvalidHeaderChar,
  checkIsHttpToken,
  chunkExpression,
  continueExpression,
  freeParser,
  getMaxHeaderSize,
  isLenient,
  kIncomingMessage,
  kOnExecute,
  kOnMessageBegin,
  kSkipPendingData,
  lenientFlags,
  methods,
  parsers,
  prepareError,
};
