// The server that the tests attack by victim.mjs, in a process of its own so that its memory, descriptors and CPU time can
// be read from outside. Prints its port.
import { createServer } from 'node:http';

const kGiB = 2 ** 30;
const chunk = Buffer.alloc(65536, 'x');

/** As many bytes as one asks for, as fast as the reader takes them. */
function stream(res, size) {
  let left = size;
  const more = () => {
    while (left > 0 && !res.destroyed) {
      left -= chunk.length;
      if (!res.write(chunk)) return void res.once('drain', more);
    }
    res.end();
  };
  more();
}

let served = 0;
const server = createServer((req, res) => {
  if (req.url === '/state') {
    globalThis.gc();
    server.getConnections((error, connections) => res.end(JSON.stringify({ connections, served })));
  } else if (req.url === '/gibibyte') {
    stream(res, kGiB);
  } else if (req.url === '/whole-gibibyte') {
    res.end(Buffer.alloc(kGiB));
  } else if (req.url === '/slow') {
    setTimeout(() => res.end('slow'), 50);
  } else {
    served++;
    req.resume().on('end', () => res.end(`<${served}>`)).on('error', () => {});
  }
});
server.keepAliveTimeout = 120_000;
server.listen({ port: 0, host: '0.0.0.0', backlog: 4096 }, () => console.log(server.address().port));
