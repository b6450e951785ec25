'use strict';

// The codes of the resolver's errors, by c-ares' numbers, and as dns exports them.

/** c-ares status numbers 1 to 24. */
const byStatus = [
  undefined, 'ENODATA', 'EFORMERR', 'ESERVFAIL', 'ENOTFOUND', 'ENOTIMP', 'EREFUSED', 'EBADQUERY', 'EBADNAME', 'EBADFAMILY',
  'EBADRESP', 'ECONNREFUSED', 'ETIMEOUT', 'EOF', 'EFILE', 'ENOMEM', 'EDESTRUCTION', 'EBADSTR', 'EBADFLAGS', 'ENONAME',
  'EBADHINTS', 'ENOTINITIALIZED', 'ELOADIPHLPAPI', 'EADDRGETNETWORKPARAMS', 'ECANCELLED',
];

const exported = {};
for (const code of byStatus) {
  if (code !== undefined) exported[code === 'EOF' ? 'EOF' : code.slice(1)] = code;
}

/** @param {number} status */
function codeOf(status) {
  return byStatus[status] ?? 'EFILE';
}

module.exports = { codeOf, exported };
