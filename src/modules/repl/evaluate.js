'use strict';

// One input's way through the compiler and the engine.

const { isRecoverableError, isValidSyntax } = require('#repl/recoverable');

let lineCounter = 0;

/** Thrown or given by an `eval` function for an input that more lines may complete. */
class Recoverable extends SyntaxError {
  constructor(error) {
    super();
    this.err = error;
  }
}

const kBlank = /^\s*$/;
const kStartsObject = /^\s*{/;
const kEndsStatement = /;\s*$/;

/** An input that begins with a brace is first tried as an object. */
function asObject(code) {
  if (!kStartsObject.test(code) || kEndsStatement.test(code) || !isValidSyntax(code)) return undefined;
  return `(${code.trim()})\n`;
}

/** RegExp.$1 and its kin, which the loop's own matches must not change. */
const kSeparator = '\u0000\u0000\u0000';
const savedMatches = ['', '', '', '', '', '', '', '', ''];
const matcher = new RegExp(`^${savedMatches.map(() => '(.*)').join(kSeparator)}$`, 's');

function restoreMatches() {
  matcher.exec(savedMatches.join(kSeparator));
}

function saveMatches() {
  for (let i = 0; i < savedMatches.length; i++) savedMatches[i] = RegExp[`$${i + 1}`];
}

/** @returns {{ script?: object, error?: unknown, awaits?: boolean }} */
function compile(server, source, file) {
  const vm = require('vm');
  const variants = variantsOf(server, source);
  let first;
  for (const { code, awaits } of variants) {
    const text = server.replMode === server.constructor.kStrict && !kBlank.test(code) ? `'use strict'; void 0;\n${code}` : code;
    try {
      return { script: new vm.Script(text, { filename: file, displayErrors: true,
        importModuleDynamically: require('#vm/importers').kMainContextLoader }), awaits };
    } catch (error) {
      first ??= { error, code };
      // The plain form of the input is the last, and its error the one that counts.
      if (code === source) return failure(first.error, error, source);
    }
  }
  return failure(first.error, first.error, source);
}

function failure(wrappedError, error, source) {
  return { error: isRecoverableError(error, source) ? new Recoverable(error) : (wrappedError ?? error) };
}

function variantsOf(server, source) {
  const variants = [];
  const object = asObject(source);
  if (object !== undefined) variants.push({ code: object, awaits: false });
  if (source.includes('await')) {
    const { processTopLevelAwait } = require('#repl/top_level_await');
    const rewritten = processTopLevelAwait(object ?? source);
    if (rewritten !== null) return [{ code: rewritten, awaits: true }, { code: source, awaits: false }];
  }
  variants.push({ code: source, awaits: false });
  return variants;
}

function toDomain(error) {
  if (!process.domain) return false;
  process.domain.emit('error', error);
  process.domain.exit();
  return true;
}

function run(server, script) {
  const options = { displayErrors: false, breakOnSigint: server.breakEvalOnSigint };
  const isRaw = server.breakEvalOnSigint && server.terminal ? server._setRawMode(false) : undefined;
  try {
    restoreMatches();
    const result = server.useGlobal ? script.runInThisContext(options) : script.runInContext(server.context, options);
    saveMatches();
    return result;
  } finally {
    if (isRaw !== undefined) server._setRawMode(isRaw);
  }
}

/** A promise that rejects at the next Ctrl+C. */
function interruption(server) {
  const { ERR_SCRIPT_EXECUTION_INTERRUPTED } = require('#internal/errors').codes;
  let stop;
  const promise = new Promise((resolve, reject) => {
    stop = () => {
      const limit = Error.stackTraceLimit;
      Error.stackTraceLimit = 0;
      const error = new ERR_SCRIPT_EXECUTION_INTERRUPTED();
      Error.stackTraceLimit = limit;
      reject(error);
    };
  });
  server.interruptions.add(stop);
  return { promise, end: () => server.interruptions.delete(stop) };
}

async function settle(server, result, done) {
  server.hold();
  const stopped = interruption(server);
  try {
    const settled = await Promise.race([result, stopped.promise]);
    done(null, settled?.value);
  } catch (error) {
    if (error && toDomain(error)) return;
    done(error);
  } finally {
    stopped.end();
    server.release();
  }
}

/**
 * The evaluation that a server does unless it is given another.
 * @this {object} the server
 * @param {(error: unknown, result?: unknown) => void} done
 */
function evaluate(code, context, file, done) {
  if (code === '\n') return done(null);
  let compiled;
  try {
    compiled = compile(this, code, file);
  } catch (error) {
    if (error instanceof Recoverable) return done(error);
    throw error;
  }
  if (compiled.error !== undefined) {
    require('#repl/failures').decorate(compiled.error);
    return done(compiled.error);
  }
  let result;
  try {
    result = run(this, compiled.script);
  } catch (error) {
    if (toDomain(error)) return;
    return done(error);
  }
  if (compiled.awaits) settle(this, result, done);
  else done(null, result);
}

const resourceName = () => `REPL${++lineCounter}`;

module.exports = { Recoverable, evaluate, resourceName };
