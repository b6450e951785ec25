'use strict';

// fetch and the classes around it, WebSocket, EventSource and their events: undici's, loaded when first used.

const undici = require('~undici');

/** The global fetch: undici's, with the caller in the stack of its errors. */
function fetch(input, init = undefined) {
  return undici.fetch(input, init).catch((error) => {
    if (error && typeof error === 'object') Error.captureStackTrace(error);
    return Promise.reject(error);
  });
}

const {
  FormData, Headers, Request, Response, MessageEvent, CloseEvent, ErrorEvent, WebSocket, EventSource,
} = undici;

module.exports = {
  fetch, FormData, Headers, Request, Response, MessageEvent, CloseEvent, ErrorEvent, WebSocket, EventSource,
};
