'use strict';

// What a terminal sends for its keys, one character after the other, made into key presses (ECMA-48 control sequences,
// as xterm, rxvt, the Linux console and putty send them).

const kEscape = '\x1b';

/** Final letters of "ESC O x" and "ESC [ x", and numbers of "ESC [ n ~". */
const kLetters = {
  __proto__: null,
  P: 'f1', Q: 'f2', R: 'f3', S: 'f4', A: 'up', B: 'down', C: 'right', D: 'left', E: 'clear', F: 'end', H: 'home',
};
const kShifted = { __proto__: null, a: 'up', b: 'down', c: 'right', d: 'left', e: 'clear' };
const kNumbers = {
  __proto__: null,
  1: 'home', 2: 'insert', 3: 'delete', 4: 'end', 5: 'pageup', 6: 'pagedown', 7: 'home', 8: 'end',
  11: 'f1', 12: 'f2', 13: 'f3', 14: 'f4', 15: 'f5', 17: 'f6', 18: 'f7', 19: 'f8', 20: 'f9', 21: 'f10', 23: 'f11', 24: 'f12',
};
/** rxvt: "$" says shift, "^" says control. */
const kRxvt = { __proto__: null, 2: 'insert', 3: 'delete', 5: 'pageup', 6: 'pagedown', 7: 'home', 8: 'end' };

/** @returns {{ name: string | undefined, shift?: boolean, ctrl?: boolean }} */
function nameOfSequence(code) {
  const kind = code[0];
  const rest = code.slice(1);
  if (kind === 'O' && rest.length === 1) {
    if (kLetters[rest]) return { name: kLetters[rest] };
    if (kShifted[rest]) return { name: kShifted[rest], ctrl: true };
    return { name: 'undefined' };
  }
  if (rest === 'Z') return { name: 'tab', shift: true };
  if (rest === '200~') return { name: 'paste-start' };
  if (rest === '201~') return { name: 'paste-end' };
  if (rest.length === 1) {
    if (kLetters[rest]) return { name: kLetters[rest] };
    if (kShifted[rest]) return { name: kShifted[rest], shift: true };
    return { name: 'undefined' };
  }
  if (rest[0] === '[') {
    const name = { A: 'f1', B: 'f2', C: 'f3', D: 'f4', E: 'f5', 5: 'pageup', 6: 'pagedown' }[rest[1]];
    return { name: name ?? 'undefined' };
  }
  const last = rest.at(-1);
  const number = rest.slice(0, -1);
  if (last === '~') return { name: kNumbers[number] ?? 'undefined' };
  if (last === '$') return { name: kRxvt[number] ?? 'undefined', shift: true };
  if (last === '^') return { name: kRxvt[number] ?? 'undefined', ctrl: true };
  return { name: 'undefined' };
}

/** A key of one character, with or without escape before it. */
function setPlainKey(key, ch, escaped) {
  if (ch === '\r') {
    key.name = 'return';
    key.meta = escaped;
  } else if (ch === '\n') {
    key.name = 'enter';
    key.meta = escaped;
  } else if (ch === '\t') {
    key.name = 'tab';
    key.meta = escaped;
  } else if (ch === '\b' || ch === '\x7f') {
    key.name = 'backspace';
    key.meta = escaped;
  } else if (ch === kEscape) {
    key.name = 'escape';
    key.meta = escaped;
  } else if (ch === ' ') {
    key.name = 'space';
    key.meta = escaped;
  } else if (!escaped && ch <= '\x1a') {
    key.name = String.fromCharCode(ch.charCodeAt(0) + 'a'.charCodeAt(0) - 1);
    key.ctrl = true;
  } else if (/^[0-9A-Za-z]$/.test(ch)) {
    key.name = ch.toLowerCase();
    key.shift = /^[A-Z]$/.test(ch);
    key.meta = escaped;
  } else if (escaped) {
    key.name = ch.length > 0 ? undefined : 'escape';
    key.meta = true;
  }
}

/** Takes one character at a time by next(character) and emits 'keypress' on `stream`. An empty one ends a sequence. */
function* emitKeys(stream) {
  for (;;) {
    let ch = yield;
    let s = ch;
    let escaped = false;
    const key = { sequence: null, name: undefined, ctrl: false, meta: false, shift: false };
    if (ch === kEscape) {
      escaped = true;
      s += ch = yield;
      if (ch === kEscape) s += ch = yield;
    }
    if (escaped && (ch === 'O' || ch === '[')) {
      let code = ch;
      let modifier = 0;
      if (ch === 'O') {
        // ESC O letter, ESC O modifier letter
        s += ch = yield;
        if (ch >= '0' && ch <= '9') {
          modifier = (ch >> 0) - 1;
          s += ch = yield;
        }
        code += ch;
      } else {
        s += ch = yield;
        if (ch === '[') {
          code += ch;
          s += ch = yield;
        }
        const start = s.length - 1;
        // Up to three digits, then perhaps ";" and a modifier.
        for (let digits = 0; digits < 3 && ch >= '0' && ch <= '9'; digits++) s += ch = yield;
        if (ch === ';') {
          s += ch = yield;
          if (ch >= '0' && ch <= '9') s += yield;
        }
        const command = s.slice(start);
        const tilde = /^(?:(\d\d?)(?:;(\d))?([~^$])|(\d{3}~))$/.exec(command);
        const letter = /^((\d;)?(\d))?([A-Za-z])$/.exec(command);
        if (tilde !== null) {
          code += tilde[4] ?? tilde[1] + tilde[3];
          modifier = (tilde[2] || 1) - 1;
        } else if (letter !== null) {
          code += letter[4];
          modifier = (letter[3] || 1) - 1;
        } else {
          code += command;
        }
      }
      key.ctrl = Boolean(modifier & 4);
      key.meta = Boolean(modifier & 10);
      key.shift = Boolean(modifier & 1);
      key.code = code;
      const { name, shift, ctrl } = nameOfSequence(code);
      key.name = name;
      if (shift) key.shift = true;
      if (ctrl) key.ctrl = true;
    } else {
      setPlainKey(key, ch, escaped);
    }
    key.sequence = s;
    const named = key.name !== undefined;
    if (s.length !== 0 && (named || escaped)) {
      stream.emit('keypress', escaped ? undefined : s, key);
    } else if ([...s].length === 1) {
      stream.emit('keypress', s, key);
    }
    // What is unknown stays untold.
  }
}

module.exports = { emitKeys, kEscape };
