'use strict';

// The dot reporter: a character a test, and the failures at the end.

const colors = require('#internal/colors');
const { formatReport } = require('#test/reporter_spec');

class DotFormatter {
  #count = 0;
  #failed = [];

  constructor() {
    colors.refresh();
  }

  format({ type, data }) {
    let text = '';
    if (type === 'test:pass') text = `${colors.green}.${colors.reset}`;
    if (type === 'test:fail') {
      text = `${colors.red}X${colors.reset}`;
      this.#failed.push(data);
    }
    if (text !== '' && ++this.#count === Math.max(process.stdout.columns ?? 20, 20)) {
      text += '\n';
      this.#count = 0;
    }
    return text;
  }

  end() {
    if (this.#failed.length === 0) return '\n';
    let text = `\n\n${colors.red}Failed tests:${colors.white}\n\n`;
    for (const data of this.#failed) text += formatReport('test:fail', data);
    return text;
  }
}

module.exports = { DotFormatter };
