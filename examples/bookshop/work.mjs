// What would hold the loop up goes elsewhere: hashing to the crypto lane, computing to a worker.
import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

const derive = promisify(scrypt);

export async function hashPassword(password) {
  const salt = randomBytes(16);
  const key = await derive(password, salt, 32);
  return `${salt.toString('hex')}:${key.toString('hex')}`;
}

/** @returns {Promise<{ books: number, total: number, simulations: number, p95: number }>} */
export function priceReport(books) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./report-worker.mjs', import.meta.url), { workerData: books });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
