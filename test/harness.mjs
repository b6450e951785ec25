// A test file is a script: it names its checks with `test`, prints one "ok" or "not ok" line for each, and exits
// with status 1 if one fell short. `skip` says why something cannot run here.
import process from 'node:process';

let chain = Promise.resolve();
/** Checks that have not ended. */
const open = new Set();

// With nothing left to wait for a process ends well, whatever its promises wait for.
process.on('exit', () => {
  for (const name of open) {
    process.exitCode = 1;
    console.log(`not ok - ${name}\nThe process ended before it did.`);
  }
});

/**
 * @param {string} name
 * @param {() => unknown} check may be async; checks of one file run one after another
 */
export function test(name, check) {
  open.add(name);
  chain = chain.then(async () => {
    try {
      await check();
      console.log(`ok - ${name}`);
    } catch (error) {
      process.exitCode = 1;
      console.log(`not ok - ${name}`);
      console.error(error);
    }
    open.delete(name);
  });
  return chain;
}

/** @param {string} name @param {string} why */
export function skip(name, why) {
  chain = chain.then(() => console.log(`ok - ${name} # SKIP ${why}`));
}
