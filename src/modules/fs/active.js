'use strict';

// What process.getActiveResourcesInfo() tells of files: calls under way, and watchers that hold the loop.

const { StatWatcher, activeWatchers, kIsRefed } = require('#fs/watchers');
const native = binding('fs');

// Stand-ins for what process._getActiveRequests() lists; there is no object a call.
class FSReqCallback {}
class FSReqPromise {}

function activeFiles() {
  const entries = [];
  const [callbacks, promises] = native.pendingCalls();
  const add = (type, count, Request) => {
    for (let i = 0; i < count; i++) entries.push({ type, resource: new Request(), request: true });
  };
  add('FSReqCallback', callbacks, FSReqCallback);
  add('FSReqPromise', promises, FSReqPromise);
  for (const watcher of activeWatchers) {
    if (!watcher[kIsRefed]) continue;
    entries.push({ type: watcher instanceof StatWatcher ? 'StatWatcher' : 'FSEventWrap', resource: watcher });
  }
  return entries;
}

module.exports = { activeFiles };
