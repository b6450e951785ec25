'use strict';

// Starts the rounds, several modules in turn, and judges how they end.
// usage: api_fuzz.cjs [--program PATH] [--seconds N] [--seed N] [--module NAME] [--jobs N]

const { spawn } = require('child_process');
const fs = require('fs');
const { builtinModules } = require('module');
const os = require('os');
const path = require('path');
const { parseArgs } = require('util');

const { values: options } = parseArgs({
  options: {
    program: { type: 'string', default: process.execPath },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    module: { type: 'string' },
    jobs: { type: 'string', default: '2' },
  },
});
const program = path.resolve(options.program);
const kRound = path.join(__dirname, 'round.cjs');
const kTimeOut = 12_000;
const kFlags = ['--expose-gc', '--experimental-vm-modules', '--no-warnings'];
// The names with an underscore hold the same functions; a test runner and a cluster start processes of their own.
const modules = options.module ? [options.module] :
  [...builtinModules.filter((name) => !/^_|^(cluster|test|node:test)/.test(name)), 'globals'];

/** Whether the end of a round is a fault; running out of memory is none. */
function faultOf(status, signal, text) {
  const report = /AddressSanitizer: (?!out of memory|allocation-size|requested allocation)|runtime error:|Check failed|Fatal error in|Fatal JavaScript invalid size|LeakSanitizer/.exec(text);
  if (report) return report[0];
  if (/heap out of memory|AddressSanitizer: (out of memory|allocation-size|requested allocation)/.test(text)) return undefined;
  if (signal && signal !== 'SIGKILL') return signal;
  return status !== null && status >= 128 ? `exit status ${status}` : undefined;
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'gyre-api-fuzz-'));
const until = Date.now() + Number(options.seconds) * 1000;
const skip = new Set();
const known = new Map();
let rounds = 0;
let slow = 0;
let round = 0;

function tail(file, count) {
  try { return fs.readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count); } catch { return []; }
}

function runRound(name, seed) {
  return new Promise((resolve) => {
    const folder = fs.mkdtempSync(path.join(scratch, 'round-'));
    const traceFile = path.join(scratch, `trace-${name.replace(/\W/g, '_')}-${seed}`);
    const env = {
      ...process.env, FUZZ_SKIP: [...skip].join(','), HOME: folder, NODE_REPL_HISTORY: '',
      ASAN_OPTIONS: 'detect_container_overflow=0:detect_leaks=0:allocator_may_return_null=1', UBSAN_OPTIONS: 'print_stacktrace=1',
    };
    const child = spawn(program, [...kFlags, kRound, name, String(seed), traceFile], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
    let text = '';
    child.stderr.on('data', (data) => { if (text.length < 1e6) text += data.toString('latin1'); });
    let timedOut = false;
    const timer = setTimeout(() => { timedOut = true; killGroup(child.pid); }, kTimeOut);
    child.on('exit', (status, signal) => {
      clearTimeout(timer);
      killGroup(child.pid); // what the round itself started
      const last = tail(traceFile, 8);
      const fault = last.length === 0 ? 'a round that did not begin' : timedOut ? undefined : faultOf(status, signal, text);
      if (timedOut) { slow++; const call = /^(?:new )?([^(]+(?:\(\)[^(]*)*)\(/.exec(last.at(-1) ?? ''); if (call) skip.add(call[1]); if (process.env.FUZZ_VERBOSE) console.log(`slow ${name} ${seed}: ${last.at(-1)?.slice(0, 200)}`); }
      if (fault) tell(name, seed, fault, last, text);
      fs.rmSync(folder, { recursive: true, force: true });
      fs.rmSync(traceFile, { force: true });
      rounds++;
      resolve();
    });
  });
}

function killGroup(pid) {
  try { process.kill(-pid, 'SIGKILL'); } catch { /* it is gone */ }
}

function tell(name, seed, fault, last, text) {
  const lines = text.split('\n');
  const at = Math.max(0, lines.findIndex((line) => /AddressSanitizer|runtime error|Check failed|Fatal error/.test(line)));
  const key = fault + lines.slice(at, at + 12).filter((line) => /#[0-4] |Check failed/.test(line)).map((line) => line.replace(/0x\w+|\d{4,}/g, '')).join('');
  const count = (known.get(key) ?? 0) + 1;
  known.set(key, count);
  if (count > 3) return;
  console.log(`FAULT ${fault}: ${program} ${kFlags.join(' ')} ${kRound} ${name} ${seed}`);
  console.log(last.map((line) => `    ${line.slice(0, 300)}`).join('\n'));
  console.log(lines.slice(at, at + 30).map((line) => `    | ${line.slice(0, 300)}`).join('\n'));
}

async function lane() {
  while (Date.now() < until) {
    const at = round++;
    const seed = Number(options.seed) + at;
    await runRound(modules[seed % modules.length], seed);
  }
}

Promise.all(Array.from({ length: Number(options.jobs) }, lane)).then(() => {
  fs.rmSync(scratch, { recursive: true, force: true });
  console.log(`${rounds} rounds, ${slow} out of time, ${known.size} kinds of faults`);
  process.exitCode = known.size > 0 ? 1 : 0;
});
