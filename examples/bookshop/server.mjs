// A bookshop's API: instant answers, waiting ones, computing ones, and work that other threads carry.
//
//   ./dev run examples/bookshop/server.mjs          then open http://127.0.0.1:3000/
import { createServer } from 'node:http';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { Shelf } from './shelf.mjs';
import { hashPassword, priceReport } from './work.mjs';

const shelf = new Shelf();
const publicFolder = join(import.meta.dirname, 'public');
const types = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml' };

class HttpError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

function send(res, status, value, headers) {
  const body = JSON.stringify(value);
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers });
  res.end(body);
}

async function readJson(req, limit = 64 * 1024) {
  const parts = [];
  let size = 0;
  for await (const part of req) {
    size += part.length;
    if (size > limit) throw new HttpError(413, `a body of more than ${limit} bytes`);
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString());
  } catch {
    throw new HttpError(400, 'the body is not JSON');
  }
}

async function sendFile(req, res, pathname) {
  const file = join(publicFolder, normalize(pathname === '/' ? '/index.html' : pathname));
  const info = file.startsWith(publicFolder) ? await stat(file).catch(() => undefined) : undefined;
  if (!info?.isFile()) throw new HttpError(404, `nothing at ${pathname}`);
  const headers = { 'content-type': types[extname(file)] ?? 'application/octet-stream' };
  if (/\bgzip\b/.test(req.headers['accept-encoding'] ?? '')) {
    res.writeHead(200, { ...headers, 'content-encoding': 'gzip' });
    await pipeline(createReadStream(file), createGzip(), res);
  } else {
    res.writeHead(200, { ...headers, 'content-length': info.size });
    await pipeline(createReadStream(file), res);
  }
}

const routes = {
  'GET /api/books': (req, res, url) => {
    const max = Number(url.searchParams.get('max') ?? Infinity);
    send(res, 200, shelf.find(url.searchParams.get('q') ?? '').slice(0, max));
  },
  'POST /api/books': async (req, res) => {
    const book = shelf.add(await readJson(req));
    send(res, 201, book, { location: `/api/books/${book.isbn}` });
  },
  // As if a database took its time: many of these wait at once.
  'GET /api/books/from-db': async (req, res) => {
    await wait(100);
    send(res, 200, shelf.all());
  },
  // Computing, on a thread of its own: other requests are answered meanwhile.
  'GET /api/reports/prices': async (req, res) => send(res, 200, await priceReport(shelf.all())),
  // Hashing, on the crypto lane.
  'POST /api/accounts': async (req, res) => {
    const { name, password } = await readJson(req);
    if (typeof name !== 'string' || typeof password !== 'string') throw new HttpError(422, 'name and password, please');
    send(res, 201, { name, hash: await hashPassword(password) });
  },
};

const server = createServer(async (req, res) => {
  try {
    const url = new URL(req.url, 'http://localhost');
    const route = routes[`${req.method} ${url.pathname}`];
    if (route) await route(req, res, url);
    else if (req.method === 'GET' || req.method === 'HEAD') await sendFile(req, res, url.pathname);
    else throw new HttpError(404, `nothing at ${req.method} ${url.pathname}`);
  } catch (error) {
    if (res.headersSent) res.destroy(error);
    else send(res, error.status ?? 500, { error: error.status ? error.message : 'internal error' });
    if (!error.status) console.error(error);
  }
});

server.listen(Number(process.env.PORT ?? 3000), process.env.HOST ?? '127.0.0.1', () => {
  const { address, port } = server.address();
  console.log(`The bookshop is open at http://${address}:${port}/`);
});

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    console.log('Closing: what runs is finished first.');
    server.close(() => process.exit(0));
    server.closeIdleConnections();
  });
}
