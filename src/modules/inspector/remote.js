'use strict';

// Tools from outside: the flags --inspect, --inspect-brk, --inspect-wait and --inspect-port, and what inspector.open()
// does.

const kDefaultPort = 9229;
const kDefaultHost = '127.0.0.1';

let active = false;
let breakOnStart = false;

function contextName() {
  const { isMainThread, threadId } = require('worker_threads');
  return isMainThread ? `${process.argv0}[${process.pid}]` : `Worker[${threadId}]`;
}

/** "port", "host", "host:port" */
function parseAddress(text, settings) {
  if (/^\d+$/.test(text)) {
    settings.port = Number(text);
    return;
  }
  const match = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text);
  if (match === null) return;
  if (match[1]) settings.host = match[1].replace(/^\[|\]$/g, '');
  if (match[2] !== undefined) settings.port = Number(match[2]);
}

/** @returns {{ host: string, port: number, starts: boolean, waits: boolean, breaks: boolean }} what the flags say */
function readFlags() {
  const settings = { host: kDefaultHost, port: kDefaultPort, starts: false, waits: false, breaks: false };
  const { execArgv } = require('#runtime/options').all();
  const fromEnvironment = (process.env.NODE_OPTIONS ?? '').split(/\s+/);
  const flags = [...fromEnvironment, ...execArgv];
  for (let i = 0; i < flags.length; i++) {
    const [, kind, value] = /^--inspect(-brk|-wait|-port|-brk-node)?(?:=(.*))?$/.exec(flags[i]) ?? [];
    if (kind === undefined && !flags[i].startsWith('--inspect')) continue;
    if (kind === '-port') parseAddress(value ?? flags[i + 1] ?? '', settings);
    else if (value !== undefined) parseAddress(value, settings);
    if (kind === '-port') continue;
    settings.starts = true;
    settings.breaks ||= kind === '-brk';
    settings.waits ||= kind === '-brk' || kind === '-wait';
  }
  return settings;
}

function target() {
  const script = process.argv[1];
  const id = require('crypto').randomUUID();
  if (script === undefined) return [id, `${process.argv0}[${process.pid}]`, 'file://'];
  const path = require('path').resolve(script);
  return [id, script, `file://${path}`];
}

/** Whether --inspect-publish-uid lets the address be told there. */
function publishes(where) {
  const value = require('#runtime/options').getOptionValue('--inspect-publish-uid') ?? 'stderr,http';
  return value.split(',').includes(where);
}

/** @returns {number} 0 or a negative errno */
function listen(host, port) {
  const error = binding('inspector').listen(contextName(), host, port, ...target());
  if (error !== 0) return error;
  active = true;
  process.debugPort = Number(new URL(url()).port);
  if (publishes('stderr')) {
    process._rawDebug(`Debugger listening on ${url()}\nFor help, see: https://nodejs.org/en/docs/inspector`);
  }
  return 0;
}

const url = () => binding('inspector').url() || undefined;

function close() {
  if (!active) return;
  active = false;
  binding('inspector').close();
}

function waitForDebugger() {
  binding('inspector').waitForDebugger();
}

/** Before the program runs. */
function startFromFlags() {
  const { host, port, starts, waits, breaks } = readFlags();
  if (!starts) return;
  const error = listen(host, port);
  if (error !== 0) {
    const [, text] = require('util').getSystemErrorMap().get(error) ?? ['', 'unknown error'];
    process._rawDebug(`Starting inspector on ${host}:${port} failed: ${text}`);
    // Who wants to wait for a tool cannot go on without.
    if (waits) process.reallyExit(12);
    return;
  }
  require('#inspector/console_watch').wrapConsole();
  if (waits) waitForDebugger();
  breakOnStart = breaks;
}

/** SIGUSR1: as --inspect, later. */
function startOnSignal() {
  if (active) return;
  const { host, port } = readFlags();
  if (listen(host, port) === 0) require('#inspector/console_watch').wrapConsole();
}

/** Runs the program's main function; with --inspect-brk its first statement is a breakpoint. */
function callMain(fn, receiver, args) {
  if (!breakOnStart) return Reflect.apply(fn, receiver, args);
  breakOnStart = false;
  return binding('inspector').callAndPause(fn, receiver, args);
}

/** At the program's end tools may still look. */
function atExit() {
  if (!active) return;
  active = false;
  binding('inspector').waitForDisconnect();
}

module.exports = { atExit, callMain, close, isActive: () => active, isBreaking: () => breakOnStart, listen, startFromFlags, url,
  readFlags, startOnSignal, waitForDebugger, kDefaultHost, kDefaultPort };
