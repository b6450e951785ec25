'use strict';

// How the loop shows what was thrown: "Uncaught", the stack without the loop's own frames, the place of a syntax error.

const { overrideStackTrace, defaultPrepareStackTrace } = require('#internal/errors');

/** The name of an input as a file. */
const kInput = /^REPL\d+$/;
const kErrorLine = /^\[?([A-Z][a-z0-9_]*)*Error/;
const kOutsideModule = 'Cannot use import statement outside a module';

const isError = (value) => value !== null && typeof value === 'object' && require('util').types.isNativeError(value);

/** Kept for errors whose place the engine has put into the stack already. */
function decorate() {}

/** Frames from the one that is the input's top level downward belong to the loop. */
function ownFrames(frames) {
  const last = frames.findLastIndex((frame) => frame.getFunctionName() === null && kInput.test(frame.getFileName()));
  // Where there is none the loop's own last frame goes.
  return frames.slice(0, last);
}

function trimStack(error) {
  overrideStackTrace.set(error, (thrown, frames) => {
    const own = typeof frames === 'object' ? ownFrames(frames) : frames;
    if (typeof Error.prepareStackTrace === 'function' && Error.prepareStackTrace.name !== 'prepareStackTrace') {
      return Error.prepareStackTrace(thrown, own);
    }
    return defaultPrepareStackTrace(thrown, own);
  });
}

/** `import a, { b as c } from "m"` as a dynamic import. */
function toDynamicImport(line) {
  let text = '';
  const { Parser } = require('~acorn');
  const { body } = Parser.parse(line, { ecmaVersion: 'latest', sourceType: 'module' });
  for (const { type, source, specifiers } of body) {
    if (type !== 'ImportDeclaration') continue;
    const importing = `await import(${JSON.stringify(source.value)});`;
    if (specifiers.length === 0) {
      text += importing;
    } else if (specifiers.length === 1 && specifiers[0].type === 'ImportNamespaceSpecifier') {
      text += `const ${specifiers[0].local.name} = ${importing}`;
    } else {
      const names = specifiers.map(({ local, imported }) => {
        const from = imported?.name ?? 'default';
        return from === local.name ? from : `${from}: ${local.name}`;
      });
      text += `const { ${names.join(', ')} } = ${importing}`;
    }
  }
  return text;
}

function fixSyntaxError(server, error) {
  error.stack = error.stack.replace(/^\s+at\s.*\n?/gm, '').replace(/^REPL\d+:\d+\r?\n/, '').replace(/\n+$/, '');
  if (!error.message.includes(kOutsideModule)) return;
  error.message = 'Cannot use import statement inside the Node.js REPL, alternatively use dynamic import: ' +
    toDynamicImport(server.lines.at(-1));
  error.stack = error.stack.replace(/SyntaxError:.*/, `SyntaxError: ${error.message}`);
}

function describe(server, thrown) {
  if (typeof thrown !== 'object' || thrown === null) return '';
  trimStack(thrown);
  if (thrown.domainThrown) {
    delete thrown.domain;
    delete thrown.domainThrown;
  }
  if (isError(thrown) && thrown.stack) {
    if (thrown.name === 'SyntaxError') {
      fixSyntaxError(server, thrown);
    } else if (server.replMode === server.constructor.kStrict) {
      // The mode's own line comes before the input.
      thrown.stack = thrown.stack.replace(/(\s+at\s+REPL\d+:)(\d+)/, (_, before, line) => before + (line - 1));
    }
  }
  const text = server.writer(thrown);
  return text[0] === '[' && text.at(-1) === ']' ? text.slice(1, -1) : text;
}

function withUncaught(server, text) {
  const lines = text.split(/(?<=\n)/);
  const at = lines.findIndex((line) => kErrorLine.test(line));
  if (at === -1) return `Uncaught${lines.length === 1 ? ' ' : ':\n'}${text}`;
  const breakLength = server.writer.options?.breakLength ?? 80;
  lines[at] = breakLength >= lines[at].length ? `Uncaught ${lines[at]}` : `Uncaught:\n${lines[at]}`;
  return lines.join('');
}

/** Called for everything that an input throws, at once or later. */
function onUncaught(server, thrown, isStandalone) {
  const text = describe(server, thrown);
  if (!server.underscoreErrAssigned) server.lastError = thrown;
  const goOn = () => {
    server.clearBufferedCommand();
    server.lines.level = [];
    if (!server.closed) server.displayPrompt();
  };
  if (isStandalone && process.listenerCount('uncaughtException') !== 0) {
    process.nextTick(() => {
      process.emit('uncaughtException', thrown);
      goOn();
    });
    return;
  }
  const shown = withUncaught(server, text === '' ? server.writer(thrown) : text);
  server.output.write(shown.endsWith('\n') ? shown : `${shown}\n`);
  goOn();
}

module.exports = { decorate, onUncaught };
