'use strict';

// Whether this process is a worker of a cluster. It is set before the program runs, and costs nothing to ask.

let worker = false;

function becomeWorker() {
  worker = true;
}

/** @returns {boolean} */
function isWorker() {
  return worker;
}

module.exports = { becomeWorker, isWorker };
