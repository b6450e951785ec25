'use strict';
// Messages of the core on the channels of node:diagnostics_channel. A program that never loaded that module has no
// subscriber, and pays nothing.

const { isLoaded } = require('#runtime/loader');

const channels = { __proto__: null };

/** @param {string} name @param {() => object} message made only for a subscriber */
function publish(name, message) {
  if (!isLoaded('diagnostics_channel')) return;
  const channel = channels[name] ??= require('diagnostics_channel').channel(name);
  if (channel.hasSubscribers) channel.publish(message());
}

module.exports = { publish };
