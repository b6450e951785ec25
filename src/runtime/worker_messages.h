// Messages from any thread to any other by its id (worker_threads.postMessageToThread).
//
// Thread: any; the table is guarded. Owner: the process.
#ifndef GYRE_RUNTIME_WORKER_MESSAGES_H_
#define GYRE_RUNTIME_WORKER_MESSAGES_H_

#include <cstdint>
#include <memory>

#include "bridge/module.h"
#include "loop/loop.h"

namespace gyre::runtime {

/// A thread that is about to start can be written to: messages wait until it runs.
void AnnounceThread(uint32_t id);
/// Its realm is there, and its loop will run.
void AttachThread(Realm& realm);
/// It has ended: messages that it did not take have failed.
void ForgetThread(uint32_t id);

/// postToThread(id, value, transferList, callback): the callback gets 'delivered', 'errored' or 'failed'. Returns a number
/// for giveUp(), after which it is not called. Throws if the value cannot be cloned.
void PostToThread(const engine::Info& info);
void GiveUp(Js& js, uint32_t id);

}  // namespace gyre::runtime

#endif  // GYRE_RUNTIME_WORKER_MESSAGES_H_
