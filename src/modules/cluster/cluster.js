'use strict';

// node:cluster: one of two, as this process is the primary or a worker.

module.exports = require('#cluster/role').isWorker() ? require('#cluster/child') : require('#cluster/primary');
