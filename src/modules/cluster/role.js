'use strict';

// Whether this process is a worker of a cluster: its environment tells, until cluster takes the word out of it.

let worker;

/** @returns {boolean} */
function isWorker() {
  return (worker ??= Boolean(process.env.NODE_UNIQUE_ID));
}

module.exports = { isWorker };
