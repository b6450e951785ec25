// Runs the blocking part of an operation on a lane and its completion in JavaScript's thread.
#ifndef GYRE_BRIDGE_LANE_JOB_H_
#define GYRE_BRIDGE_LANE_JOB_H_

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "bridge/pending_call.h"
#include "loop/lanes.h"

namespace gyre::bridge {

/// `work()` runs on a thread of the lane: it must not touch V8, and everything it uses it owns. What it returns goes
/// to `done(Js&, PendingCall&, T)` on the isolate's thread, inside the JsScope of the call; `done` resolves or
/// rejects the call. Whatever `work` and `done` captured is destroyed on the isolate's thread. If the realm ends first, `done` never runs.
template <typename Work, typename Done>
loop::JobId RunOnLane(Js& js, loop::Lane lane, const char* kind, std::unique_ptr<PendingCall> call, Work work,
                      Done done) {
  using T = std::invoke_result_t<Work&>;
  struct State {
    Realm& realm;
    std::unique_ptr<PendingCall> call;
    Work work;
    Done done;
    std::optional<T> result;
  };
  auto state = std::make_shared<State>(State{js.realm, std::move(call), std::move(work), std::move(done), std::nullopt});
  return loop::lanes::Submit(
      js.realm.loop(), lane, {.kind = kind}, [state = state.get()] { state->result.emplace(state->work()); },
      [state](base::Result<void> outcome) {
        if (state->realm.terminating) return;
        JsScope scope(state->realm, state->call->async_context());
        if (!outcome.has_value()) {
          state->call->Reject(scope.js(), scope.js().SystemError(outcome.error()));
          return;
        }
        state->done(scope.js(), *state->call, std::move(*state->result));
      });
}

}  // namespace gyre::bridge

#endif  // GYRE_BRIDGE_LANE_JOB_H_
