'use strict';

// Reads the answers of name servers (RFC 1035 section 4) into the shapes that dns.resolve*() give.

const { Buffer } = require('buffer');
const { formatV6 } = require('#net/ip');

const kTypes = {
  __proto__: null,
  A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, MX: 15, TXT: 16, AAAA: 28, SRV: 33, NAPTR: 35, TLSA: 52, ANY: 255, CAA: 257,
};
const kTypeNames = Object.fromEntries(Object.entries(kTypes).map(([name, number]) => [number, name]));
const kInternet = 1;
const kMaxPointers = 128;

class BadResponse extends Error {}

class Reader {
  /** @param {Buffer} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  need(count) {
    if (this.at + count > this.bytes.length) throw new BadResponse();
  }

  u8() {
    this.need(1);
    return this.bytes[this.at++];
  }

  u16() {
    this.need(2);
    this.at += 2;
    return this.bytes.readUInt16BE(this.at - 2);
  }

  u32() {
    this.need(4);
    this.at += 4;
    return this.bytes.readUInt32BE(this.at - 4);
  }

  take(count) {
    this.need(count);
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }

  /** A <character-string>. */
  text() {
    return this.take(this.u8());
  }

  /** A <domain-name>, compressed or not. */
  name() {
    const labels = [];
    let end = -1;
    for (let pointers = 0; ;) {
      const length = this.u8();
      if (length === 0) break;
      if ((length & 0xc0) === 0xc0) {
        const target = ((length & 0x3f) << 8) | this.u8();
        if (end === -1) end = this.at;
        if (++pointers > kMaxPointers) throw new BadResponse();
        this.at = target;
      } else if ((length & 0xc0) !== 0) {
        throw new BadResponse();
      } else {
        labels.push(labelText(this.take(length)));
      }
    }
    if (end !== -1) this.at = end;
    return labels.join('.');
  }
}

function labelText(bytes) {
  let text = '';
  for (const byte of bytes) {
    if (byte < 0x21 || byte > 0x7e) text += `\\${String(byte).padStart(3, '0')}`;
    else if (byte === 0x2e || byte === 0x5c) text += `\\${String.fromCharCode(byte)}`;
    else text += String.fromCharCode(byte);
  }
  return text;
}

function readAddress(reader, length, wanted) {
  if (length !== wanted) throw new BadResponse();
  const bytes = reader.take(length);
  return wanted === 4 ? bytes.join('.') : formatV6(bytes);
}

function readTexts(reader, end) {
  const texts = [];
  while (reader.at < end) texts.push(reader.text().toString());
  return texts;
}

function readCaa(reader, end) {
  const critical = reader.u8();
  const tag = reader.text().toString();
  return { critical, [tag]: reader.take(end - reader.at).toString() };
}

/** One reader a type: (reader, length of the data, where it ends) */
const kReaders = {
  __proto__: null,
  A: (reader, length) => readAddress(reader, length, 4),
  AAAA: (reader, length) => readAddress(reader, length, 16),
  NS: (reader) => reader.name(),
  CNAME: (reader) => reader.name(),
  PTR: (reader) => reader.name(),
  MX(reader) {
    const priority = reader.u16();
    return { exchange: reader.name(), priority };
  },
  TXT: (reader, length, end) => readTexts(reader, end),
  SRV(reader) {
    const priority = reader.u16();
    const weight = reader.u16();
    const port = reader.u16();
    return { name: reader.name(), port, priority, weight };
  },
  NAPTR(reader) {
    const order = reader.u16();
    const preference = reader.u16();
    const flags = reader.text().toString();
    const service = reader.text().toString();
    const regexp = reader.text().toString();
    return { flags, service, regexp, replacement: reader.name(), order, preference };
  },
  SOA(reader) {
    const nsname = reader.name();
    const hostmaster = reader.name();
    return { nsname, hostmaster, serial: reader.u32(), refresh: reader.u32(), retry: reader.u32(), expire: reader.u32(),
      minttl: reader.u32() };
  },
  TLSA(reader, length, end) {
    const certUsage = reader.u8();
    const selector = reader.u8();
    const match = reader.u8();
    const data = Uint8Array.from(reader.take(end - reader.at)).buffer;
    return { certUsage, selector, match, data };
  },
  CAA: (reader, length, end) => readCaa(reader, end),
};

/**
 * @param {Buffer} bytes a whole answer
 * @returns {{ type: string, ttl: number, value: unknown }[]} the records that we know
 */
function readRecords(bytes) {
  const reader = new Reader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  reader.take(4);
  const questions = reader.u16();
  const answers = reader.u16();
  reader.take(4);
  for (let i = 0; i < questions; i++) {
    reader.name();
    reader.take(4);
  }
  const records = [];
  for (let i = 0; i < answers; i++) {
    reader.name();
    const type = kTypeNames[reader.u16()];
    const recordClass = reader.u16();
    const ttl = reader.u32() | 0;
    const length = reader.u16();
    const end = reader.at + length;
    reader.need(length);
    const read = kReaders[type];
    if (read !== undefined && recordClass === kInternet) records.push({ type, ttl, value: read(reader, length, end) });
    reader.at = end;
  }
  return records;
}

function ofAny({ type, ttl, value }) {
  switch (type) {
    case 'A':
    case 'AAAA':
      return { address: value, ttl, type };
    case 'NS':
    case 'CNAME':
    case 'PTR':
      return { value, type };
    case 'TXT':
      return { entries: value, type };
    default:
      return { ...value, type };
  }
}

/**
 * @param {Buffer} bytes
 * @param {string} type what was asked for
 * @param {boolean} withTtl for A and AAAA
 * @returns {unknown} what resolve*() gives, or a code: 'EBADRESP', 'ENODATA'
 */
function readAnswer(bytes, type, withTtl) {
  let records;
  try {
    records = readRecords(bytes);
  } catch (error) {
    if (error instanceof BadResponse) return 'EBADRESP';
    throw error;
  }
  if (type === 'ANY') return records.length === 0 ? 'ENODATA' : records.map(ofAny);
  const wanted = records.filter((record) => record.type === type);
  if (wanted.length === 0) return 'ENODATA';
  if (type === 'SOA') return wanted[0].value;
  if (withTtl && (type === 'A' || type === 'AAAA')) return wanted.map(({ value, ttl }) => ({ address: value, ttl }));
  return wanted.map(({ value }) => value);
}

module.exports = { readAnswer, kTypes };
