'use strict';

// `gyre version`: what this program is made of, for a person.

function print() {
  const { gyre, node, ...others } = process.versions;
  const lines = [`Gyre ${gyre}, which runs programs for Node.js ${node}`, ''];
  for (const [name, value] of Object.entries(others)) lines.push(`  ${name.padEnd(10)} ${value}`);
  process.stdout.write(`${lines.join('\n')}\n`);
}

module.exports = { print };
