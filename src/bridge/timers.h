// The native half of node:timers: one timer of the loop and the check phase, behind the lists kept in JavaScript.
#ifndef GYRE_BRIDGE_TIMERS_H_
#define GYRE_BRIDGE_TIMERS_H_

#include "engine/realm.h"

namespace gyre::bridge {

/// Connects a realm's timers and immediates to its loop. Once, before the program runs.
void AttachTimers(Realm& realm);

/// Tells the loop what the counts that JavaScript keeps in shared memory mean for it: whether immediates wait, whether
/// timers hold it open. JavaScript changes them without a call; the scope that entered it calls this when it ends.
void SyncTimers(Realm& realm);

extern const NativeModule kTimersModule;

}  // namespace gyre::bridge

#endif  // GYRE_BRIDGE_TIMERS_H_
