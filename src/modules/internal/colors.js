'use strict';

// Whether a stream's text may carry colours, and the escape codes of those that our own reports use.

function depthOfEnvironment(env) {
  return require('#tty/colors').getColorDepth(env);
}

/** FORCE_COLOR decides; else whether the stream is a terminal with more than two colours. */
function shouldColorize(stream) {
  const { env } = process;
  if (env.FORCE_COLOR !== undefined) return depthOfEnvironment(env) > 2;
  if (!stream?.isTTY) return false;
  return typeof stream.getColorDepth === 'function' ? stream.getColorDepth() > 2 : true;
}

const kCodes = {
  blue: '\u001b[34m',
  green: '\u001b[32m',
  white: '\u001b[39m',
  yellow: '\u001b[33m',
  red: '\u001b[31m',
  gray: '\u001b[90m',
  clear: '\u001bc',
  reset: '\u001b[0m',
};

const colors = {
  shouldColorize,
  hasColors: false,
  /** Sets the codes below to what process.stderr can show. */
  refresh() {
    colors.hasColors = process.stderr !== undefined && shouldColorize(process.stderr);
    for (const name of Object.keys(kCodes)) colors[name] = colors.hasColors ? kCodes[name] : '';
  },
};
for (const name of Object.keys(kCodes)) colors[name] = '';

module.exports = colors;
