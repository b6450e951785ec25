'use strict';

// How many colours a terminal shows, as its environment tells; see the documentation of writeStream.getColorDepth().

const { validateInteger } = require('#internal/validators');

const kNone = 1;
const k16 = 4;
const k256 = 8;
const k16Million = 24;

const kTerminals = {
  __proto__: null,
  'eterm': k16, 'cons25': k16, 'console': k16, 'cygwin': k16, 'dtterm': k16, 'gnome': k16, 'hurd': k16, 'jfbterm': k16,
  'konsole': k16, 'kterm': k16, 'mlterm': k16, 'mosh': k16Million, 'putty': k16, 'st': k16,
  'rxvt-unicode-24bit': k16Million, 'terminator': k16Million, 'xterm-kitty': k16Million,
};
const kTerminalPatterns = [/ansi/, /color/, /linux/, /direct/, /^con[0-9]*x[0-9]/, /^rxvt/, /^screen/, /^xterm/, /^vt100/, /^vt220/];

const kBuildServices = [
  ['APPVEYOR', k256], ['BUILDKITE', k256], ['CIRCLECI', k16Million], ['DRONE', k256], ['GITEA_ACTIONS', k16Million],
  ['GITHUB_ACTIONS', k16Million], ['GITLAB_CI', k256], ['TRAVIS', k256],
];

let warned = false;
function warnOnDeactivatedColors(env) {
  if (warned) return;
  const name = env.NODE_DISABLE_COLORS !== undefined ? 'NODE_DISABLE_COLORS' : env.NO_COLOR !== undefined ? 'NO_COLOR' : '';
  if (name === '') return;
  warned = true;
  process.emitWarning(`The '${name}' env is ignored due to the 'FORCE_COLOR' env being set.`, 'Warning');
}

function forcedDepth(env) {
  switch (env.FORCE_COLOR) {
    case '':
    case '1':
    case 'true':
      warnOnDeactivatedColors(env);
      return k16;
    case '2':
      warnOnDeactivatedColors(env);
      return k256;
    case '3':
      warnOnDeactivatedColors(env);
      return k16Million;
    default:
      return kNone;
  }
}

function serviceDepth(env) {
  if ('TF_BUILD' in env && 'AGENT_NAME' in env) return k16;
  if ('CI' in env) {
    for (const [name, depth] of kBuildServices) if (name in env) return depth;
    return env.CI_NAME === 'codeship' ? k256 : kNone;
  }
  if ('TEAMCITY_VERSION' in env) {
    return /^(9\.(0*[1-9]\d*)\.|\d{2,}\.)/.test(env.TEAMCITY_VERSION) ? k16 : kNone;
  }
  return undefined;
}

function programDepth(env) {
  switch (env.TERM_PROGRAM) {
    case 'iTerm.app':
      return !env.TERM_PROGRAM_VERSION || /^[0-2]\./.test(env.TERM_PROGRAM_VERSION) ? k256 : k16Million;
    case 'HyperTerm':
    case 'MacTerm':
      return k16Million;
    case 'Apple_Terminal':
      return k256;
  }
  return undefined;
}

function terminalDepth(env) {
  if (env.COLORTERM === 'truecolor' || env.COLORTERM === '24bit') return k16Million;
  if (env.TERM) {
    if (/truecolor/.test(env.TERM)) return k16Million;
    if (/^xterm-256/.test(env.TERM)) return k256;
    const term = env.TERM.toLowerCase();
    if (kTerminals[term]) return kTerminals[term];
    if (kTerminalPatterns.some((pattern) => pattern.test(term))) return k16;
  }
  return env.COLORTERM ? k16 : kNone;
}

/** @param {Record<string, string | undefined>} [env] @returns {1 | 4 | 8 | 24} bits */
function getColorDepth(env = process.env) {
  if (env.FORCE_COLOR !== undefined) return forcedDepth(env);
  if (env.NODE_DISABLE_COLORS !== undefined || env.NO_COLOR !== undefined || env.TERM === 'dumb') return kNone;
  if (env.TMUX) return k16Million;
  return serviceDepth(env) ?? programDepth(env) ?? terminalDepth(env);
}

/** @param {number} [count] 16 unless given @param {object} [env] */
function hasColors(count, env) {
  if (env === undefined && (count === undefined || (typeof count === 'object' && count !== null))) {
    env = count;
    count = 16;
  } else {
    validateInteger(count, 'count', 2);
  }
  return count <= 2 ** getColorDepth(env);
}

module.exports = { getColorDepth, hasColors };
