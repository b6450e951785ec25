'use strict';

// `--watch`: runs the program in a child, and again whenever a file that it loaded has changed.

const path = require('path');
const { FilesWatcher } = require('#watch/files');
const options = require('#runtime/options');

const kPatienceMs = 1000;
const withValue = new Set(['--watch-path', '--watch-kill-signal']);
const ours = new Set(['--watch', '--watch-preserve-output']);

/** The options for the child: those of this process without the ones about watching. */
function childOptions() {
  const { execArgv } = options.all();
  const rest = [];
  for (let i = 0; i < execArgv.length; i++) {
    const [name] = execArgv[i].split('=', 1);
    if (withValue.has(name)) {
      if (!execArgv[i].includes('=')) i++;
    } else if (!ours.has(name)) {
      rest.push(execArgv[i]);
    }
  }
  return rest;
}

class Watch {
  #args;
  #paths;
  #signal;
  #watcher = new FilesWatcher();
  #child;
  #exited;
  #again = false;
  #restarting = false;

  constructor(args, { paths, signal }) {
    this.#args = args;
    this.#paths = paths;
    this.#signal = signal;
    this.#watcher.on('changed', () => this.#restart());
    for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => this.#end(name));
    if (process.send !== undefined) process.on('message', (message) => this.#child?.connected && this.#child.send(message));
  }

  get #shown() {
    return require('util').inspect(this.#args.join(' '));
  }

  #say(text, color) {
    const { shouldColorize } = require('#internal/colors');
    process.stdout.write(shouldColorize(process.stdout) ? `\u001b[${color}m${text}\u001b[39m\n` : `${text}\n`);
  }

  start() {
    const { values } = options.all();
    for (const where of this.#paths) this.#watcher.addPath(where);
    for (const name of ['--env-file', '--env-file-if-exists']) {
      for (const file of values[name] ?? []) this.#watcher.addFile(file);
    }
    if (this.#paths.length === 0 && this.#args.length > 0) this.#watcher.addFile(this.#args[0]);
    const { spawn } = require('child_process');
    const child = spawn(process.execPath, [...childOptions(), ...this.#args], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, WATCH_REPORT_DEPENDENCIES: '1' },
    });
    this.#child = child;
    child.on('message', (message) => this.#onMessage(message));
    this.#exited = new Promise((resolve) => {
      child.once('exit', (code) => {
        this.#child = undefined;
        if (!this.#restarting) {
          const text = code === 0 ? 'Completed' : 'Failed';
          this.#say(`${text} running ${this.#shown}. Waiting for file changes before restarting...`, code === 0 ? 34 : 31);
        }
        resolve();
      });
    });
  }

  #onMessage(message) {
    const files = message?.['watch:require'] ?? message?.['watch:import'];
    if (!Array.isArray(files)) {
      if (process.send !== undefined && process.connected) process.send(message);
      return;
    }
    if (this.#paths.length > 0) return;
    for (const file of files) if (typeof file === 'string') this.#watcher.addFile(file);
  }

  async #stop() {
    if (this.#child === undefined) return;
    this.#child.kill(this.#signal);
    let said = false;
    const timer = setTimeout(() => {
      said = true;
      this.#say('Waiting for graceful termination...', 33);
    }, kPatienceMs);
    await this.#exited;
    clearTimeout(timer);
    if (said) this.#say(`Gracefully restarted ${this.#shown}`, 32);
  }

  async #restart() {
    if (this.#restarting) {
      this.#again = true;
      return;
    }
    this.#restarting = true;
    do {
      this.#again = false;
      if (!options.getOptionValue('--watch-preserve-output') && process.stdout.isTTY) process.stdout.write('\u001bc');
      this.#say(`Restarting ${this.#shown}`, 32);
      await this.#stop();
    } while (this.#again);
    this.#restarting = false;
    this.#watcher.clear();
    this.start();
  }

  async #end(signal) {
    this.#watcher.clear();
    this.#restarting = true;
    if (this.#child !== undefined) {
      this.#child.kill(signal);
      await this.#exited;
    }
    process.exit(signal === 'SIGINT' ? 130 : 143);
  }
}

/** Runs for as long as the user likes. */
function main(args) {
  const { values } = options.all();
  const refuse = (text) => {
    process._rawDebug(`${process.argv0}: ${text}`);
    process.exit(9);
  };
  if (values['--check']) refuse('either --watch or --check can be used, not both');
  if (values['--eval'] !== undefined) refuse('either --watch or --eval can be used, not both');
  if (values['--interactive']) refuse('either --watch or --interactive can be used, not both');
  if (values['--test-force-exit']) refuse('either --watch or --test-force-exit can be used, not both');
  const paths = values['--watch-path'] ?? [];
  if (args.length === 0) refuse('--watch requires specifying a file');
  const signal = values['--watch-kill-signal'] ?? 'SIGTERM';
  require('#internal/validators').validateSignalName(signal, '--watch-kill-signal');
  new Watch(args.map((arg, index) => (index === 0 ? path.normalize(arg) : arg)), { paths, signal }).start();
}

module.exports = { main };
