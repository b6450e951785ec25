'use strict';

// The commands that begin with a dot.

function defineCommands(server) {
  server.defineCommand('break', {
    help: 'Sometimes you get stuck, this gets you out',
    action() {
      this.clearBufferedCommand();
      this.displayPrompt();
    },
  });
  server.defineCommand('clear', {
    help: server.useGlobal ? 'Alias for .break' : 'Break, and also clear the local context',
    action() {
      this.clearBufferedCommand();
      if (!this.useGlobal) {
        this.output.write('Clearing context...\n');
        this.resetContext();
      }
      this.displayPrompt();
    },
  });
  server.defineCommand('exit', {
    help: 'Exit the REPL',
    action() {
      this.close();
    },
  });
  server.defineCommand('help', { help: 'Print this help message', action: help });
  server.defineCommand('save', { help: 'Save all evaluated commands in this REPL session to a file', action: save });
  server.defineCommand('load', { help: 'Load JS from a file into the REPL session', action: load });
  if (server.terminal) {
    server.defineCommand('editor', {
      help: 'Enter editor mode',
      action() {
        this.enterEditorMode();
        this.output.write('// Entering editor mode (Ctrl+D to finish, Ctrl+C to cancel)\n');
      },
    });
  }
}

function help() {
  const names = Object.keys(this.commands).sort();
  const longest = Math.max(...names.map((name) => name.length));
  for (const name of names) {
    const { help: text } = this.commands[name];
    const spaces = ' '.repeat(longest - name.length + 3);
    this.output.write(`.${name}${text ? `${spaces}${text}` : ''}\n`);
  }
  this.output.write('\nPress Ctrl+C to abort current expression, Ctrl+D to exit the REPL\n');
  this.displayPrompt();
}

const missingArgument = () => new (require('#internal/errors').codes.ERR_MISSING_ARGS)('file');

function save(file) {
  try {
    if (file === '') throw missingArgument();
    require('fs').writeFileSync(file, this.lines.join('\n'));
    this.output.write(`Session saved to: ${file}\n`);
  } catch (error) {
    this.output.write(error.code === 'ERR_MISSING_ARGS' ? `${error.message}\n` : `Failed to save: ${file}\n`);
  }
  this.displayPrompt();
}

function load(file) {
  try {
    if (file === '') throw missingArgument();
    const fs = require('fs');
    const stats = fs.statSync(file);
    if (stats?.isFile()) {
      this.enterEditorMode({ isLoading: true });
      this.write(fs.readFileSync(file, 'utf8'));
      this.leaveEditorMode();
      this.write('\n');
    } else {
      this.output.write(`Failed to load: ${file} is not a valid file\n`);
    }
  } catch (error) {
    this.output.write(error.code === 'ERR_MISSING_ARGS' ? `${error.message}\n` : `Failed to load: ${file}\n`);
  }
  this.displayPrompt();
}

module.exports = { defineCommands };
