const fastify = require('../test/packages/node_modules/fastify');
fastify().get('/', (request, reply) => { reply.type('text/plain').send('hello world'); }).listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
