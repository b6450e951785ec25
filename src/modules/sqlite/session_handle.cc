// The session extension of SQLite declares itself only on request.
#define SQLITE_ENABLE_SESSION
#define SQLITE_ENABLE_PREUPDATE_HOOK

#include "modules/sqlite/session_handle.h"

namespace gyre::modules::sqlite {
namespace {

constexpr NativeFunction kMethods[] = {
    Method<&SessionHandle::Changeset>("changeset"),
    Method<&SessionHandle::Patchset>("patchset"),
    Method<&SessionHandle::Close>("close"),
};

/// What the callbacks of one application need.
struct Application {
  Js& js;
  Connection& connection;
  v8::Local<v8::Function> filter;
  v8::Local<v8::Function> on_conflict;
};

int OnFilter(void* context, const char* table) {
  auto& application = *static_cast<Application*>(context);
  if (application.filter.IsEmpty()) return 1;
  if (application.connection.js_failed) return 0;
  Js& js = application.js;
  v8::Local<v8::Value> name = js.Str(table);
  v8::Local<v8::Value> verdict;
  if (!application.filter->Call(js.context, js.Undefined(), 1, &name).ToLocal(&verdict)) {
    application.connection.js_failed = true;
    return 0;
  }
  return verdict->BooleanValue(js.isolate) ? 1 : 0;
}

int OnConflict(void* context, int kind, sqlite3_changeset_iter*) {
  auto& application = *static_cast<Application*>(context);
  if (application.on_conflict.IsEmpty()) return SQLITE_CHANGESET_ABORT;
  if (application.connection.js_failed) return SQLITE_CHANGESET_ABORT;
  Js& js = application.js;
  v8::Local<v8::Value> argument = js.Int(kind);
  v8::Local<v8::Value> verdict;
  if (!application.on_conflict->Call(js.context, js.Undefined(), 1, &argument).ToLocal(&verdict)) {
    application.connection.js_failed = true;
    return SQLITE_CHANGESET_ABORT;
  }
  // An invalid code makes SQLite report the misuse.
  constexpr int kInvalid = -1;
  return verdict->IsInt32() ? verdict.As<v8::Int32>()->Value() : kInvalid;
}

}  // namespace

const NativeClass SessionHandle::kClass = {.name = "SessionHandle", .methods = kMethods};

SessionHandle::SessionHandle(Realm& realm, v8::Local<v8::Object> object, std::shared_ptr<Connection> connection,
                             sqlite3_session* session)
    : Wrap(realm, object, &kClass), connection_(std::move(connection)), session_(session) {
  connection_->dependents.insert(this);
}

SessionHandle::~SessionHandle() { Release(); }

void SessionHandle::Release() {
  if (session_ == nullptr) return;
  connection_->dependents.erase(this);
  sqlite3session_delete(std::exchange(session_, nullptr));
}

bool SessionHandle::Alive(Js& js) {
  if (!connection_->is_open()) {
    ThrowState(js, "database is not open");
    return false;
  }
  if (session_ != nullptr) return true;
  ThrowState(js, "session is not open");
  return false;
}

v8::MaybeLocal<v8::Value> SessionHandle::Collect(Js& js, int (*collect)(sqlite3_session*, int*, void**)) {
  if (!Alive(js)) return {};
  int size = 0;
  void* bytes = nullptr;
  int status = collect(session_, &size, &bytes);
  if (status != SQLITE_OK) {
    ThrowSqlite(js, *connection_);
    return {};
  }
  v8::Local<v8::ArrayBuffer> buffer = v8::ArrayBuffer::New(js.isolate, static_cast<size_t>(size));
  if (size > 0) memcpy(buffer->Data(), bytes, static_cast<size_t>(size));
  sqlite3_free(bytes);
  return v8::Uint8Array::New(buffer, 0, static_cast<size_t>(size));
}

v8::MaybeLocal<v8::Value> SessionHandle::Changeset(Js& js) { return Collect(js, &sqlite3session_changeset); }
v8::MaybeLocal<v8::Value> SessionHandle::Patchset(Js& js) { return Collect(js, &sqlite3session_patchset); }

void SessionHandle::Close(Js& js) {
  if (Alive(js)) Release();
}

v8::MaybeLocal<v8::Value> NewSession(Js& js, const std::shared_ptr<Connection>& connection, const char* table,
                                     const std::string& database) {
  sqlite3_session* session = nullptr;
  int status = sqlite3session_create(connection->db, database.c_str(), &session);
  if (status == SQLITE_OK) {
    status = sqlite3session_attach(session, table);
    if (status != SQLITE_OK) sqlite3session_delete(session);
  }
  if (status != SQLITE_OK) {
    ThrowSqlite(js, *connection);
    return {};
  }
  v8::Local<v8::Object> object;
  if (!Wrap::NewInstance(js, SessionHandle::kClass).ToLocal(&object)) {
    sqlite3session_delete(session);
    return {};
  }
  new SessionHandle(js.realm, object, connection, session);
  return object;
}

bool ApplyChangeset(Js& js, Connection& connection, BufferView bytes, v8::Local<v8::Function> filter,
                    v8::Local<v8::Function> on_conflict, bool& applied) {
  // A callback may detach the bytes.
  std::string copy(bytes.text());
  Application application{js, connection, filter, on_conflict};
  int status;
  {
    Running running(connection);
    status = sqlite3changeset_apply(connection.db, static_cast<int>(copy.size()), copy.data(), &OnFilter, &OnConflict,
                                    &application);
  }
  if (connection.js_failed) {
    connection.js_failed = false;
    return false;
  }
  applied = status == SQLITE_OK;
  if (status == SQLITE_OK || status == SQLITE_ABORT) return true;
  ThrowSqlite(js, status);
  return false;
}

}  // namespace gyre::modules::sqlite
