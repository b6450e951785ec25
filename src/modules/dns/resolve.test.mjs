import assert from 'node:assert';
import dgram from 'node:dgram';
import dns from 'node:dns';
import { once } from 'node:events';
import { test } from '../../../test/harness.mjs';

/** A name server that answers every question with these records. */
async function nameServer(records) {
  const socket = dgram.createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.on('message', (question, { port, address }) => {
    let end = 12;
    while (question[end] !== 0) end += question[end] + 1;
    end += 5;
    const header = Buffer.from(question.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    const answers = records.map(({ type, ttl, data }) => {
      const fixed = Buffer.alloc(12);
      fixed.writeUInt16BE(0xc00c, 0);
      fixed.writeUInt16BE(type, 2);
      fixed.writeUInt16BE(1, 4);
      fixed.writeUInt32BE(ttl, 6);
      fixed.writeUInt16BE(data.length, 10);
      return Buffer.concat([fixed, data]);
    });
    socket.send(Buffer.concat([header, question.subarray(12, end), ...answers]), port, address);
  });
  const resolver = new dns.promises.Resolver({ timeout: 2000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return { socket, resolver };
}

await test('addresses, with and without their time to live', async () => {
  const { socket, resolver } = await nameServer([{ type: 1, ttl: 60, data: Buffer.from([1, 2, 3, 4]) }]);
  assert.deepStrictEqual(await resolver.resolve4('a.test'), ['1.2.3.4']);
  assert.deepStrictEqual(await resolver.resolve4('a.test', { ttl: true }), [{ address: '1.2.3.4', ttl: 60 }]);
  await assert.rejects(resolver.resolve6('a.test'), { code: 'ENODATA', syscall: 'queryAaaa', hostname: 'a.test' });
  socket.close();
});

await test('names in records may point back into the message', async () => {
  const data = Buffer.from([0, 10, 4, ...Buffer.from('mail'), 0xc0, 12]);
  const { socket, resolver } = await nameServer([{ type: 15, ttl: 1, data }]);
  assert.deepStrictEqual(await resolver.resolveMx('b.test'), [{ exchange: 'mail.b.test', priority: 10 }]);
  socket.close();
});

await test('an answer that makes no sense is EBADRESP', async () => {
  const { socket, resolver } = await nameServer([{ type: 1, ttl: 1, data: Buffer.from([1, 2, 3]) }]);
  await assert.rejects(resolver.resolve4('c.test'), { code: 'EBADRESP' });
  socket.close();
});
