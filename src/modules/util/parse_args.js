'use strict';

// util.parseArgs(): command-line arguments to options and positionals.

const {
  codes: {
    ERR_INVALID_ARG_VALUE, ERR_PARSE_ARGS_INVALID_OPTION_VALUE, ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL,
    ERR_PARSE_ARGS_UNKNOWN_OPTION,
  },
} = require('#internal/errors');
const {
  validateArray, validateBoolean, validateBooleanArray, validateObject, validateString, validateStringArray,
  validateUnion,
} = require('#internal/validators');
const { kEmptyObject } = require('#internal/util');

const own = (object, key) => (Object.hasOwn(object, key) ? object[key] : undefined);
const ownOption = (options, name, key) => {
  const option = own(options, name);
  return option === undefined ? undefined : own(option, key);
};

/** The arguments of the program itself. */
function mainArgs() {
  const { execArgv, argv } = process;
  const isEval = ['-e', '--eval', '-p', '--print'].some((flag) => execArgv.includes(flag));
  return argv.slice(isEval ? 1 : 2);
}

function longNameOf(short, options) {
  for (const name of Object.keys(options)) if (ownOption(options, name, 'short') === short) return name;
  return short;
}

const isShortLike = (arg) => arg.length > 1 && arg[0] === '-' && arg[1] !== '-';
const takesValue = (options, name) => ownOption(options, name, 'type') === 'string';

/** `-abc` to `-a -b -c`, up to an option that takes the rest as its value. */
function expandGroup(arg, options) {
  const expanded = [];
  for (let i = 1; i < arg.length; i++) {
    if (i < arg.length - 1 && takesValue(options, longNameOf(arg[i], options))) {
      expanded.push(`-${arg.slice(i)}`);
      break;
    }
    expanded.push(`-${arg[i]}`);
  }
  return expanded;
}

/** Tokens of kinds 'option', 'positional' and 'option-terminator'. */
function tokenize(args, options) {
  const tokens = [];
  const rest = [...args];
  let index = -1;
  let inGroup = 0;
  const pushOption = (name, rawName, value, inlineValue) => {
    tokens.push({ kind: 'option', name, rawName, index, value, inlineValue });
  };
  const pushWithNext = (name, rawName) => {
    const hasNext = takesValue(options, name) && rest[0] != null;
    pushOption(name, rawName, hasNext ? rest.shift() : undefined, hasNext ? false : undefined);
    if (hasNext) index++;
  };
  while (rest.length > 0) {
    const arg = rest.shift();
    if (inGroup > 0) inGroup--;
    else index++;
    if (arg === '--') {
      tokens.push({ kind: 'option-terminator', index });
      for (const value of rest) tokens.push({ kind: 'positional', index: ++index, value });
      break;
    }
    if (isShortLike(arg)) {
      const name = longNameOf(arg[1], options);
      if (arg.length === 2) {
        pushWithNext(name, arg);
      } else if (takesValue(options, name)) {
        pushOption(name, `-${arg[1]}`, arg.slice(2), true);
      } else {
        const expanded = expandGroup(arg, options);
        rest.unshift(...expanded);
        inGroup = expanded.length;
      }
    } else if (arg.length > 2 && arg.startsWith('--')) {
      const equals = arg.indexOf('=', 3);
      if (equals === -1) pushWithNext(arg.slice(2), arg);
      else pushOption(arg.slice(2, equals), arg.slice(0, equals), arg.slice(equals + 1), true);
    } else {
      tokens.push({ kind: 'positional', index, value: arg });
    }
  }
  return tokens;
}

function checkLooksLikeOption(token) {
  if (token.inlineValue || token.value == null || token.value.length < 2 || token.value[0] !== '-') return;
  const example = token.rawName.startsWith('--') ?
    `'${token.rawName}=-XYZ'` : `'--${token.name}=-XYZ' or '${token.rawName}-XYZ'`;
  throw new ERR_PARSE_ARGS_INVALID_OPTION_VALUE(`Option '${token.rawName}' argument is ambiguous.
Did you forget to specify the option argument for '${token.rawName}'?
To specify an option argument starting with a dash use ${example}.`);
}

function checkUsage({ options, allowPositionals }, token) {
  if (!Object.hasOwn(options, token.name) || (token.isNegated && takesValue(options, token.name))) {
    throw new ERR_PARSE_ARGS_UNKNOWN_OPTION(token.rawName, allowPositionals);
  }
  const short = ownOption(options, token.name, 'short');
  const names = `${short ? `-${short}, ` : ''}--${token.name}`;
  const type = ownOption(options, token.name, 'type');
  if (type === 'string' && typeof token.value !== 'string') {
    throw new ERR_PARSE_ARGS_INVALID_OPTION_VALUE(`Option '${names} <value>' argument missing`);
  }
  if (type === 'boolean' && token.value != null) {
    throw new ERR_PARSE_ARGS_INVALID_OPTION_VALUE(`Option '${names}' does not take an argument`);
  }
}

function store(token, options, values) {
  const { name } = token;
  if (name === '__proto__') return;
  const value = token.value ?? !token.isNegated;
  if (ownOption(options, name, 'multiple')) (values[name] ??= []).push(value);
  else values[name] = value;
}

function validateDefault(name, value, type, isMultiple) {
  if (value === undefined) return;
  if (type === 'string') (isMultiple ? validateStringArray : validateString)(value, name);
  else (isMultiple ? validateBooleanArray : validateBoolean)(value, name);
}

function validateOptions(options) {
  validateObject(options, 'options');
  for (const name of Object.keys(options)) {
    const option = options[name];
    validateObject(option, `options.${name}`);
    const type = own(option, 'type');
    validateUnion(type, `options.${name}.type`, ['string', 'boolean']);
    if (Object.hasOwn(option, 'short')) {
      validateString(option.short, `options.${name}.short`);
      if (option.short.length !== 1) {
        throw new ERR_INVALID_ARG_VALUE(`options.${name}.short`, option.short, 'must be a single character');
      }
    }
    const isMultiple = own(option, 'multiple');
    if (Object.hasOwn(option, 'multiple')) validateBoolean(isMultiple, `options.${name}.multiple`);
    validateDefault(`options.${name}.default`, own(option, 'default'), type, isMultiple);
  }
}

function readConfig(config) {
  const args = own(config, 'args') ?? mainArgs();
  const strict = own(config, 'strict') ?? true;
  const allowPositionals = own(config, 'allowPositionals') ?? !strict;
  const returnTokens = own(config, 'tokens') ?? false;
  const allowNegative = own(config, 'allowNegative') ?? false;
  const options = own(config, 'options') ?? { __proto__: null };
  validateArray(args, 'args');
  validateBoolean(strict, 'strict');
  validateBoolean(allowPositionals, 'allowPositionals');
  validateBoolean(returnTokens, 'tokens');
  validateBoolean(allowNegative, 'allowNegative');
  validateOptions(options);
  return { args, strict, options, allowPositionals, allowNegative, returnTokens };
}

/** `--no-foo` is `--foo` turned off, unless foo takes a value. */
function markNegated(token, { options, allowNegative, strict }) {
  if (!allowNegative || !token.rawName.startsWith('--no-')) return;
  const name = token.name.slice(3);
  if (takesValue(options, name) || (strict && !Object.hasOwn(options, name))) return;
  token.name = name;
  token.isNegated = true;
}

/** @param {object} [config] see the documentation of util.parseArgs() */
function parseArgs(config = kEmptyObject) {
  const settings = readConfig(config);
  const { options } = settings;
  const tokens = tokenize(settings.args, options);
  const values = { __proto__: null };
  const positionals = [];
  for (const token of tokens) {
    if (token.kind === 'option') {
      markNegated(token, settings);
      if (settings.strict) {
        checkUsage(settings, token);
        checkLooksLikeOption(token);
      }
      store(token, options, values);
      delete token.isNegated;
    } else if (token.kind === 'positional') {
      if (!settings.allowPositionals) throw new ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL(token.value);
      positionals.push(token.value);
    }
  }
  for (const name of Object.keys(options)) {
    const value = own(options[name], 'default');
    if (name !== '__proto__' && value !== undefined && values[name] === undefined) values[name] = value;
  }
  return settings.returnTokens ? { values, positionals, tokens } : { values, positionals };
}

module.exports = { parseArgs };
