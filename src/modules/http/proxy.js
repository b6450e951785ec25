'use strict';

// Proxies for http.Agent and https.Agent: which one a request goes through (the option `proxyEnv`, or the environment
// with --use-env-proxy), how a plain request is written for it (RFC 9112, 3.2.2), and the tunnel of a secure one
// (RFC 9110, 9.3.6).

const {
  codes: { ERR_INVALID_CHAR, ERR_PROXY_INVALID_CONFIG, ERR_PROXY_TUNNEL },
  ConnResetException,
} = require('#internal/errors');
const { kProxyConfig, kTunnel } = require('#http/proxy_symbols');

const kNames = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY'];

// --- configuration --------------------------------------------------------------------------------------------------

/** An entry of NO_PROXY as a test of (host, port). */
function parseBypass(entry) {
  const text = entry.toLowerCase();
  if (text === '*') return () => true;
  const range = /^([\d.]+)-([\d.]+)$/.exec(text);
  if (range !== null) {
    const [first, last] = [ipv4Number(range[1]), ipv4Number(range[2])];
    return (host) => {
      const number = ipv4Number(host);
      return number !== undefined && number >= first && number <= last;
    };
  }
  const [, name, wantedPort] = /^(.+?)(?::(\d+))?$/.exec(bracketed(text));
  const matches = matchName(bare(name));
  return (host, port) => (wantedPort === undefined || Number(wantedPort) === port) && matches(host);
}

function matchName(name) {
  if (name.startsWith('*.')) return (host) => host.endsWith(name.slice(1));
  if (name.startsWith('.')) return (host) => host.endsWith(name) || host === name.slice(1);
  return (host) => host === name;
}

/** @returns {number | undefined} */
function ipv4Number(text) {
  if (!require('net').isIPv4(text)) return undefined;
  return text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** An IPv6 address without its brackets. */
const bare = (host) => (host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host);
const bracketed = (host) => (require('net').isIPv6(host) ? `[${host}]` : host);

class ProxyConfig {
  #bypass;

  /** @param {string} text the proxy's URL, which may hold a user's name and password */
  constructor(text, noProxy) {
    const url = /[\r\n]/.test(text) ? null : URL.parse(text);
    if (url === null) throw new ERR_PROXY_INVALID_CONFIG(`Invalid proxy URL: ${text}`);
    this.href = text;
    this.protocol = url.protocol;
    if (url.username || url.password) {
      const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
      this.auth = `Basic ${Buffer.from(credentials).toString('base64')}`;
    }
    this.bypassList = noProxy ? noProxy.split(',').map((entry) => entry.trim()).filter(Boolean) : [];
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    this.proxyConnectionOptions = { host: bare(url.hostname), port };
    this.#bypass = this.bypassList.map(parseBypass);
  }

  /** Whether a request to that host goes through the proxy. */
  isFor(host, port) {
    host = bare(String(host ?? 'localhost').toLowerCase());
    return !this.#bypass.some((matches) => matches(host, Number(port)));
  }

  /** The URL without the password, for messages. */
  get #shown() {
    if (this.auth === undefined) return this.href;
    const url = new URL(this.href);
    url.username = url.password = '';
    return url.href;
  }

  failure(target, reason) {
    return new ERR_PROXY_TUNNEL(`Failed to establish tunnel to ${target} via ${this.#shown}: ${reason}`);
  }
}

/** @returns {ProxyConfig | null} what an agent's option `proxyEnv` says about its protocol */
function parseProxyEnv(env, protocol) {
  if (env === null || typeof env !== 'object') return null;
  const text = protocol === 'https:' ? env.https_proxy || env.HTTPS_PROXY : env.http_proxy || env.HTTP_PROXY;
  if (!text || !/^https?:\/\//.test(text)) return null;
  return new ProxyConfig(String(text), env.no_proxy || env.NO_PROXY);
}

let environment;

/**
 * The variables of the environment that name proxies, as they were when first asked for.
 * @returns {object | undefined} undefined without --use-env-proxy
 */
function proxyEnvironment() {
  if (!require('#runtime/options').getOptionValue('--use-env-proxy')) return undefined;
  if (environment === undefined) {
    environment = { __proto__: null };
    for (const name of kNames) environment[name] = process.env[name];
  }
  return environment;
}

/** What the options of a global agent hold more when proxies come from the environment. */
function globalAgentOptions() {
  const proxyEnv = proxyEnvironment();
  return proxyEnv === undefined ? undefined : { proxyEnv };
}

/** For a program that starts with --use-env-proxy: what is wrong is said at once, and fetch() gets its proxies. */
function setUp() {
  const env = proxyEnvironment();
  const httpProxy = env.http_proxy || env.HTTP_PROXY;
  const httpsProxy = env.https_proxy || env.HTTPS_PROXY;
  for (const protocol of ['http:', 'https:']) parseProxyEnv(env, protocol);
  if (!httpProxy && !httpsProxy) return;
  const { EnvHttpProxyAgent, setGlobalDispatcher } = /** @type {any} */ (require('#web/undici'));
  setGlobalDispatcher(new EnvHttpProxyAgent({
    httpProxy, httpsProxy, noProxy: env.no_proxy || env.NO_PROXY || '', proxyTunnel: true,
  }));
}

// --- plain requests -------------------------------------------------------------------------------------------------

/** @returns {ProxyConfig | undefined} the proxy of a request that is written for it instead of tunnelled */
function plainProxyOf(agent, protocol, { host, port, socketPath }) {
  const config = agent?.[kProxyConfig];
  if (!config || protocol !== 'http:' || socketPath || !config.isFor(host, port)) return undefined;
  return config;
}

/** Makes the request's path the whole URL. */
function rewriteTarget(req, { host, port }) {
  if (req.method === 'CONNECT' || /^https?:\/\//.test(req.path)) return;
  const field = req.getHeader('host');
  const name = field === undefined ? bracketed(host) : String(field).replace(/:\d*$/, '');
  const authority = Number(port) === 80 ? name : `${name}:${port}`;
  if (/[^\x21-\x7e]|[/?#@\\]/.test(authority)) throw new ERR_INVALID_CHAR('request target', 'host');
  // OPTIONS of the server as a whole has no path (RFC 9112, 3.2.4).
  const path = req.path === '*' ? '' : req.path.startsWith('/') ? req.path : `/${req.path}`;
  req.path = `http://${authority}${path}`;
}

/** The fields that tell the proxy who asks, and what becomes of the connection. */
function proxyFields(req, config) {
  const fields = config.auth === undefined ? [] : [['proxy-authorization', config.auth]];
  fields.push(['proxy-connection', req.shouldKeepAlive ? 'keep-alive' : 'close']);
  return fields;
}

/**
 * Writes a request for a proxy, whose own fields are set already.
 * @param {unknown[] | undefined} headers those of a request that gave an array: it is sent as it is
 * @returns {unknown[] | undefined} the array with the proxy's fields
 */
function rewriteRequest(req, config, options, headers) {
  rewriteTarget(req, options);
  const fields = proxyFields(req, config);
  if (headers !== undefined) return [...headers, ...(Array.isArray(headers[0]) ? fields : fields.flat())];
  for (const [name, value] of fields) req.setHeader(name, value);
  return undefined;
}

// --- connections ----------------------------------------------------------------------------------------------------

/** Opens a connection to the proxy itself. */
function connectToProxy(agent, config, options) {
  const { host, port } = config.proxyConnectionOptions;
  if (config.protocol === 'https:') {
    const { ca, keepAlive, keepAliveInitialDelay, lookup, noDelay } = options;
    const servername = require('net').isIP(host) ? '' : host;
    /** @type {any} */
    const secure = { host, port, servername, ca, keepAlive, keepAliveInitialDelay, lookup, noDelay };
    return require('tls').connect({ ...secure, ALPNProtocols: ['http/1.1'] });
  }
  const plain = { ...options, host, port, path: null, servername: undefined };
  return agent.protocol === 'https:' ? require('net').connect(plain) : agent.createConnection(plain);
}

/**
 * What Agent.prototype.createSocket asks for a connection, when the agent has a proxy.
 * @param {(error: Error | null, socket?: import('net').Socket) => void} done
 * @returns the connection, or undefined if it comes by `done`
 */
function connect(agent, req, options, done) {
  const config = agent[kProxyConfig];
  if (options.socketPath || !config.isFor(options.host, options.port)) return agent.createConnection(options, done);
  if (agent.protocol !== 'https:') return connectToProxy(agent, config, options);
  const target = `${bracketed(options.host)}:${options.port}`;
  if (/[^\x21-\x7e]/.test(target)) throw new ERR_INVALID_CHAR('tunnel target', 'host');
  openTunnel(connectToProxy(agent, config, options), { config, req, options, target }, (error, socket) => {
    if (error) done(error);
    else done(null, agent.createConnection({ ...options, socket, path: null }));
  });
  return undefined;
}

function requestOfTunnel({ config, req, target }) {
  let text = `CONNECT ${target} HTTP/1.1\r\n`;
  if (req.shouldKeepAlive) text += 'proxy-connection: keep-alive\r\n';
  if (config.auth !== undefined) text += `proxy-authorization: ${config.auth}\r\n`;
  return `${text}host: ${target}\r\n\r\n`;
}

/** Asks the proxy for a tunnel; `done` gets the connection once it leads to the target. */
function openTunnel(socket, tunnel, done) {
  const { config, req, options, target } = tunnel;
  const limit = req.maxHeaderSize || require('http').maxHeaderSize;
  let received = Buffer.alloc(0);
  const timeout = req.timeout ?? options.timeout;

  function finish(error) {
    for (const [event, listener] of listeners) socket.removeListener(event, listener);
    req[kTunnel] = undefined;
    if (timeout) socket.setTimeout(0);
    if (error === null) return void done(null, socket);
    socket.on('error', () => {});  // what still goes wrong with it does not matter
    socket.destroy();
    done(error);
  }
  function onData(chunk) {
    received = Buffer.concat([received, chunk]);
    const end = received.indexOf('\r\n\r\n');
    if (end === -1) {
      if (received.length > limit) finish(config.failure(target, 'the header of the answer is too large'));
      return;
    }
    const statusLine = received.toString('latin1', 0, received.indexOf('\r\n'));
    const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine)?.[1]);
    if (status === 200 && received.length === end + 4) return finish(null);
    // The target speaks second in TLS: bytes behind the header are the proxy's own, and none of ours.
    const error = config.failure(target, status === 200 ? 'data before the handshake' : statusLine);
    error.statusCode = status;
    finish(error);
  }
  function onEnd() {
    if (req.destroyed) return finish(Reflect.construct(ConnResetException, ['socket hang up']));
    finish(new ERR_PROXY_TUNNEL('Connection to establish proxy tunnel ended unexpectedly'));
  }
  function onTimeout() {
    const error = new ERR_PROXY_TUNNEL(`Connection to establish proxy tunnel timed out after ${timeout}ms`);
    req.emit('timeout');
    finish(Object.assign(error, { proxyTunnelTimeout: timeout }));
  }
  const listeners = [
    ['connect', () => { if (config.protocol === 'http:') socket.write(requestOfTunnel(tunnel)); }],
    ['secureConnect', () => socket.write(requestOfTunnel(tunnel))],
    ['data', onData], ['end', onEnd], ['close', onEnd], ['error', finish], ['timeout', onTimeout],
  ];
  for (const [event, listener] of listeners) socket.on(event, listener);
  if (timeout) socket.setTimeout(timeout);
  req[kTunnel] = socket;
}

module.exports = {
  connect,
  globalAgentOptions,
  parseProxyEnv,
  plainProxyOf,
  rewriteRequest,
  setUp,
};
