// Runs a program as a child under limits or filters of the system, and tells how it went.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

export const isRoot = process.getuid() === 0;
export const scratch = mkdtempSync(join(tmpdir(), 'gyre-faults-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

/** The value of a function's body as the text of a program: what it closes over is given as JSON. */
export function programOf(body, values = {}) {
  const names = Object.keys(values);
  return `(${body})(${names.length ? JSON.stringify(values) : ''})`;
}

/**
 * @param {Function | string} program a function to run in the child, or its text
 * @param {{ values?: object, flags?: string[], under?: string[], env?: object, [spawnOption: string]: unknown }} options
 *   `under` is a command that the runtime runs under
 */
export function runChild(program, options = {}) {
  const { values, flags = [], under = [], env = {}, ...rest } = options;
  const text = typeof program === 'string' ? program : programOf(program, values);
  const [command, ...args] = [...under, process.execPath, ...flags, '-e', text];
  const result = spawnSync(command, args, {
    encoding: 'utf8', timeout: 60_000, maxBuffer: 1 << 26, ...rest, env: { ...process.env, ...env },
  });
  if (result.error) throw result.error;
  return result;
}

/** Whether a command of the system is there and works. */
export const works = (command, ...args) => spawnSync(command, args).status === 0;

/** A command that denies system calls by number, with EPERM, to what runs under it. */
export function denying(...numbers) {
  const file = join(scratch, 'deny.py');
  writeFileSync(file, kDeny);
  return ['python3', file, numbers.join(','), '--'];
}

const kDeny = `
import ctypes, os, struct, sys
numbers = [int(n) for n in sys.argv[1].split(',')]
code = [struct.pack('HBBI', 0x20, 0, 0, 0)]                         # load the number
for n in numbers: code.append(struct.pack('HBBI', 0x15, 0, 1, n))   # equal: deny
for i in range(len(numbers)): code[1 + i] = code[1 + i][:2] + bytes([len(numbers) - i, 0]) + code[1 + i][4:]
code.append(struct.pack('HBBI', 0x06, 0, 0, 0x7fff0000))
code.append(struct.pack('HBBI', 0x06, 0, 0, 0x00050001))
raw = b''.join(code)
buffer = ctypes.create_string_buffer(raw, len(raw))
program = struct.pack('HxxxxxxP', len(code), ctypes.addressof(buffer))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.c_char_p(program)) == 0, ctypes.get_errno()
os.execvp(sys.argv[3], sys.argv[3:])
`;
