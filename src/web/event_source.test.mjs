import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { test } from '../../test/harness.mjs';

/** What a client prints whose server sends that for its first connections, one piece a write, and 204 to the next. */
function historyOf(...connections) {
  const program = `
    const connections = ${JSON.stringify(connections)};
    const seen = [];
    const server = require('http').createServer(async (req, res) => {
      if (req.headers['last-event-id']) seen.push('after ' + req.headers['last-event-id']);
      const pieces = connections.shift();
      if (pieces === undefined) return res.writeHead(204).end();
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const piece of pieces) {
        res.write(piece);
        await new Promise(setImmediate);
      }
      res.end();
    }).listen(0, '127.0.0.1', () => {
      const source = new EventSource('http://127.0.0.1:' + server.address().port);
      for (const type of ['message', 'named']) source.addEventListener(type, ({ data }) => seen.push(type + ':' + data));
      source.onerror = () => {
        if (source.readyState !== EventSource.CLOSED) return;
        console.log(JSON.stringify(seen));
        server.closeAllConnections();
        server.close();
      };
    });`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', '--experimental-eventsource', '-e', program],
    { encoding: 'utf8' });
  assert.strictEqual(stderr, '');
  return JSON.parse(stdout);
}

test('events, however they are cut and whatever ends their lines', () => {
  const history = historyOf(['retry: 1\n\ufeffdata: a\n\n', 'data: b\rda', 'ta: c\r', '\n\r\n', ':comment\ndata:d\n\n',
    'event: named\ndata:  e\n\n', 'data\n\n', 'other: x\n\n', 'data: never ended']);
  assert.deepStrictEqual(history, ['message:b\nc', 'message:d', 'named: e', 'message:']);
});

test('it connects again, and says what it has seen', () => {
  const history = historyOf(['retry: 1\nid: 1\ndata: a\n\n'], ['id: 2\ndata: b\n\n']);
  assert.deepStrictEqual(history, ['message:a', 'after 1', 'message:b', 'after 2']);
});
