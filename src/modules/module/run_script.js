'use strict';

// `--run NAME`: a script of the package.json that governs the working directory, in its folder, by the shell.

const fs = require('fs');
const path = require('path');

/** The folders from here up to the root. */
function folders() {
  const all = [process.cwd()];
  while (path.dirname(all.at(-1)) !== all.at(-1)) all.push(path.dirname(all.at(-1)));
  return all;
}

function fail(text) {
  process._rawDebug(text);
  process.reallyExit(1);
}

/** An argument as one word of the shell's. */
function quoted(text) {
  return text !== '' && /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function main(name, args) {
  const chain = folders();
  const folder = chain.find((candidate) => fs.existsSync(path.join(candidate, 'package.json')));
  if (folder === undefined) return fail(`Can't find package.json for directory ${chain[0]}`);
  const file = path.join(folder, 'package.json');
  let content;
  try {
    content = JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return fail(`Can't parse ${file}`);
  }
  const { scripts } = content ?? {};
  if (scripts === undefined || scripts === null) return fail(`Can't find "scripts" field in ${file}`);
  if (typeof scripts !== 'object') return fail(`"scripts" field in ${file} is not an object`);
  const command = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (command === undefined) {
    const known = Object.entries(scripts).map(([key, value]) => `  ${key}: ${value}`);
    return fail(`Missing script: "${name}" for ${file}\n\nAvailable scripts are:\n${known.join('\n')}`);
  }
  if (typeof command !== 'string') return fail(`Script "${name}" is unexpectedly malformed for ${file}`);
  // Of the folders from here up to that of the package.
  const bins = chain.slice(0, chain.indexOf(folder) + 1).map((candidate) => path.join(candidate, 'node_modules', '.bin'));
  const env = {
    ...process.env,
    PATH: [...bins, process.env.PATH ?? ''].join(path.delimiter),
    NODE_RUN_SCRIPT_NAME: name,
    NODE_RUN_PACKAGE_JSON_PATH: file,
  };
  const line = [command, ...args.map(quoted)].join(' ');
  const { status, signal, error } = require('child_process').spawnSync('/bin/sh', ['-c', line],
                                                                       { cwd: folder, env, stdio: 'inherit' });
  if (error) return fail(error.message);
  process.reallyExit(signal === null ? status : 1);
}

module.exports = { main };
