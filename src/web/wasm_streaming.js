'use strict';

// Feeds V8's streaming compiler from a Response (WebAssembly Web API, "compile a potential WebAssembly response").

/** The Response that a source is or resolves to, if its body can be a module. */
async function checkedResponse(source) {
  const {
    codes: { ERR_INVALID_ARG_TYPE, ERR_WEBASSEMBLY_RESPONSE },
  } = require('#internal/errors');
  const response = await source;
  if (!(response instanceof require('#web/undici').Response)) {
    throw new ERR_INVALID_ARG_TYPE('source', ['Response', 'Promise resolving to Response'], response);
  }
  const type = response.headers.get('Content-Type');
  if (type !== 'application/wasm') throw new ERR_WEBASSEMBLY_RESPONSE(`has unsupported MIME type '${type}'`);
  if (!response.ok) throw new ERR_WEBASSEMBLY_RESPONSE(`has status code ${response.status}`);
  if (response.bodyUsed) throw new ERR_WEBASSEMBLY_RESPONSE('body has already been used');
  return response;
}

async function feed(sink, source) {
  const response = await checkedResponse(source);
  if (response.url) sink.setUrl(response.url);
  for await (const chunk of response.body ?? []) sink.push(chunk);
  sink.finish();
}

/** Called by the native half with a sink and what the program gave. */
function read(sink, source) {
  feed(sink, source).catch((error) => sink.abort(error));
}

module.exports = { read };
