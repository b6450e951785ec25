'use strict';

// Apart from proxy.js, so that requests without a proxy do not load it.

module.exports = {
  /** On an agent: its proxy, or null. */
  kProxyConfig: Symbol('kProxyConfig'),
  /** On a request whose tunnel is being made: what destroy() ends. */
  kTunnel: Symbol('kTunnel'),
};
