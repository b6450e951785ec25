'use strict';

// The global navigator (HTML, "The Navigator object").

const { codes: { ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_THIS } } = require('#internal/errors');
const { makeEnumerable } = require('#web/event');

const kConstruct = Symbol('kConstruct');

/** The operating system as browsers name it in `navigator.platform`. */
function platformName() {
  const arch = process.arch === 'x64' ? 'x86_64' : process.arch;
  const name = process.platform;
  return `${name[0].toUpperCase()}${name.slice(1)} ${arch}`;
}

class Navigator {
  #concurrency;
  #locks;
  #languages;

  constructor(secret = undefined) {
    if (secret !== kConstruct) throw new ERR_ILLEGAL_CONSTRUCTOR();
  }

  get hardwareConcurrency() {
    if (!(#concurrency in this)) throw new ERR_INVALID_THIS('Navigator');
    return this.#concurrency ??= require('os').availableParallelism();
  }

  get locks() {
    if (!(#concurrency in this)) throw new ERR_INVALID_THIS('Navigator');
    return this.#locks ??= require('#web/locks').createLockManager();
  }

  get language() {
    return Intl.Collator().resolvedOptions().locale;
  }

  get languages() {
    if (!(#languages in this)) throw new ERR_INVALID_THIS('Navigator');
    return this.#languages ??= Object.freeze([this.language]);
  }

  get userAgent() {
    return `Node.js/${/^v?(\d+)/.exec(process.version)[1]}`;
  }

  get platform() {
    return platformName();
  }
}

makeEnumerable(Navigator.prototype, [
  'hardwareConcurrency', 'locks', 'language', 'languages', 'userAgent', 'platform',
]);

module.exports = { Navigator, navigator: new Navigator(kConstruct) };
