'use strict';

// The console that tells sessions what is logged.

let engineConsole;
const getEngineConsole = () => (engineConsole ??= binding('inspector').engineConsole());

let wrapped = false;

/** What the program logs is told to sessions too. */
function wrapConsole() {
  if (wrapped) return;
  wrapped = true;
  const { consoleCall } = binding('inspector');
  const engine = getEngineConsole();
  const { console } = globalThis;
  for (const name of Object.keys(engine)) {
    if (typeof engine[name] !== 'function') continue;
    if (!Object.hasOwn(console, name)) {
      console[name] = engine[name];
      continue;
    }
    const own = console[name];
    if (typeof own !== 'function' || own === engine[name]) continue;
    console[name] = consoleCall.bind(console, engine[name], own);
    Object.defineProperty(console[name], 'name', { __proto__: null, value: name });
  }
}

module.exports = { getEngineConsole, wrapConsole };
