'use strict';

// The Request of `gyre serve`: over the IncomingMessage, made full (Fetch Standard, 5.4) only when a handler asks for what
// only a full one has.

const { Request: FullRequest, Headers } = require('#web/fetch');
const { beginExchange } = require('#http/native_server');

const kConnection = Symbol('connection'); // with kBlock, its header block: where message and answer are made from
const kBlock = Symbol('block');
const kMethod = Symbol('method');
const kTarget = Symbol('target');
const kMessage = Symbol('message');
const kAnswer = Symbol('answer');
const kBase = Symbol('base');
const kUrl = Symbol('url');
const kHeaders = Symbol('headers');
const kFull = Symbol('full');
const kController = Symbol('controller');
const kUsed = Symbol('used');

/** A target, and a host, that mean the same to a URL as they stand. */
const plainTarget = /^\/(?!\/)(?:[A-Za-z0-9_~!$&()*+,;=:@/-]|\.(?![./?]|$))*(?:\?[A-Za-z0-9_~!$&()*+,;=:@/?.%-]*)?$/;
const plainHost = /^[A-Za-z0-9._-]+(?::\d{1,5})?$/;
let lastHost;
let lastOrigin;

/** @returns {string | undefined} `http://host` as a URL writes it; undefined where that takes a look at the whole */
function originOf(host) {
  if (host !== lastHost) {
    lastOrigin = plainHost.test(host) ? new URL(`http://${host}`).origin : undefined;
    lastHost = host;
  }
  return lastOrigin;
}

class Request {
  /**
   * A request of which nothing has been made (setDirect in native_server.js), or one with a message and an answer.
   * @param {string} base where it is when there is no Host
   */
  constructor(connection, method, target, block, message, answer, base) {
    this[kConnection] = connection;
    this[kBlock] = block;
    this[kMethod] = method;
    this[kTarget] = target;
    this[kMessage] = message;
    this[kAnswer] = answer;
    this[kBase] = base;
    this[kUrl] = undefined;
    this[kHeaders] = undefined;
    this[kFull] = undefined;
    this[kController] = undefined;
    this[kUsed] = false;
  }

  get method() { return this[kMethod]; }

  get url() {
    if (this[kUrl] === undefined) {
      const url = this[kTarget];
      const host = hostOf(this);
      const origin = originOf(host);
      if (origin !== undefined && plainTarget.test(url)) this[kUrl] = origin + url;
      else if (url[0] === '/') this[kUrl] = new URL(`http://${host}${url}`).href;
      else this[kUrl] = URL.canParse(url) ? new URL(url).href : `http://${host}/`;
    }
    return this[kUrl];
  }

  get headers() {
    if (this[kHeaders] === undefined) {
      const headers = new Headers();
      const rawHeaders = rawHeadersOf(this);
      for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i], rawHeaders[i + 1]);
      this[kHeaders] = headers;
    }
    return this[kHeaders];
  }

  /** Aborted when the client goes away before it has its answer. */
  get signal() { return controllerOf(this).signal; }

  get body() { return hasBody(this) ? full(this).body : null; }
  get bodyUsed() { return this[kUsed] || (this[kFull] !== undefined && this[kFull].bodyUsed); }

  get cache() { return 'default'; }
  get credentials() { return 'same-origin'; }
  get destination() { return ''; }
  get duplex() { return 'half'; }
  get integrity() { return ''; }
  get isHistoryNavigation() { return false; }
  get isReloadNavigation() { return false; }
  get keepalive() { return false; }
  get mode() { return 'cors'; }
  get redirect() { return 'follow'; }
  get referrer() { return 'about:client'; }
  get referrerPolicy() { return ''; }

  clone() { return full(this).clone(); }
  blob() { return full(this).blob(); }
  formData() { return full(this).formData(); }
  async text() { return (await collect(this)).toString('utf8'); }
  async json() { return JSON.parse((await collect(this)).toString('utf8')); }
  async bytes() { return new Uint8Array(await collect(this)); }
  async arrayBuffer() { return new Uint8Array(await collect(this)).buffer; }
}

Object.setPrototypeOf(Request.prototype, FullRequest.prototype);
Object.defineProperty(Request.prototype, 'constructor', {
  __proto__: null, value: FullRequest, writable: true, configurable: true,
});

/** The IncomingMessage and the ServerResponse, made now if nobody needed them before. */
function exchangeOf(request) {
  if (request[kAnswer] === null) {
    const connection = request[kConnection];
    connection.pending = null;
    const answer = beginExchange(connection, request[kMethod], request[kTarget], request[kBlock]);
    request[kAnswer] = answer;
    request[kMessage] = answer.req;
  }
  return request[kAnswer];
}

function connectionOf(request) {
  return request[kConnection];
}

/** Whether nothing was made for it so far: it may be answered by answerDirect(). */
function isUntouched(request) {
  return request[kAnswer] === null && !request[kConnection].closing;
}

/** @returns {string[]} names and values, not to be changed */
function rawHeadersOf(request) {
  return request[kAnswer] === null ? request[kConnection].parsedBlock(request[kBlock]) : request[kMessage].rawHeaders;
}

function hostOf(request) {
  if (request[kAnswer] !== null) return request[kMessage].headers.host ?? request[kBase];
  const raw = request[kConnection].parsedBlock(request[kBlock]);
  for (let i = 0; i < raw.length; i += 2) {
    if (raw[i].length === 4 && raw[i].toLowerCase() === 'host') return raw[i + 1];
  }
  return request[kBase];
}

function hasBody(request) {
  if (request[kAnswer] === null) return false;
  const { headers } = request[kMessage];
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}

function controllerOf(request) {
  if (request[kController] === undefined) {
    const controller = new AbortController();
    const answer = exchangeOf(request);
    request[kController] = controller;
    if (answer.destroyed) controller.abort();
    else answer.once('close', () => {
      if (!answer.writableFinished) controller.abort();
    });
  }
  return request[kController];
}

/** @param {Request} request */
function full(request) {
  if (request[kFull] === undefined) {
    if (request[kUsed]) throw new TypeError('Body is unusable: Body has already been read');
    const { Readable } = require('stream');
    const message = exchangeOf(request).req;
    request[kFull] = new FullRequest(request.url, {
      method: message.method,
      headers: request.headers,
      body: hasBody(request) && message.method !== 'GET' && message.method !== 'HEAD' ? Readable.toWeb(message) : undefined,
      duplex: 'half',
      signal: controllerOf(request).signal,
    });
  }
  return request[kFull];
}

/** The whole body, without a web stream where nobody asked for one. @returns {Promise<Buffer>} */
async function collect(request) {
  if (request[kFull] !== undefined) return Buffer.from(await request[kFull].arrayBuffer());
  if (request[kUsed]) throw new TypeError('Body is unusable: Body has already been read');
  request[kUsed] = true;
  if (!hasBody(request)) return Buffer.alloc(0);
  const parts = [];
  for await (const part of request[kMessage]) parts.push(part);
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}

module.exports = { Request, connectionOf, exchangeOf, isUntouched };
