// http-hello.cjs that keeps idle connections open for as long as the measurement takes.
const { createServer } = require('node:http');
const server = createServer((req, res) => { res.setHeader('content-type', 'text/plain'); res.end('hello world'); });
server.keepAliveTimeout = 600_000;
server.listen(Number(process.env.PORT), '127.0.0.1', 4096);
