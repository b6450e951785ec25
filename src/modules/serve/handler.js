'use strict';

// A request in, a Response out: the listener of 'request' for a module's fetch().

const { answerLines } = require('#http/native_response');
const { Request } = require('#serve/request');
const { Response, partsOf, isLazy, lineOf } = require('#serve/response');
const { Response: FullResponse } = require('#web/fetch');

/** What a handler is told besides the request. */
class Info {
  #req;
  constructor(req) {
    this.#req = req;
  }
  get remoteAddr() {
    const { remoteAddress, remotePort } = this.#req.socket;
    return { transport: 'tcp', hostname: remoteAddress, port: remotePort };
  }
}

/** The body in pieces, as fast as the client takes them; stops when it goes away. */
async function sendStream(res, stream) {
  const reader = stream.getReader();
  let closed = false;
  let wake;
  res.once('close', () => {
    closed = true;
    wake?.();
    if (!res.writableFinished) reader.cancel(new Error('The client went away')).catch(() => {});
  });
  for (;;) {
    const { done, value } = await reader.read();
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
  let hasType = false;
  for (let i = 0; i < pairs.length; i += 2) {
    const name = pairs[i];
    if (name === 'content-type') hasType = true;
    if (res.hasHeader(name)) res.appendHeader(name, pairs[i + 1]);
    else res.setHeader(name, pairs[i + 1]);
  }
  if (type !== undefined && !hasType) res.setHeader('content-type', type);
}

/** Header fields as they go out, with the type of the body where none was given. */
function linesOf(pairs, type) {
  let text = '';
  let hasType = false;
  for (let i = 0; i < pairs.length; i += 2) {
    const name = pairs[i];
    if (name === 'content-type') hasType = true;
    // What frames the message is not for the user to say.
    if (name === 'content-length' || name === 'transfer-encoding' || name === 'connection' || name === 'date') return null;
    text += lineOf(name, pairs[i + 1]);
  }
  return type !== undefined && !hasType ? `${text}content-type: ${type}\r\n` : text;
}

function send(res, response) {
  const parts = partsOf(response);
  if (parts !== undefined) {
    if (parts.headers === undefined && parts.statusText === '') {
      const text = linesOf(parts.pairs, parts.type);
      if (text !== null && answerLines(res, parts.status, text, parts.body ?? '')) return undefined;
    }
    if (parts.status !== 200) res.statusCode = parts.status;
    if (parts.statusText !== '') res.statusMessage = parts.statusText;
    if (parts.headers !== undefined) setHeaders(res, parts.headers);
    else setPairs(res, parts.pairs, parts.type);
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
 * @returns {(req: import('http').IncomingMessage, res: import('http').ServerResponse) => void}
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
    res.statusCode = 500;
    res.statusMessage = '';
    console.error(error);
    res.setHeader('content-type', 'text/plain;charset=UTF-8');
    res.end('Internal Server Error');
  }

  function recover(res, error) {
    if (typeof onError !== 'function' || res.headersSent) {
      fail(res, error);
      return;
    }
    Promise.resolve(error).then(onError.bind(app)).then((response) => send(res, response)).catch((second) => fail(res, second));
  }

  function finish(res, response) {
    try {
      const sending = send(res, response);
      if (sending !== undefined) sending.catch((error) => fail(res, error));
    } catch (error) {
      recover(res, error);
    }
  }

  return function onRequest(req, res) {
    if (state.draining) res.setHeader('connection', 'close');
    const request = new Request(req, res, state.base);
    let result;
    try {
      result = app.fetch(request, new Info(req));
    } catch (error) {
      recover(res, error);
      return;
    }
    if (isLazy(result)) {
      finish(res, result);
      return;
    }
    Promise.resolve(result).then((response) => finish(res, response), (error) => recover(res, error));
  };
}

module.exports = { createHandler, Response };
