'use strict';

// `gyre serve FILE [--port N] [--host H] [--unix PATH] [--grace SECONDS]`

const { parseArgs } = require('util');
const path = require('path');

const usage = `Usage: gyre serve FILE [options]

Serves a module that exports \`default { fetch(request) }\`.

  --port N         the port to listen on; 0 takes a free one (default: the module's "port", else $PORT, else 8000)
  --host H         the address to listen on (default: the module's "hostname", else 0.0.0.0)
  --unix PATH      listen on a Unix domain socket instead
  --grace SECONDS  how long requests may take to finish after SIGTERM (default 30)

Sockets that systemd passes (LISTEN_FDS) are used before any of these.`;

/** Prints why, and ends with the status of a bad command line. */
function refuse(message) {
  process._rawDebug(`gyre serve: ${message}\n\n${usage}`);
  process.reallyExit(9);
}

function parse(args) {
  let parsed;
  try {
    parsed = parseArgs({
      args,
      allowPositionals: true,
      options: {
        port: { type: 'string', short: 'p' }, host: { type: 'string' }, hostname: { type: 'string' },
        unix: { type: 'string' }, grace: { type: 'string' }, help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    return refuse(error.message);
  }
  const { values, positionals } = parsed;
  if (values.help) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  if (positionals.length === 0) return refuse('which file?');
  const port = values.port === undefined ? undefined : Number(values.port);
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65535)) {
    return refuse(`--port must be 0 to 65535, not '${values.port}'`);
  }
  const grace = values.grace === undefined ? 30 : Number(values.grace);
  if (!(grace >= 0)) return refuse(`--grace must be a number of seconds, not '${values.grace}'`);
  return { file: positionals[0], rest: positionals.slice(1), port, host: values.host ?? values.hostname, unix: values.unix, grace };
}

/** Descriptors that systemd passed to this very process (sd_listen_fds(3)). */
function inheritedSockets() {
  const count = Number(process.env.LISTEN_FDS);
  if (Number(process.env.LISTEN_PID) !== process.pid || !(count > 0)) return [];
  delete process.env.LISTEN_PID;
  delete process.env.LISTEN_FDS;
  delete process.env.LISTEN_FDNAMES;
  return Array.from({ length: count }, (_, index) => ({ fd: 3 + index }));
}

function whereToListen(options, app) {
  const inherited = inheritedSockets();
  if (inherited.length > 0) return inherited;
  const unix = options.unix ?? (options.port === undefined ? app.unix : undefined);
  if (unix !== undefined) return [{ path: unix }];
  const port = options.port ?? app.port ?? (process.env.PORT ? Number(process.env.PORT) : 8000);
  return [{ port: Number(port), host: options.host ?? app.hostname ?? '0.0.0.0' }];
}

function describe(address) {
  if (typeof address === 'string') return `unix:${address}`;
  if (address === null) return 'an inherited socket';
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}/`;
}

/** SIGTERM or SIGINT: no new connections, what runs is finished, after the grace the rest is cut. A second signal ends at once. */
function drainOnSignals(servers, state, grace) {
  const drain = (signal) => {
    if (state.draining) process.exit(1);
    state.draining = true;
    console.error(`${signal}: finishing what runs`);
    let open = servers.length;
    for (const server of servers) {
      server.close(() => {
        if (--open === 0) process.exit(0);
      });
      server.closeIdleConnections();
    }
    setTimeout(() => {
      console.error(`${grace} s are over: closing what is left`);
      for (const server of servers) server.closeAllConnections();
    }, grace * 1000).unref();
  };
  process.on('SIGTERM', drain);
  process.on('SIGINT', drain);
}

async function start(options) {
  const { createHandler, Response } = require('#serve/handler');
  const { pathToFileURL } = require('url');
  Object.defineProperty(globalThis, 'Response', {
    __proto__: null, value: Response, writable: true, enumerable: false, configurable: true,
  });
  const file = path.resolve(options.file);
  process.argv = [process.argv[0], file, ...options.rest];
  const namespace = await require('#module/esm').importUrl(pathToFileURL(file).href, undefined, {}, undefined);
  const app = namespace.default;
  if (app === null || typeof app !== 'object' || typeof app.fetch !== 'function') {
    process._rawDebug(`gyre serve: ${options.file} must export \`default { fetch(request) { ... } }\``);
    process.exit(1);
  }
  const http = require('http');
  const state = { base: 'localhost', draining: false };
  const handler = createHandler(app, state);
  const { setDirect } = require('#http/native_server');
  const servers = whereToListen(options, app).map((where) => {
    const server = http.createServer(handler.onRequest);
    setDirect(server, handler.direct);
    server.on('error', (error) => {
      process._rawDebug(`gyre serve: ${error.message}`);
      process.exit(1);
    });
    server.listen(where, () => {
      const address = server.address();
      if (address !== null && typeof address === 'object') state.base = `localhost:${address.port}`;
      console.log(`Listening on ${describe(address)}`);
    });
    return server;
  });
  drainOnSignals(servers, state, options.grace);
}

/** @param {string[]} args what follows `serve` */
function main(args) {
  const options = parse(args);
  const { triggerUncaughtException } = require('#process/task_queues');
  start(options).catch((error) => triggerUncaughtException(error, false));
}

module.exports = { main };
