'use strict';
// https.Agent: connections are shared only between requests that trust the same things, and TLS sessions are kept so
// that the next handshake is shorter.

const http = require('http');
const tls = require('tls');

/** The options that make one secure connection differ from another, in the order in which they enter the name. */
const kNameParts = ['ca', 'cert', 'clientCertEngine', 'ciphers', 'key', 'pfx'];
const kNamePartsAfterUnauthorized = ['minVersion', 'maxVersion', 'secureProtocol', 'crl', 'honorCipherOrder',
  'ecdhCurve', 'dhparam', 'secureOptions', 'sessionIdContext'];

function Agent(options) {
  if (!(this instanceof Agent)) return new Agent(options);
  options = { __proto__: null, ...options };
  options.defaultPort ??= 443;
  options.protocol ??= 'https:';
  http.Agent.call(this, options);
  this.maxCachedSessions = this.options.maxCachedSessions;
  if (this.maxCachedSessions === undefined) this.maxCachedSessions = 100;
  this._sessionCache = { map: {}, list: [] };
}
Object.setPrototypeOf(Agent.prototype, http.Agent.prototype);
Object.setPrototypeOf(Agent, http.Agent);

function createConnection(port, host, options) {
  if (port !== null && typeof port === 'object') options = port;
  else if (host !== null && typeof host === 'object') options = { ...host };
  else if (options === null || typeof options !== 'object') options = {};
  else options = { ...options };
  if (typeof port === 'number') options.port = port;
  if (typeof host === 'string') options.host = host;
  if (options._agentKey) {
    const session = this._getSession(options._agentKey);
    if (session) options = { session, ...options };
  }
  const socket = tls.connect(options);
  if (options._agentKey) {
    socket.on('session', (session) => this._cacheSession(options._agentKey, session));
    socket.once('close', (hadError) => {
      if (hadError) this._evictSession(options._agentKey);
    });
  }
  return socket;
}
Agent.prototype.createConnection = createConnection;

Agent.prototype.getName = function getName(options = {}) {
  let name = Reflect.apply(http.Agent.prototype.getName, this, [options]);
  for (const part of kNameParts) {
    name += ':';
    if (options[part]) name += options[part];
  }
  name += ':';
  if (options.rejectUnauthorized !== undefined) name += options.rejectUnauthorized;
  name += ':';
  if (options.servername && options.servername !== options.host) name += options.servername;
  for (const part of kNamePartsAfterUnauthorized) {
    name += ':';
    if (part === 'honorCipherOrder' || part === 'secureOptions') {
      if (options[part] !== undefined) name += options[part];
    } else if (options[part]) {
      name += options[part];
    }
  }
  return name + tail(options);
};
Object.defineProperty(Agent.prototype.getName, 'length', { __proto__: null, value: 0, configurable: true });

/** Those that were added later. */
function tail(options) {
  let text = ':';
  if (options.sigalgs) text += JSON.stringify(options.sigalgs);
  text += ':';
  if (options.privateKeyIdentifier) text += options.privateKeyIdentifier;
  text += ':';
  if (options.privateKeyEngine) text += options.privateKeyEngine;
  return text;
}

Agent.prototype._getSession = function _getSession(key) {
  return this._sessionCache.map[key];
};

Agent.prototype._cacheSession = function _cacheSession(key, session) {
  if (this.maxCachedSessions === 0) return;
  const { map, list } = this._sessionCache;
  if (map[key]) {
    map[key] = session;
    return;
  }
  if (list.length >= this.maxCachedSessions) delete map[list.shift()];
  list.push(key);
  map[key] = session;
};

Agent.prototype._evictSession = function _evictSession(key) {
  const { map, list } = this._sessionCache;
  const index = list.indexOf(key);
  if (index === -1) return;
  list.splice(index, 1);
  delete map[key];
};

module.exports = { Agent };
