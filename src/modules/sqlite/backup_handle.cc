#include "modules/sqlite/backup_handle.h"

#include "bridge/lane_job.h"

namespace gyre::modules::sqlite {
namespace {

constexpr NativeFunction kMethods[] = {RawMethod<&BackupHandle::Step>("step"), Method<&BackupHandle::Close>("close")};

/// What a step came to, out of reach of V8.
struct Outcome {
  int status;
  int total;
  int remaining;
  int errcode = 0;
  std::string message = {};
};

Outcome TakeStep(BackupState& state, int pages) {
  int status = sqlite3_backup_step(state.backup, pages);
  Outcome outcome = {status, sqlite3_backup_pagecount(state.backup), sqlite3_backup_remaining(state.backup)};
  bool fine = status == SQLITE_OK || status == SQLITE_DONE || status == SQLITE_BUSY || status == SQLITE_LOCKED;
  if (fine) return outcome;
  outcome.errcode = status;
  outcome.message = sqlite3_errstr(status);
  return outcome;
}

void Report(Js& js, PendingCall& call, const Outcome& outcome) {
  if (outcome.errcode != 0) return call.Reject(js, SqliteError(js, outcome.errcode, outcome.message));
  v8::Local<v8::Value> values[] = {js.Bool(outcome.status == SQLITE_DONE), js.Int(outcome.total),
                                   js.Int(outcome.remaining)};
  call.Resolve(js, v8::Array::New(js.isolate, values, 3));
}

}  // namespace

const NativeClass BackupHandle::kClass = {.name = "BackupHandle", .methods = kMethods};

BackupState::~BackupState() {
  if (backup != nullptr) sqlite3_backup_finish(backup);
  if (target != nullptr) sqlite3_close_v2(target);
}

void BackupHandle::Step(Js& js, const Info& info) {
  int32_t pages;
  if (!engine::FromJs(js, info[0], 0, pages)) return;
  if (state_ == nullptr) return ThrowState(js, "backup is closed");
  std::unique_ptr<PendingCall> call = PendingCall::From(js, info[1]);
  if (call == nullptr) return;
  info.GetReturnValue().Set(call->result(js));
  bridge::RunOnLane(
      js, loop::Lane::kFs, "sqlite backup", std::move(call),
      [state = state_, pages] { return TakeStep(*state, pages); },
      [](Js& js, PendingCall& call, Outcome outcome) { Report(js, call, outcome); });
}

v8::MaybeLocal<v8::Value> BeginBackup(Js& js, const std::shared_ptr<Connection>& connection,
                                      const std::string& location, const std::string& source,
                                      const std::string& target) {
  auto state = std::make_shared<BackupState>();
  state->source = connection;
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
  int status = sqlite3_open_v2(location.c_str(), &state->target, kFlags, nullptr);
  if (status == SQLITE_OK) {
    state->backup = sqlite3_backup_init(state->target, target.c_str(), connection->db, source.c_str());
  }
  if (state->backup == nullptr) {
    int errcode = sqlite3_extended_errcode(state->target);
    js.isolate->ThrowException(SqliteError(js, errcode, sqlite3_errmsg(state->target)));
    return {};
  }
  v8::Local<v8::Object> object;
  if (!Wrap::NewInstance(js, BackupHandle::kClass).ToLocal(&object)) return {};
  new BackupHandle(js.realm, object, std::move(state));
  return object;
}

}  // namespace gyre::modules::sqlite
