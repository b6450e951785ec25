// Shared by the fault tests: speaks to a server in raw bytes.
import { connect } from 'node:net';
import { createServer } from 'node:http';
import { once } from 'node:events';

/** The whole answer to `pieces`, each written by itself, until the server closes or `until` matches. */
export function exchange(port, pieces, { until, half = false } = {}) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (until?.test(text)) socket.destroy();
    });
    // A server that has answered may reset what it does not want to read.
    socket.on('error', (error) => (text === '' && error.code !== 'ECONNRESET' && error.code !== 'EPIPE' ? reject(error) : 0));
    socket.on('close', () => resolve(text));
    socket.on('connect', async () => {
      for (const piece of [pieces].flat()) {
        if (socket.destroyed) break;
        socket.write(Buffer.from(piece, 'latin1'));
        if (Array.isArray(pieces)) await new Promise((next) => setImmediate(next));
      }
      if (half) socket.end();
    });
  });
}

/** A server that notes the URLs it served: { port, seen, close }. */
export async function listen(handler, options = {}) {
  const seen = [];
  const server = createServer(options, (req, res) => {
    seen.push(req.url);
    if (handler) handler(req, res);
    else req.resume().on('end', () => res.end('ok'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { server, port: server.address().port, seen, close };
}
