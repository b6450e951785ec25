// SessionHandle of binding('sqlite'): records the changes of a database.
// Thread: the isolate's. Owner: the JavaScript object; it ends with its connection at the latest.
#ifndef GYRE_MODULES_SQLITE_SESSION_HANDLE_H_
#define GYRE_MODULES_SQLITE_SESSION_HANDLE_H_

#include <memory>

#include "modules/sqlite/connection.h"

struct sqlite3_session;

namespace gyre::modules::sqlite {

class SessionHandle : public Wrap, public Dependent {
 public:
  static const NativeClass kClass;

  SessionHandle(Realm& realm, v8::Local<v8::Object> object, std::shared_ptr<Connection> connection,
                sqlite3_session* session);
  ~SessionHandle() override;

  v8::MaybeLocal<v8::Value> Changeset(Js& js);
  v8::MaybeLocal<v8::Value> Patchset(Js& js);
  void Close(Js& js);

  void ConnectionClosing() override { Release(); }

 private:
  bool Alive(Js& js);
  void Release();
  v8::MaybeLocal<v8::Value> Collect(Js& js, int (*collect)(sqlite3_session*, int*, void**));

  std::shared_ptr<Connection> connection_;
  sqlite3_session* session_;
};

/// Applies a changeset; filter and on_conflict may be empty. Sets `applied`; false with an exception pending.
bool ApplyChangeset(Js& js, Connection& connection, BufferView bytes, v8::Local<v8::Function> filter,
                    v8::Local<v8::Function> on_conflict, bool& applied);

/// Starts a session on `database`, for one table or (null) all. Empty with an exception pending.
v8::MaybeLocal<v8::Value> NewSession(Js& js, const std::shared_ptr<Connection>& connection, const char* table,
                                     const std::string& database);

}  // namespace gyre::modules::sqlite

#endif  // GYRE_MODULES_SQLITE_SESSION_HANDLE_H_
