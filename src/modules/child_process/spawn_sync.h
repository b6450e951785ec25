// spawnSync: starts a child and waits for it on a loop of its own, so that nothing else of the program runs meanwhile.
// Thread: the isolate's. No state.
#ifndef GYRE_MODULES_CHILD_PROCESS_SPAWN_SYNC_H_
#define GYRE_MODULES_CHILD_PROCESS_SPAWN_SYNC_H_

#include "bridge/module.h"

namespace gyre::modules {

/// spawnSync({ ...spawn's, timeout, maxBuffer, killSignal, stdio: [{ input }] }) gives { pid, status, signal, output, error },
/// `error` a negative errno.
void SpawnSync(const Info& info);

}  // namespace gyre::modules

#endif  // GYRE_MODULES_CHILD_PROCESS_SPAWN_SYNC_H_
