import assert from 'node:assert';
import crypto from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import zlib from 'node:zlib';
import { test } from '../../test/harness.mjs';

/** A frame of a server (RFC 6455, 5.2), unmasked. */
function frame(opcode, data, bits = 0x80) {
  const bytes = Buffer.from(data);
  const head = Buffer.alloc(bytes.length < 126 ? 2 : 10);
  head[0] = bits | opcode;
  if (bytes.length < 126) {
    head[1] = bytes.length;
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(bytes.length), 2);
  }
  return Buffer.concat([head, bytes]);
}

/** What a client says, unmasked: [opcode, bytes]; small frames only, which come whole here. */
function readFrame(data) {
  const length = data[1] & 0x7f;
  const mask = data.subarray(2, 6);
  return [data[0] & 0x0f, Buffer.from(data.subarray(6, 6 + length)).map((byte, i) => byte ^ mask[i & 3])];
}

/** What happens to a WebSocket whose server does that: the messages, then how it closed. */
async function historyWith(onConnection, { extension, act = () => {} } = {}) {
  const server = http.createServer().listen(0, '127.0.0.1');
  server.on('upgrade', (req, socket) => {
    socket.on('error', () => {});
    const key = `${req.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = crypto.hash('sha1', key, 'base64');
    const fields = extension ? `Sec-WebSocket-Extensions: ${extension}\r\n` : '';
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      `${fields}Sec-WebSocket-Accept: ${accept}\r\n\r\n`);
    onConnection(socket);
  });
  await once(server, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${server.address().port}`);
  client.binaryType = 'arraybuffer';
  const history = [];
  client.onopen = () => act(client);
  client.onmessage = ({ data }) => history.push(typeof data === 'string' ? data : data.byteLength);
  const closed = await new Promise((resolve) => { client.onclose = resolve; });
  server.closeAllConnections();
  server.close();
  return [...history, closed.code, closed.reason];
}

const close = (code, reason = '') => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(code);
  return frame(8, Buffer.concat([bytes, Buffer.from(reason)]));
};

test('messages there and back, and the closing handshake', async () => {
  const history = await historyWith((socket) => socket.on('data', (data) => {
    const [opcode, bytes] = readFrame(data);
    socket.write(frame(opcode, bytes));
    if (opcode === 8) socket.end();
  }), {
    act(client) {
      client.onmessage = ({ data }) => {
        assert.strictEqual(data, 'h\u00e9llo');
        client.close(3001, 'bye');
      };
      client.send('h\u00e9llo');
    },
  });
  assert.deepStrictEqual(history, [3001, 'bye']);
});

test('fragments with a ping between them, and frames in pieces', async () => {
  const pongs = [];
  const history = await historyWith((socket) => {
    socket.on('data', (data) => {
      const [opcode, bytes] = readFrame(data);
      if (opcode !== 10) return;
      pongs.push(String(bytes));
      socket.end(close(1000, 'done'));
    });
    const bytes = Buffer.concat([frame(1, 'ab', 0), frame(9, 'ping'), frame(0, 'cd')]);
    for (const byte of bytes) socket.write(Buffer.of(byte));
  });
  assert.deepStrictEqual([history, pongs], [['abcd', 1000, 'done'], ['ping']]);
});

test('what breaks the protocol ends the connection', async () => {
  const broken = {
    'reserved bit': frame(1, 'x', 0xa0), 'unknown opcode': frame(3, 'x'), 'bad UTF-8': frame(1, [0xff]),
    'continuation of nothing': frame(0, 'x'), 'long ping': frame(9, 'x'.repeat(126)),
    'part of a ping': frame(9, 'x', 0),
    'masked': Buffer.of(0x81, 0x81, 0, 0, 0, 0, 120), 'length of 2^64 - 1': Buffer.of(0x82, 127, ...Array(8).fill(255)),
  };
  for (const [name, bytes] of Object.entries(broken)) {
    assert.deepStrictEqual((await historyWith((socket) => socket.write(bytes))).slice(0, 1), [1006], name);
  }
  assert.deepStrictEqual(await historyWith((socket) => socket.end()), [1006, '']);
});

test('compressed messages, and one that would not end', async () => {
  const deflate = (data) => zlib.deflateRawSync(data, { finishFlush: zlib.constants.Z_SYNC_FLUSH }).subarray(0, -4);
  const history = await historyWith((socket) => {
    socket.write(Buffer.concat([frame(1, deflate('x'.repeat(1000)), 0xc0), close(1000)]));
    socket.once('data', () => socket.end());
  }, { extension: 'permessage-deflate' });
  assert.deepStrictEqual(history, ['x'.repeat(1000), 1000, '']);
  const bomb = await historyWith((socket) => socket.write(frame(2, deflate(Buffer.alloc(200 << 20)), 0xc0)),
    { extension: 'permessage-deflate' });
  assert.deepStrictEqual(bomb, [1006, '']);
});
