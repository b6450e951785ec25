'use strict';

// Errors as util.inspect() shows them: the stack, corrected by what the error has become since it was made.

const { getPrefix } = require('#util/inspect_names');
const types = binding('types');
const { isLoaded, isPublic } = require('#runtime/loader');

const kFrame = '\n    at';
// A frame inside our own JavaScript: `    at name (node:internal/file:1:2)`.
const kCoreFrame = /^ {4}at (?:[^/\\(]+ \(|)node:(.+):\d+:\d+(?:\)|$)/;
const kNodeModules = /[/\\]node_modules[/\\](@[^/\\]+[/\\][^/\\]+|[^/\\]+)(?=[/\\])/g;

const isError = (value) => types.isNativeError(value) || value instanceof Error;

/** A property that a getter may refuse: undefined then. */
function readIfPossible(object, key) {
  try {
    return object[key];
  } catch {
    return undefined;
  }
}

function getStackString(ctx, error) {
  const stack = readIfPossible(error, 'stack');
  if (stack) {
    if (typeof stack === 'string') return stack;
    ctx.seen.push(error);
    ctx.indentationLvl += 4;
    const text = require('#util/inspect_value').formatValue(ctx, stack);
    ctx.indentationLvl -= 4;
    ctx.seen.pop();
    return `${Error.prototype.toString.call(error)}\n    ${text}`;
  }
  return Error.prototype.toString.call(error);
}

/** The longest run of frames that both stacks share: { length, offset in a }. */
function sharedRun(a, b) {
  for (let i = 0; i < a.length - 3; i++) {
    const at = b.indexOf(a[i]);
    if (at === -1) continue;
    const rest = b.length - at;
    if (rest <= 3) continue;
    let length = 1;
    const most = Math.min(a.length - i, rest);
    while (most > length && a[i + length] === b[at + length]) length++;
    if (length > 3) return { length, offset: i };
  }
  return { length: 0, offset: 0 };
}

/** The frames of the stack; those shared with the cause's stack become one line. */
function getStackFrames(ctx, error, stack) {
  const frames = stack.split('\n');
  let cause;
  try {
    ({ cause } = error);
  } catch {
    // A getter that throws is as good as no cause.
  }
  if (cause == null || !isError(cause)) return frames;
  const causeStack = getStackString(ctx, cause);
  const start = causeStack.indexOf(kFrame);
  if (start === -1) return frames;
  const { length, offset } = sharedRun(frames, causeStack.slice(start + 1).split('\n'));
  if (length > 3) {
    const skipped = length - 2;
    const text = `    ... ${skipped} lines matching cause stack trace ...`;
    frames.splice(offset + 1, skipped, ctx.stylize(text, 'undefined'));
  }
  return frames;
}

/** Stacks of up to this many frames are shown as they are. */
const kShortStack = 10;
/** Fewer repeated lines than this are not worth a line that says so. */
const kWorthCollapsing = 3;

/** How often the `length` frames from `start` on come again right behind themselves. */
function countRepetitions(frames, start, length) {
  let times = 0;
  for (let at = start + length; at + length <= frames.length; at += length) {
    for (let i = 0; i < length; i++) if (frames[start + i] !== frames[at + i]) return times;
    times++;
  }
  return times;
}

/** The repetition that begins at `start`: { length, times }; undefined if there is none. */
function findRepetition(frames, start) {
  for (let next = frames.indexOf(frames[start], start + 1); next !== -1;
    next = frames.indexOf(frames[start], next + 1)) {
    const length = next - start;
    const times = countRepetitions(frames, start, length);
    if (times > 0) return length * times >= kWorthCollapsing ? { length, times } : undefined;
  }
  return undefined;
}

/** Of frames that repeat, as in a recursion, one round is shown. */
function collapseRepetitions(ctx, frames) {
  if (frames.length <= kShortStack) return frames;
  const result = [];
  for (let i = 0; i < frames.length;) {
    const repetition = findRepetition(frames, i);
    if (repetition === undefined) {
      result.push(frames[i++]);
      continue;
    }
    const { length, times } = repetition;
    result.push(...frames.slice(i, i + length));
    const which = times === 1 ? 'lines ' : `${length} lines ${times} times`;
    result.push(ctx.stylize(`    ... collapsed ${length * times} duplicate lines matching above ${which}...`,
      'undefined'));
    i += length * (times + 1);
  }
  return result;
}

/** Drops the keys whose text the stack shows anyway. */
function removeDuplicateKeys(ctx, keys, error, stack) {
  if (ctx.showHidden || keys.length === 0) return;
  for (const name of ['name', 'message', 'stack']) {
    const index = keys.indexOf(name);
    if (index !== -1 && (typeof error[name] !== 'string' || stack.includes(error[name]))) keys.splice(index, 1);
  }
}

/** Makes the first line of the stack name the class that the error now is of. */
function improveStack(stack, constructor, rawName, tag) {
  const name = String(rawName);
  let length = name.length;
  if (typeof rawName !== 'string') {
    stack = stack.replace(name, `${name} [${getPrefix(constructor, tag, 'Error').slice(0, -1)}]`);
  }
  const isPlain = name.endsWith('Error') && stack.startsWith(name) &&
    (stack.length === length || stack[length] === ':' || stack[length] === '\n');
  if (constructor !== null && !isPlain) return stack;
  let fallback = 'Error';
  if (constructor === null) {
    const start = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n\s+at)/.exec(stack) || /^([a-z_A-Z0-9-]*Error)$/.exec(stack);
    fallback = (start && start[1]) || '';
    length = fallback.length;
    fallback ||= 'Error';
  }
  const prefix = getPrefix(constructor, tag, fallback).slice(0, -1);
  if (name === prefix) return stack;
  if (prefix.includes(name)) return length === 0 ? `${prefix}: ${stack}` : `${prefix}${stack.slice(length)}`;
  return `${prefix} [${name}]${stack.slice(length)}`;
}

/** Whether a frame's `node:` file is one of ours. */
function isBuiltin(id) {
  if (id.startsWith('internal/')) return isLoaded(`#${id.slice('internal/'.length)}`);
  return isPublic(id) || isLoaded(id);
}

function workingDirectory() {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

const toUrl = (directory) => require('url').pathToFileURL(directory).href;

function markNodeModules(ctx, line) {
  return line.replace(kNodeModules, (whole, name) => (
    whole.slice(0, whole.length - name.length) + ctx.stylize(name, 'module')));
}

function markCwd(ctx, line, directory) {
  const start = line.indexOf(directory);
  if (start === -1) return line;
  const hasParenthesis = line[start - 1] === '(';
  const from = hasParenthesis ? start - 1 : start;
  const to = start + directory.length + 1;
  const marked = line.slice(0, from) + ctx.stylize(line.slice(from, to), 'undefined');
  if (!hasParenthesis) return marked + line.slice(to);
  return marked + line.slice(to, -1) + ctx.stylize(')', 'undefined');
}

/** Greys what is ours or the working directory's, underlines package names. */
function colorFrames(ctx, lines) {
  const directory = workingDirectory();
  let directoryUrl;
  let text = '';
  for (let line of lines) {
    const core = kCoreFrame.exec(line);
    if (core !== null && isBuiltin(core[1])) {
      text += `\n${ctx.stylize(line, 'undefined')}`;
      continue;
    }
    line = markNodeModules(ctx, line);
    if (directory !== undefined) {
      const marked = markCwd(ctx, line, directory);
      line = marked === line ? markCwd(ctx, line, directoryUrl ??= toUrl(directory)) : marked;
    }
    text += `\n${line}`;
  }
  return text;
}

/**
 * @param {Array<string | symbol>} keys the error's keys; what the stack shows is removed, causes are added
 */
function formatError(error, constructor, tag, ctx, keys) {
  const name = error.name != null ? error.name : 'Error';
  let stack = getStackString(ctx, error);
  removeDuplicateKeys(ctx, keys, error, stack);
  if ('cause' in error && (keys.length === 0 || !keys.includes('cause'))) keys.push('cause');
  if (Array.isArray(readIfPossible(error, 'errors')) && (keys.length === 0 || !keys.includes('errors'))) keys.push('errors');
  stack = improveStack(stack, constructor, name, tag);
  // A message may itself look like frames.
  let position = (error.message && stack.indexOf(error.message)) || -1;
  if (position !== -1) position += error.message.length;
  const start = stack.indexOf(kFrame, position);
  if (start === -1) {
    stack = `[${stack}]`;
  } else {
    if (isSimpleStack(ctx, error, stack, start)) return indented(ctx, stack);
    const lines = collapseRepetitions(ctx, getStackFrames(ctx, error, stack.slice(start + 1)));
    stack = stack.slice(0, start) + (ctx.colors ? colorFrames(ctx, lines) : `\n${lines.join('\n')}`);
  }
  return indented(ctx, stack);
}

function indented(ctx, text) {
  return ctx.indentationLvl === 0 ? text : text.replaceAll('\n', `\n${' '.repeat(ctx.indentationLvl)}`);
}

/** Whether the frames, from `start` on, are shown as they are. */
function isSimpleStack(ctx, error, stack, start) {
  if (ctx.colors || 'cause' in error) return false;
  let frames = 1;
  for (let at = stack.indexOf('\n', start + 1); at !== -1; at = stack.indexOf('\n', at + 1)) {
    if (++frames > kShortStack) return false;
  }
  return true;
}

module.exports = { formatError, isError };
