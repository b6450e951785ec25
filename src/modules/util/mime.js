'use strict';

// MIMEType and MIMEParams, after the MIME Sniffing standard (parsing and serialising a MIME type).

const { codes: { ERR_INVALID_MIME_SYNTAX } } = require('#internal/errors');

const kNotToken = /[^!#$%&'*+\-.^_`|~A-Za-z0-9]/;
const kNotQuotedText = /[^\t\u0020-~\u0080-\u00FF]/;
const kEndWhitespace = /[\r\n\t ]*$/;

const toLower = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

function skipSpace(text, at) {
  while (at < text.length && /[\r\n\t ]/.test(text[at])) at++;
  return at;
}

function parseTypeAndSubtype(text) {
  let at = skipSpace(text, 0);
  const slash = text.indexOf('/', at);
  const rawType = slash === -1 ? text.slice(at) : text.slice(at, slash);
  const badType = rawType.search(kNotToken);
  if (rawType === '' || badType !== -1 || slash === -1) throw new ERR_INVALID_MIME_SYNTAX('type', text, badType);
  at = slash + 1;
  const semicolon = text.indexOf(';', at);
  const rest = semicolon === -1 ? text.slice(at) : text.slice(at, semicolon);
  at += rest.length;
  if (semicolon !== -1) at++;
  const rawSubtype = rest.replace(kEndWhitespace, '');
  const badSubtype = rawSubtype.search(kNotToken);
  if (rawSubtype === '' || badSubtype !== -1) {
    throw new ERR_INVALID_MIME_SYNTAX('subtype', text, badSubtype);
  }
  return { type: toLower(rawType), subtype: toLower(rawSubtype), parametersAt: at };
}

const unescape = (text) => text.replace(/\\([^])/g, '$1').replace(/\\$/, '\\');

function encode(value) {
  if (value === '') return '""';
  if (!kNotToken.test(value)) return value;
  return `"${value.replace(/[\\"]/g, '\\$&')}"`;
}

let setText;

class MIMEParams {
  #data = new Map();
  // Parsed when first asked for: most types are only compared.
  #text = null;

  static {
    setText = (params, text) => {
      params.#text = text;
    };
  }

  #parsed() {
    if (this.#text !== null) {
      const text = this.#text;
      this.#text = null;
      parseParameters(this.#data, text);
    }
    return this.#data;
  }

  delete(name) {
    this.#parsed().delete(name);
  }

  get(name) {
    const data = this.#parsed();
    return data.has(name) ? data.get(name) : null;
  }

  has(name) {
    return this.#parsed().has(name);
  }

  set(name, value) {
    const data = this.#parsed();
    name = `${name}`;
    value = `${value}`;
    const badName = name.search(kNotToken);
    if (name.length === 0 || badName !== -1) throw new ERR_INVALID_MIME_SYNTAX('parameter name', name, badName);
    const badValue = value.search(kNotQuotedText);
    if (badValue !== -1) throw new ERR_INVALID_MIME_SYNTAX('parameter value', value, badValue);
    data.set(name, value);
  }

  * entries() {
    yield* this.#parsed().entries();
  }

  * keys() {
    yield* this.#parsed().keys();
  }

  * values() {
    yield* this.#parsed().values();
  }

  toString() {
    let text = '';
    for (const { 0: name, 1: value } of this.#parsed()) {
      text += `${text === '' ? '' : ';'}${name}=${encode(value)}`;
    }
    return text;
  }
}
Object.defineProperties(MIMEParams.prototype, {
  [Symbol.iterator]: {
    __proto__: null, configurable: true, enumerable: false, value: MIMEParams.prototype.entries, writable: true,
  },
  toJSON: {
    __proto__: null, configurable: true, enumerable: false, value: MIMEParams.prototype.toString, writable: true,
  },
});

function parseQuoted(text, at) {
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  const value = unescape(text.slice(at + 1, Math.min(end, text.length)));
  const semicolon = text.indexOf(';', end);
  return { value, next: semicolon === -1 ? text.length : semicolon };
}

/** Parameters that make no sense are left out, and of equal names the first counts. */
function parseParameters(data, text) {
  let at = 0;
  while (at < text.length) {
    at = skipSpace(text, at);
    let end = at;
    while (end < text.length && text[end] !== ';' && text[end] !== '=') end++;
    const name = toLower(text.slice(at, end));
    at = end;
    if (at >= text.length) break;
    if (text[at] === ';') {
      at++;
      continue;
    }
    at++;
    let value;
    if (text[at] === '"') {
      const quoted = parseQuoted(text, at);
      value = quoted.value;
      at = quoted.next + 1;
    } else {
      let stop = text.indexOf(';', at);
      if (stop === -1) stop = text.length;
      value = text.slice(at, stop).replace(kEndWhitespace, '');
      at = stop + 1;
      if (value === '') continue;
    }
    if (name !== '' && !kNotToken.test(name) && !kNotQuotedText.test(value) && !data.has(name)) data.set(name, value);
  }
}

class MIMEType {
  #type;
  #subtype;
  #parameters;

  constructor(string) {
    string = `${string}`;
    const { type, subtype, parametersAt } = parseTypeAndSubtype(string);
    this.#type = type;
    this.#subtype = subtype;
    this.#parameters = new MIMEParams();
    setText(this.#parameters, string.slice(parametersAt));
  }

  get type() {
    return this.#type;
  }

  set type(value) {
    value = `${value}`;
    const bad = value.search(kNotToken);
    if (value.length === 0 || bad !== -1) throw new ERR_INVALID_MIME_SYNTAX('type', value, bad);
    this.#type = toLower(value);
  }

  get subtype() {
    return this.#subtype;
  }

  set subtype(value) {
    value = `${value}`;
    const bad = value.search(kNotToken);
    if (value.length === 0 || bad !== -1) throw new ERR_INVALID_MIME_SYNTAX('subtype', value, bad);
    this.#subtype = toLower(value);
  }

  get essence() {
    return `${this.#type}/${this.#subtype}`;
  }

  get params() {
    return this.#parameters;
  }

  toString() {
    const parameters = this.#parameters.toString();
    return `${this.#type}/${this.#subtype}${parameters === '' ? '' : `;${parameters}`}`;
  }
}
Object.defineProperty(MIMEType.prototype, 'toJSON', {
  __proto__: null, configurable: true, enumerable: false, value: MIMEType.prototype.toString, writable: true,
});

module.exports = { MIMEParams, MIMEType };
