const express = require('../test/packages/node_modules/express');
express().get('/', (req, res) => { res.type('text/plain').send('hello world'); }).listen(Number(process.env.PORT), '127.0.0.1');
