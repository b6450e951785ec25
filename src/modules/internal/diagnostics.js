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

const tracings = { __proto__: null };

/** The tracing channel of that name, or undefined where nobody listens. */
function tracing(name) {
  if (!isLoaded('diagnostics_channel')) return undefined;
  const channel = tracings[name] ??= require('diagnostics_channel').tracingChannel(name);
  return channel.hasSubscribers ? channel : undefined;
}

module.exports = { publish, tracing };
