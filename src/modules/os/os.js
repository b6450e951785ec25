'use strict';

// `node:os`.

const { Buffer } = require('buffer');
const {
  codes: { ERR_SYSTEM_ERROR },
} = require('#internal/errors');
const { systemErrorEntry } = require('#internal/errno');
const { validateInt32 } = require('#internal/validators');
const constants = require('#os/constants');
const native = binding('os');

/** Throws what a failed native call (a negative errno) stands for. */
function check(result, syscall) {
  if (typeof result !== 'number' || result >= 0) return result;
  const [code, message] = systemErrorEntry(result);
  throw new ERR_SYSTEM_ERROR({ errno: result, code, message, syscall });
}

let systemNames;
/** uname(2): [system, version, release, machine]. */
const names = () => systemNames ??= native.uname();

const getOSType = () => names()[0];
const getOSVersion = () => names()[1];
const getOSRelease = () => names()[2];
const getMachine = () => names()[3];

const wrappedCall = (method, syscall) => function wrappedFn() {
  return check(method(), syscall);
};
const hostname = wrappedCall(native.hostname, 'uv_os_gethostname');
const homedir = wrappedCall(native.homedir, 'uv_os_homedir');
const uptime = wrappedCall(native.uptime, 'uv_uptime');

function loadavg() {
  return native.loadavg();
}

function freemem() {
  return native.freemem();
}

function totalmem() {
  return native.totalmem();
}

function availableParallelism() {
  return native.availableParallelism();
}

function cpus() {
  // Seven values a processor: model, speed (MHz), then milliseconds in each state.
  const flat = native.cpus();
  const result = [];
  for (let i = 0; i < flat.length; i += 7) {
    result.push({
      model: flat[i],
      speed: flat[i + 1],
      times: { user: flat[i + 2], nice: flat[i + 3], sys: flat[i + 4], idle: flat[i + 5], irq: flat[i + 6] },
    });
  }
  return result;
}

const arch = () => process.arch;
const platform = () => process.platform;
const endianness = () => (new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 'LE' : 'BE');

function tmpdir() {
  const path = process.env.TMPDIR || process.env.TMP || process.env.TEMP || '/tmp';
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

const kHiddenPrimitive = Symbol.toPrimitive;
// `${os.hostname}` is what the function returns; only functions without arguments have this.
for (const fn of [
  arch, availableParallelism, endianness, freemem, homedir, hostname, platform, getOSRelease, getOSType, tmpdir,
  totalmem, uptime, getOSVersion, getMachine,
]) {
  fn[kHiddenPrimitive] = () => fn();
}

/** Bits set at the front of an address mask, or -1 when they do not form a prefix. */
function prefixLength(netmask, family) {
  const groups = family === 'IPv6' ? expandIPv6(netmask) : netmask.split('.').map(Number);
  const width = family === 'IPv6' ? 16 : 8;
  let bits = '';
  for (const group of groups) bits += group.toString(2).padStart(width, '0');
  const ones = bits.indexOf('0') === -1 ? bits.length : bits.indexOf('0');
  return bits.includes('1', ones) ? -1 : ones;
}

function expandIPv6(address) {
  const [head, tail] = address.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = new Array(Math.max(8 - front.length - back.length, 0)).fill('0');
  return [...front, ...zeros, ...back].map((group) => parseInt(group, 16));
}

function networkInterfaces() {
  // Seven values an address: interface, address, netmask, family, MAC, internal, scope id (-1 for IPv4).
  const flat = check(native.networkInterfaces(), 'uv_interface_addresses');
  const result = {};
  for (let i = 0; i < flat.length; i += 7) {
    const [name, address, netmask, family, mac, internal, scopeid] = flat.slice(i, i + 7);
    const prefix = prefixLength(netmask, family);
    const entry = { address, netmask, family, mac, internal, cidr: prefix === -1 ? null : `${address}/${prefix}` };
    if (scopeid !== -1) entry.scopeid = scopeid;
    if (Object.hasOwn(result, name)) result[name].push(entry);
    else result[name] = [entry];
  }
  return result;
}

/**
 * @param {number} pid
 * @param {number} priority
 */
function setPriority(pid, priority) {
  if (priority === undefined) {
    priority = pid;
    pid = 0;
  }
  validateInt32(pid, 'pid');
  validateInt32(priority, 'priority', constants.priority.PRIORITY_HIGHEST, constants.priority.PRIORITY_LOW);
  check(native.setPriority(pid, priority), 'uv_os_setpriority');
}

/** @param {number} [pid] */
function getPriority(pid) {
  if (pid === undefined) pid = 0;
  else validateInt32(pid, 'pid');
  const [error, priority] = native.getPriority(pid);
  check(error, 'uv_os_getpriority');
  return priority;
}

/** @param {{ encoding?: string }} [options] */
function userInfo(options) {
  const encoding = typeof options === 'object' && options !== null ? options.encoding : undefined;
  const user = check(native.userInfo(), 'uv_os_get_passwd');
  const text = (bytes) => {
    if (bytes === null) return null;
    const buffer = Buffer.from(bytes.buffer);
    if (encoding === 'buffer') return buffer;
    return buffer.toString(encoding !== undefined && Buffer.isEncoding(encoding) ? encoding : 'utf8');
  };
  const [uid, gid, username, homedir, shell] = user;
  return { __proto__: null, uid, gid, username: text(username), homedir: text(homedir), shell: text(shell) };
}

module.exports = {
  arch,
  availableParallelism,
  cpus,
  endianness,
  freemem,
  getPriority,
  homedir,
  hostname,
  loadavg,
  networkInterfaces,
  platform,
  release: getOSRelease,
  setPriority,
  tmpdir,
  totalmem,
  type: getOSType,
  userInfo,
  uptime,
  version: getOSVersion,
  machine: getMachine,
};

Object.defineProperties(module.exports, {
  constants: { __proto__: null, configurable: false, enumerable: true, value: constants },
  EOL: { __proto__: null, configurable: true, enumerable: true, writable: false, value: '\n' },
  devNull: { __proto__: null, configurable: true, enumerable: true, writable: false, value: '/dev/null' },
});
