'use strict';

// The Date header: made once a second.

let cached = '';
let validUntil = 0;

/** @returns {string} the time in the form of RFC 9110 5.6.7 */
function utcDate() {
  const now = Date.now();
  if (now >= validUntil || now < validUntil - 1000) {
    cached = new Date(now).toUTCString();
    validUntil = now - (now % 1000) + 1000;
  }
  return cached;
}

module.exports = { utcDate };
