'use strict';

// A connection of Gyre's own to this thread's inspector, for the tools that the command line or the environment turns
// on. Commands are answered before `ask` returns. Nothing of it is seen by the program.

class OwnConnection {
  #answers = new Map();
  #connection;
  #nextId = 1;

  constructor(name) {
    const { Connection } = binding('inspector');
    this.#connection = new Connection((text) => {
      const message = JSON.parse(text);
      if (message.id) this.#answers.set(message.id, message);
    }, name);
  }

  /** @returns {object | undefined} the result; undefined if the command failed */
  ask(method, params) {
    const id = this.#nextId++;
    this.#connection.dispatch(JSON.stringify({ id, method, params }));
    const answer = this.#answers.get(id);
    this.#answers.delete(id);
    return answer?.result;
  }

  close() {
    this.#connection.disconnect();
  }
}

/** Writes `text` to `name` in `directory`, which is made. What fails is told and costs no more. */
function writeReport(directory, name, text) {
  const fs = require('fs');
  const path = require('path');
  try {
    fs.mkdirSync(directory, { recursive: true });
    fs.writeFileSync(path.join(directory, name), text);
  } catch (error) {
    process._rawDebug(`Could not write ${path.join(directory, name)}: ${error.message}`);
  }
}

module.exports = { OwnConnection, writeReport };
