// How the day's takings may turn out: a small simulation, to have something to compute.
import { parentPort, workerData } from 'node:worker_threads';

const simulations = 20_000;
const takings = Array.from({ length: simulations }, () =>
  workerData.reduce((sum, { price }) => sum + price * Math.floor(Math.random() * 20), 0));
takings.sort((a, b) => a - b);
parentPort.postMessage({
  books: workerData.length,
  total: workerData.reduce((sum, { price }) => sum + price, 0),
  simulations,
  p95: takings[Math.floor(simulations * 0.95)],
});
