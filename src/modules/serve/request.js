'use strict';

// The Request of `gyre serve`: over the IncomingMessage, made full (Fetch Standard, 5.4) only when a handler asks for what
// only a full one has.

const { Request: FullRequest, Headers } = require('#web/fetch');

const kMessage = Symbol('message');
const kAnswer = Symbol('answer');
const kBase = Symbol('base');
const kUrl = Symbol('url');
const kHeaders = Symbol('headers');
const kFull = Symbol('full');
const kController = Symbol('controller');
const kUsed = Symbol('used');

class Request {
  /**
   * @param {import('http').IncomingMessage} message
   * @param {import('http').ServerResponse} answer
   * @param {string} base where it is when there is no Host
   */
  constructor(message, answer, base) {
    this[kMessage] = message;
    this[kAnswer] = answer;
    this[kBase] = base;
    this[kUrl] = undefined;
    this[kHeaders] = undefined;
    this[kFull] = undefined;
    this[kController] = undefined;
    this[kUsed] = false;
  }

  get method() { return this[kMessage].method; }

  get url() {
    if (this[kUrl] === undefined) {
      const { url, headers } = this[kMessage];
      if (url[0] === '/') this[kUrl] = new URL(`http://${headers.host ?? this[kBase]}${url}`).href;
      else this[kUrl] = URL.canParse(url) ? new URL(url).href : `http://${headers.host ?? this[kBase]}/`;
    }
    return this[kUrl];
  }

  get headers() {
    if (this[kHeaders] === undefined) {
      const headers = new Headers();
      const { rawHeaders } = this[kMessage];
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

function hasBody(request) {
  const { headers } = request[kMessage];
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}

function controllerOf(request) {
  if (request[kController] === undefined) {
    const controller = new AbortController();
    const answer = request[kAnswer];
    request[kController] = controller;
    answer.once('close', () => {
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
    const message = request[kMessage];
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

module.exports = { Request };
