'use strict';

// http.Agent: which connection a client request gets, how many there may be, and which are kept for later.

const EventEmitter = require('events');
const {
  validateNumber,
  validateOneOf,
  validateString,
} = require('#internal/validators');
const { AsyncResource } = require('async_hooks');
const { kProxyConfig } = require('#http/proxy_symbols');

const kOnKeylog = Symbol('onkeylog');
const kRequestOptions = Symbol('requestOptions');
const kRequestAsyncResource = Symbol('requestAsyncResource');

const keepAliveHintExpression = /^timeout=(\d+)/;

/** @param {import('http').AgentOptions} [options] */
function Agent(options) {
  if (!(this instanceof Agent)) return new Agent(options);
  EventEmitter.call(this);
  this.options = { __proto__: null, ...options };
  this.defaultPort = this.options.defaultPort || 80;
  this.protocol = this.options.protocol || 'http:';
  if (this.options.noDelay === undefined) this.options.noDelay = true;
  // The agent's own path would be taken for a pipe's.
  this.options.path = null;
  this.requests = { __proto__: null };
  this.sockets = { __proto__: null };
  this.freeSockets = { __proto__: null };
  this.keepAliveMsecs = this.options.keepAliveMsecs || 1000;
  this.keepAlive = this.options.keepAlive || false;
  this.maxSockets = this.options.maxSockets || Agent.defaultMaxSockets;
  this.maxFreeSockets = this.options.maxFreeSockets || 256;
  this.scheduling = this.options.scheduling || 'lifo';
  this.maxTotalSockets = this.options.maxTotalSockets;
  this.totalSocketCount = 0;
  this.agentKeepAliveTimeoutBuffer =
    typeof this.options.agentKeepAliveTimeoutBuffer === 'number' &&
    this.options.agentKeepAliveTimeoutBuffer >= 0 &&
    Number.isFinite(this.options.agentKeepAliveTimeoutBuffer)
      ? this.options.agentKeepAliveTimeoutBuffer
      : 1000;
  const { proxyEnv } = this.options;
  this[kProxyConfig] = proxyEnv ? require('#http/proxy').parseProxyEnv(proxyEnv, this.protocol) : null;
  validateOneOf(this.scheduling, 'scheduling', ['fifo', 'lifo']);
  if (this.maxTotalSockets !== undefined) {
    validateNumber(this.maxTotalSockets, 'maxTotalSockets', 1);
  } else {
    this.maxTotalSockets = Infinity;
  }
  this.on('free', (socket, socketOptions) => onFree(this, socket, socketOptions));
  this.on('newListener', maybeEnableKeylog);
}
Object.setPrototypeOf(Agent.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Agent, EventEmitter);

Agent.defaultMaxSockets = Infinity;

function maybeEnableKeylog(eventName) {
  if (eventName !== 'keylog') return;
  this.removeListener('newListener', maybeEnableKeylog);
  const agent = this;
  this[kOnKeylog] = function onkeylog(keylog) {
    agent.emit('keylog', keylog, this);
  };
  for (const list of Object.values(this.sockets)) {
    for (const socket of list) socket.on('keylog', this[kOnKeylog]);
  }
}

Agent.prototype.createConnection = function createConnection(...args) {
  return require('net').createConnection(...args);
};

/** The key under which connections are shared. */
Agent.prototype.getName = function getName(options = {}) {
  let name = options.host || 'localhost';
  name += ':';
  if (options.port) name += options.port;
  name += ':';
  if (options.localAddress) name += options.localAddress;
  if (options.family === 4 || options.family === 6) name += `:${options.family}`;
  if (options.socketPath) name += `:${options.socketPath}`;
  return name;
};

// --- a connection has no more to do for its request -----------------------------------------------------------------

function onFree(agent, socket, options) {
  const name = agent.getName(options);
  // Requests that wait go first.
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const requests = agent.requests[name];
  if (requests?.length) {
    const req = requests.shift();
    if (requests.length === 0) delete agent.requests[name];
    const resource = req[kRequestAsyncResource];
    if (resource) {
      req[kRequestAsyncResource] = null;
      resource.runInAsyncScope(() => setRequestSocket(agent, req, socket));
    } else {
      setRequestSocket(agent, req, socket);
    }
    return;
  }
  const req = socket._httpMessage;
  if (!req?.shouldKeepAlive || !agent.keepAlive || !mayKeep(agent, name, socket)) {
    socket.destroy();
    return;
  }
  socket._httpMessage = null;
  takeFrom(agent.sockets, name, socket);
  socket.once('error', freeSocketErrorListener);
  watchIdle(socket);
  (agent.freeSockets[name] ??= []).push(socket);
}

function mayKeep(agent, name, socket) {
  const free = agent.freeSockets[name]?.length ?? 0;
  const count = free + (agent.sockets[name]?.length ?? 0);
  // A request to another host may wait for the place that this connection takes.
  if (agent.totalSocketCount >= agent.maxTotalSockets && nextWaiting(agent, name)) return false;
  return agent.totalSocketCount <= agent.maxTotalSockets && count <= agent.maxSockets &&
    free < agent.maxFreeSockets && agent.keepSocketAlive(socket);
}

function freeSocketErrorListener() {
  this.destroy();
  this.emit('agentRemove');
}

/** What a server sends while nothing was asked can be no answer: it must not be taken for the next request's. */
function watchIdle(socket) {
  if (typeof socket.push !== 'function') return;
  socket.push = function push(chunk) {
    if (chunk === null) {
      unwatchIdle(socket);
      return socket.push(null);
    }
    socket.destroy();
    return false;
  };
}

function unwatchIdle(socket) {
  if (Object.hasOwn(socket, 'push')) delete socket.push;
}

// --- a request wants a connection -----------------------------------------------------------------------------------

function mergeOptions(agent, options) {
  const merged = { __proto__: null, ...options, ...agent.options };
  if (merged.socketPath) merged.path = merged.socketPath;
  normalizeServerName(merged);
  return merged;
}

/** TLS verifies the name in the Host header, not that of the connection. */
function normalizeServerName(options, req) {
  if (options.servername || options.servername === '') return;
  options.servername = calculateServerName(options, req);
}

function calculateServerName(options, req) {
  let servername = options.host;
  const hostHeader = req?.getHeader?.('host');
  if (hostHeader) {
    validateString(hostHeader, 'options.headers.host');
    servername = hostHeader.startsWith('[')
      ? hostHeader.includes(']') ? hostHeader.slice(1, hostHeader.indexOf(']')) : hostHeader
      : hostHeader.split(':', 1)[0];
  }
  // An address is no name that a certificate could be chosen by.
  return require('net').isIP(servername) ? '' : servername;
}

function takeFreeSocket(agent, name) {
  const list = agent.freeSockets[name];
  if (!list) return undefined;
  let socket;
  while (list.length && socket === undefined) {
    const candidate = agent.scheduling === 'fifo' ? list.shift() : list.pop();
    if (!candidate.destroyed && !(candidate.readableLength > 0)) socket = candidate;
    else candidate.destroy();
  }
  if (list.length === 0) delete agent.freeSockets[name];
  return socket;
}

Agent.prototype.addRequest = function addRequest(req, options, port, localAddress) {
  if (typeof options === 'string') options = { __proto__: null, host: options, port, localAddress };
  options = { __proto__: null, ...options, ...this.options };
  if (options.socketPath) options.path = options.socketPath;
  normalizeServerName(options, req);
  const name = this.getName(options);
  this.sockets[name] ??= [];
  const socket = takeFreeSocket(this, name);
  if (socket) {
    this.reuseSocket(socket, req);
    setRequestSocket(this, req, socket);
    this.sockets[name] ??= [];
    this.sockets[name].push(socket);
  } else if (this.sockets[name].length < this.maxSockets && this.totalSocketCount < this.maxTotalSockets) {
    this.createSocket(req, options, (error, created) => {
      if (error) req.onSocket(created, error);
      else setRequestSocket(this, req, created);
    });
  } else {
    if (this.sockets[name].length === 0) delete this.sockets[name];
    req[kRequestOptions] = options;
    req[kRequestAsyncResource] = new AsyncResource('QueuedRequest');
    (this.requests[name] ??= []).push(req);
  }
};

Agent.prototype.createSocket = function createSocket(req, options, callback) {
  options = mergeOptions(this, options);
  normalizeServerName(options, req);
  const name = this.getName(options);
  options._agentKey = name;
  options.encoding = null;
  let done = false;
  const created = (error, socket) => {
    if (done) return;
    done = true;
    if (error) return void callback(error);
    (this.sockets[name] ??= []).push(socket);
    this.totalSocketCount++;
    installListeners(this, socket, options);
    callback(null, socket);
  };
  if (this.keepAlive) {
    options.keepAlive = this.keepAlive;
    options.keepAliveInitialDelay = this.keepAliveMsecs;
  }
  const socket = this[kProxyConfig] ? require('#http/proxy').connect(this, req, options, created) :
    this.createConnection(options, created);
  if (socket) created(null, socket);
};

function installListeners(agent, socket, options) {
  const onSocketFree = () => agent.emit('free', socket, options);
  const onSocketClose = () => agent.removeSocket(socket, options);
  // A request that is being answered handles the time-out itself.
  const onSocketTimeout = () => {
    for (const list of Object.values(agent.freeSockets)) {
      if (list.includes(socket)) return void socket.destroy();
    }
  };
  const onSocketRemove = () => {
    agent.removeSocket(socket, options);
    socket.removeListener('close', onSocketClose);
    socket.removeListener('free', onSocketFree);
    socket.removeListener('timeout', onSocketTimeout);
    socket.removeListener('agentRemove', onSocketRemove);
  };
  socket.on('free', onSocketFree);
  socket.on('close', onSocketClose);
  socket.on('timeout', onSocketTimeout);
  socket.on('agentRemove', onSocketRemove);
  if (agent[kOnKeylog]) socket.on('keylog', agent[kOnKeylog]);
}

function takeFrom(lists, name, socket) {
  const list = lists[name];
  const index = list ? list.indexOf(socket) : -1;
  if (index < 0) return false;
  list.splice(index, 1);
  if (list.length === 0) delete lists[name];
  return true;
}

/** The next request that waits: for the same name, else (the total being limited) any. */
function nextWaiting(agent, name) {
  if (agent.requests[name]?.length) return agent.requests[name][0];
  for (const other of Object.keys(agent.requests)) {
    // Another host's request may go if its own limit allows it.
    if (agent.sockets[other]?.length) continue;
    const req = agent.requests[other][0];
    if (req) return req;
  }
  return undefined;
}

Agent.prototype.removeSocket = function removeSocket(socket, options) {
  const name = this.getName(options);
  // A connection that closes may be an idle one.
  const removed = takeFrom(this.sockets, name, socket) ||
    (!socket.writable && takeFrom(this.freeSockets, name, socket));
  if (removed) this.totalSocketCount--;
  const req = nextWaiting(this, name);
  if (!req || !options) return;
  const requestOptions = req[kRequestOptions] ?? options;
  req[kRequestOptions] = undefined;
  // The waiting request gets a connection of its own; 'free' hands it over.
  this.createSocket(req, requestOptions, (error, created) => {
    if (error) {
      dropWaiting(this, req);
      req.onSocket(null, error);
    } else {
      created.emit('free');
    }
  });
};

function dropWaiting(agent, req) {
  for (const name of Object.keys(agent.requests)) takeFrom(agent.requests, name, req);
}

Agent.prototype.keepSocketAlive = function keepSocketAlive(socket) {
  socket.setKeepAlive(true, this.keepAliveMsecs);
  socket.unref();
  let timeout = this.options.timeout || 0;
  let keep = true;
  const hint = socket._httpMessage?.res?.headers?.['keep-alive'];
  if (hint) {
    const seconds = keepAliveHintExpression.exec(hint)?.[1];
    if (seconds) {
      // A little less than the server says, so that no request meets its close.
      const allowed = Number.parseInt(seconds, 10) * 1000 - this.agentKeepAliveTimeoutBuffer;
      if (allowed <= 0) keep = false;
      else if (timeout === 0 || allowed < timeout) timeout = allowed;
    }
  }
  if (socket.timeout !== timeout) socket.setTimeout(timeout);
  return keep;
};

Agent.prototype.reuseSocket = function reuseSocket(socket, req) {
  unwatchIdle(socket);
  socket.removeListener('error', freeSocketErrorListener);
  req.reusedSocket = true;
  socket.ref();
};

Agent.prototype.destroy = function destroy() {
  for (const set of [this.freeSockets, this.sockets]) {
    for (const key of Object.keys(set)) {
      for (const socket of [...set[key]]) socket.destroy();
    }
  }
};

function setRequestSocket(agent, req, socket) {
  req.onSocket(socket);
  const agentTimeout = agent.options.timeout || 0;
  if (req.timeout === undefined || req.timeout === agentTimeout) return;
  socket.setTimeout(req.timeout);
}

let globalAgent;

function getGlobalAgent() {
  return (globalAgent ??= new Agent({
    keepAlive: true, scheduling: 'lifo', timeout: 5000, ...require('#http/proxy').globalAgentOptions(),
  }));
}

function setGlobalAgent(agent) {
  globalAgent = agent;
}

module.exports = { Agent, getGlobalAgent, setGlobalAgent, calculateServerName };
