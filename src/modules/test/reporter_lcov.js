'use strict';

// The lcov reporter: test coverage for other tools, see geninfo(1).

function record(file, workingDirectory) {
  const path = require('path');
  const lines = [`SF:${path.relative(workingDirectory, file.path)}`];
  const names = file.functions.map(({ name }, i) => name || `anonymous_${i}`);
  file.functions.forEach(({ line }, i) => lines.push(`FN:${line},${names[i]}`));
  file.functions.forEach(({ count }, i) => lines.push(`FNDA:${count},${names[i]}`));
  lines.push(`FNF:${file.totalFunctionCount}`, `FNH:${file.coveredFunctionCount}`);
  file.branches.forEach(({ line, count }, i) => lines.push(`BRDA:${line},${i},0,${count}`));
  lines.push(`BRF:${file.totalBranchCount}`, `BRH:${file.coveredBranchCount}`);
  for (const { line, count } of file.lines) lines.push(`DA:${line},${count}`);
  lines.push(`LH:${file.coveredLineCount}`, `LF:${file.totalLineCount}`, 'end_of_record');
  return `${lines.join('\n')}\n`;
}

class LcovFormatter {
  format({ type, data }) {
    if (type !== 'test:coverage') return '';
    const { files, workingDirectory } = data.summary;
    return `TN:\n${files.map((file) => record(file, workingDirectory)).join('')}`;
  }

  end() {
    return '';
  }
}

module.exports = { LcovFormatter };
