'use strict';

// A request in, a Response out: the listener of 'request' for a module's fetch().

const { Buffer } = require('buffer');
const { answerDirect, answerLines } = require('#http/native_response');
const { Request, connectionOf, exchangeOf, isUntouched } = require('#serve/request');
const { Response, partsOf, isLazy, linesOf, statusOf, bodyOf } = require('#serve/response');
const { Response: FullResponse } = require('#web/fetch');

/** What a handler is told besides the request. */
class Info {
  #request;
  constructor(request) {
    this.#request = request;
  }
  get remoteAddr() {
    const { remoteAddress, remotePort } = exchangeOf(this.#request).req.socket;
    return { transport: 'tcp', hostname: remoteAddress, port: remotePort };
  }
}

/** The body in pieces, as fast as the client takes them; stops when it goes away. */
async function sendStream(res, stream) {
  if (res.destroyed) {
    await stream.cancel(new Error('The client went away'));
    return;
  }
  const reader = stream.getReader();
  // A body that begins in this turn goes out with its head; nobody waits for the head of one that takes longer.
  const head = setImmediate(() => {
    if (!closed) res.flushHeaders();
  });
  let closed = false;
  let wake;
  res.once('close', () => {
    closed = true;
    wake?.();
    if (!res.writableFinished) reader.cancel(new Error('The client went away')).catch(() => {});
  });
  let reading = reader.read().finally(() => clearImmediate(head));
  for (;;) {
    const { done, value } = await reading;
    if (closed) return;
    if (done) break;
    if (!(value instanceof Uint8Array)) {
      throw new TypeError('A body must be a stream of Uint8Array');
    }
    if (!res.write(value)) {
      await new Promise((resolve) => {
        wake = resolve;
        res.once('drain', resolve);
      });
      if (closed) return;
    }
    reading = reader.read();
  }
  res.end();
}

function setHeaders(res, headers) {
  for (const [name, value] of headers) {
    if (name !== 'set-cookie') res.setHeader(name, value);
  }
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) res.setHeader('set-cookie', cookies);
}

function setPairs(res, pairs, type) {
  for (let i = 0; i < pairs.length; i += 2) {
    const name = pairs[i];
    if (res.hasHeader(name)) res.appendHeader(name, pairs[i + 1]);
    else res.setHeader(name, pairs[i + 1]);
  }
  if (type !== undefined) res.setHeader('content-type', type);
}

function send(res, response) {
  const parts = partsOf(response);
  if (parts !== undefined) {
    const text = linesOf(response);
    if (text !== null && answerLines(res, parts.status, text, parts.body ?? '')) return undefined;
    if (parts.status !== 200) res.statusCode = parts.status;
    if (parts.statusText !== '') res.statusMessage = parts.statusText;
    if (parts.headers !== undefined) setHeaders(res, parts.headers);
    else setPairs(res, parts.pairs, parts.type);
    // RFC 9110, 9.3.2: HEAD says the length of what GET would bring.
    if (res.req.method === 'HEAD' && parts.body !== null && !res.hasHeader('content-length')) {
      res.setHeader('content-length', Buffer.byteLength(parts.body));
    }
    if (parts.body === null) res.end();
    else res.end(parts.body);
    return undefined;
  }
  if (!(response instanceof FullResponse) && !isLazy(response)) {
    throw new TypeError('fetch() of the served module must return a Response');
  }
  if (response.bodyUsed) throw new TypeError('The body of this Response was read already');
  res.statusCode = response.status;
  if (response.statusText !== '') res.statusMessage = response.statusText;
  setHeaders(res, response.headers);
  if (response.body === null) {
    res.end();
    return undefined;
  }
  return sendStream(res, response.body);
}

/**
 * @param {{ fetch: Function, error?: Function, onError?: Function }} app
 * @param {{ base: string, draining: boolean }} state
 * @returns {{
 *   onRequest: (req: import('http').IncomingMessage, res: import('http').ServerResponse) => void,
 *   direct: { onRequest: Function, begin: Function },
 * }} a listener of 'request', and what setDirect() of native_server.js takes
 */
function createHandler(app, state) {
  const onError = app.error ?? app.onError;

  function fail(res, error) {
    if (res.headersSent || res.destroyed) {
      console.error(error);
      res.destroy();
      return;
    }
    for (const name of res.getHeaderNames()) res.removeHeader(name);
    if (state.draining) res.setHeader('connection', 'close');
    res.statusCode = 500;
    res.statusMessage = '';
    console.error(error);
    res.setHeader('content-type', 'text/plain;charset=UTF-8');
    res.end('Internal Server Error');
  }

  function deliver(res, response) {
    if (state.draining && !res.headersSent) res.setHeader('connection', 'close');
    return send(res, response);
  }

  function recover(res, error) {
    if (typeof onError !== 'function' || res.headersSent) {
      fail(res, error);
      return;
    }
    Promise.resolve(error).then(onError.bind(app)).then((response) => deliver(res, response)).catch((second) => fail(res, second));
  }

  function finish(res, response) {
    try {
      const sending = deliver(res, response);
      if (sending !== undefined) sending.catch((error) => fail(res, error));
    } catch (error) {
      recover(res, error);
    }
  }

  /** With nothing made for the request where it was not asked for, and the response is plain. */
  function answer(request, response) {
    if (isUntouched(request) && isLazy(response) && !state.draining) {
      const text = linesOf(response);
      const connection = connectionOf(request);
      connection.pending = null;
      if (text !== null && answerDirect(connection, statusOf(response), text, bodyOf(response) ?? '')) return;
    }
    finish(exchangeOf(request), response);
  }

  function handle(request) {
    let result;
    try {
      result = app.fetch(request, new Info(request));
    } catch (error) {
      recover(exchangeOf(request), error);
      return;
    }
    if (isLazy(result)) {
      answer(request, result);
      return;
    }
    if (isUntouched(request)) connectionOf(request).pending = request;
    Promise.resolve(result).then((response) => answer(request, response), (error) => recover(exchangeOf(request), error));
  }

  return {
    onRequest: (req, res) => handle(new Request(null, req.method, req.url, null, req, res, state.base)),
    direct: {
      onRequest: (connection, method, url, block) =>
        handle(new Request(connection, method, url, block, null, null, state.base)),
      begin: exchangeOf,
    },
  };
}

module.exports = { createHandler, Response };
