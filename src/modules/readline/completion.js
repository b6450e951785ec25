'use strict';

// Completion of the word before the cursor by the program's `completer`.

const { getStringWidth } = require('#util/inspect_width');

function commonPrefix(strings) {
  if (strings.length === 0) return '';
  if (strings.length === 1) return strings[0];
  const sorted = strings.toSorted();
  const first = sorted[0];
  const last = sorted.at(-1);
  for (let i = 0; i < first.length; i++) if (first[i] !== last[i]) return first.slice(0, i);
  return first;
}

/** Writes one group of completions in columns. */
function writeGroup(rl, group, width) {
  if (group.length === 0) return;
  const columns = Math.floor(rl.columns / width) || 1;
  const perRow = columns === Infinity ? 1 : columns;
  let text = '';
  for (let i = 0; i < group.length; i++) {
    const item = group[i];
    text += item;
    const isLast = (i + 1) % perRow === 0 || i === group.length - 1;
    if (isLast) text += '\r\n';
    else text += ' '.repeat(width - getStringWidth(item));
  }
  rl._writeToOutput(`${text}\r\n`);
}

function show(rl, completions) {
  const widest = Math.max(...completions.filter((c) => c !== '').map((c) => getStringWidth(c)));
  const width = widest + 2;
  let group = [];
  rl._writeToOutput('\r\n');
  for (const completion of completions) {
    if (completion === '') {
      writeGroup(rl, group, width);
      group = [];
    } else {
      group.push(completion);
    }
  }
  writeGroup(rl, group, width);
}

function complete(rl, lastWasTab, [completions, completed]) {
  if (!completions || completions.length === 0) return;
  const prefix = commonPrefix(completions.filter((completion) => completion !== ''));
  if (prefix.startsWith(completed) && prefix.length > completed.length) {
    rl._insertString(prefix.slice(completed.length));
    return;
  }
  if (!completed.startsWith(prefix)) {
    rl._beforeEdit(rl.line, rl.cursor);
    rl.line = rl.line.slice(0, rl.cursor - completed.length) + prefix + rl.line.slice(rl.cursor);
    rl.cursor = rl.cursor - completed.length + prefix.length;
    rl._refreshLine();
    return;
  }
  // Several fit: they are shown at the second tab.
  if (!lastWasTab) return;
  rl._beforeEdit(rl.line, rl.cursor);
  show(rl, completions);
  rl._refreshLine();
}

/** The completer answers by a callback, or by a promise in readline/promises. */
function tabComplete(lastWasTab) {
  const text = this.line.slice(0, this.cursor);
  this.pause();
  const done = (error, result) => {
    if (this.closed) return;
    this.resume();
    if (error) {
      this._writeToOutput(`Tab completion error: ${require('util').inspect(error)}`);
      return;
    }
    complete(this, lastWasTab, result);
  };
  if (this.completer.length === 2) {
    this.completer(text, done);
    return;
  }
  let result;
  try {
    result = this.completer(text);
  } catch (error) {
    return done(error);
  }
  Promise.resolve(result).then((value) => done(null, value), (error) => done(error));
}

/** @param {object} prototype */
function addTo(prototype) {
  prototype._tabComplete = tabComplete;
}

module.exports = { addTo };
