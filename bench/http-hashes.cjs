// http-hello.cjs that keeps HASHES pbkdf2 hashes in flight; GET /hashes tells how many are done.
const { createServer } = require('node:http');
const { pbkdf2 } = require('node:crypto');
let done = 0;
const hash = () => pbkdf2('correct horse', 'salt', 300_000, 32, 'sha256', (error) => { if (error) throw error; done++; hash(); });
createServer((req, res) => { res.setHeader('content-type', 'text/plain'); res.end(req.url === '/hashes' ? String(done) : 'hello world'); })
  .listen(Number(process.env.PORT), '127.0.0.1', () => { for (let i = 0; i < Number(process.env.HASHES ?? 0); i++) hash(); });
