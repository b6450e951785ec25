import assert from 'node:assert';
import { once } from 'node:events';
import http from 'node:http';
import { test } from '../../test/harness.mjs';

async function serving(handler, use) {
  const server = http.createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await use(`http://127.0.0.1:${server.address().port}/`);
  server.closeAllConnections();
  server.close();
}

const turns = async (count) => { for (let i = 0; i < count; i++) await new Promise(setImmediate); };

test('a reader that stops holds the server back', async () => {
  let written = 0;
  await serving((req, res) => {
    const more = () => {
      while (written < 1000) {
        written++;
        if (!res.write(Buffer.alloc(65536))) return void res.once('drain', more);
      }
      res.end();
    };
    more();
  }, async (url) => {
    const reader = (await fetch(url)).body.getReader();
    await reader.read();
    await turns(200);
    assert.ok(written < 500, `${written} of 1000 chunks were written`);
    await reader.cancel();
  });
});

test('a server that does not read holds the body back', async () => {
  let pulled = 0;
  let size = 0;
  const { promise: mayRead, resolve: read } = Promise.withResolvers();
  await serving(async (req, res) => {
    await mayRead;
    for await (const chunk of req) size += chunk.length;
    res.end();
  }, async (url) => {
    const body = new ReadableStream({
      pull(stream) {
        if (pulled++ === 1000) return stream.close();
        stream.enqueue(new Uint8Array(65536));
      },
    });
    const answer = fetch(url, { method: 'POST', body, duplex: 'half' });
    await turns(500);
    assert.ok(pulled < 500, `${pulled} of 1000 chunks were taken`);
    read();
    await (await answer).text();
    assert.strictEqual(size, 1000 * 65536);
  });
});

test('redirects change the method as the standard says, and never send credentials elsewhere', async () => {
  const answer = (req, res) => {
    const status = Number(req.url.slice(1));
    if (status) return res.writeHead(status, { location: '/' }).end();
    const { authorization, cookie } = req.headers;
    req.setEncoding('utf8').toArray().then((body) => {
      res.end([req.method, body.join(''), authorization ?? '-', cookie ?? '-'].join());
    });
  };
  await serving(answer, async (url) => {
    const asked = async (status, method) => (await fetch(`${url}${status}`, {
      method, body: method === 'GET' ? undefined : 'b', headers: { authorization: 'a', cookie: 'c' },
    })).text();
    assert.strictEqual(await asked(301, 'POST'), 'GET,,a,c');
    assert.strictEqual(await asked(302, 'PUT'), 'PUT,b,a,c');
    assert.strictEqual(await asked(303, 'PUT'), 'GET,,a,c');
    assert.strictEqual(await asked(307, 'POST'), 'POST,b,a,c');
    assert.strictEqual(await asked(308, 'GET'), 'GET,,a,c');
    await serving((req, res) => res.writeHead(302, { location: url }).end(), async (other) => {
      const response = await fetch(other, { headers: { authorization: 'a', cookie: 'c' } });
      assert.strictEqual(await response.text(), 'GET,,-,-');
      assert.deepStrictEqual([response.redirected, response.url], [true, url]);
    });
  });
  await serving((req, res) => res.writeHead(302, { location: '/' }).end(), async (url) => {
    await assert.rejects(fetch(url), (error) => error.cause.message === 'redirect count exceeded');
    await assert.rejects(fetch(url, { redirect: 'error' }), TypeError);
    assert.strictEqual((await fetch(url, { redirect: 'manual' })).status, 302);
  });
});

test('requests name themselves as those of Node.js', async () => {
  await serving((req, res) => res.end(req.headers['user-agent']), async (url) => {
    assert.strictEqual(await (await fetch(url)).text(), 'node');
  });
});
