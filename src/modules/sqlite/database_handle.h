// DatabaseHandle of binding('sqlite'): the native side of DatabaseSync.
// Thread: the isolate's. Owner: the JavaScript object; the connection lives as long as someone uses it.
#ifndef GYRE_MODULES_SQLITE_DATABASE_HANDLE_H_
#define GYRE_MODULES_SQLITE_DATABASE_HANDLE_H_

#include <memory>
#include <string>

#include "modules/sqlite/connection.h"

namespace gyre::modules::sqlite {

class DatabaseHandle : public Wrap {
 public:
  static const NativeClass kClass;

  DatabaseHandle(Realm& realm, v8::Local<v8::Object> object) : Wrap(realm, object, &kClass) {}

  /// open(location, readOnly, foreignKeys, doubleQuotedStrings, busyTimeout, allowExtension, defensive)
  void Open(Js& js, std::string location, bool read_only, bool foreign_keys, bool double_quoted, int32_t timeout,
            bool allow_extension, bool defensive);
  void Close(Js& js);
  bool IsOpen(Js&) { return connection_ != nullptr && connection_->is_open(); }
  bool InTransaction(Js& js);
  /// location(name): the file of a database, or null
  v8::Local<v8::Value> Location(Js& js, std::string name);
  void Exec(Js& js, std::string sql);
  /// prepare(sql) -> StatementHandle
  v8::MaybeLocal<v8::Value> Prepare(Js& js, std::string sql);
  /// createFunction(name, argc, flags, bigints, function)
  void CreateFunction(Js& js, std::string name, int32_t argc, int32_t flags, bool bigints,
                      v8::Local<v8::Function> function);
  /// createAggregate(name, argc, flags, bigints, start, step, inverse, result)
  void CreateAggregate(Js& js, const Info& info);
  void EnableLoadExtension(Js& js, bool on);
  void LoadExtension(Js& js, std::string path, std::optional<std::string> entry);
  void EnableDefensive(Js& js, bool on);
  void SetAuthorizer(Js& js, v8::Local<v8::Value> callback);
  /// createSession(table, database) -> SessionHandle
  v8::MaybeLocal<v8::Value> CreateSession(Js& js, std::optional<std::string> table, std::string database);
  /// applyChangeset(bytes, filter, onConflict) -> boolean
  void ApplyChangeset(Js& js, const Info& info);
  /// backup(location, source, target) -> BackupHandle
  v8::MaybeLocal<v8::Value> Backup(Js& js, std::string location, std::string source, std::string target);

  const std::shared_ptr<Connection>& connection() const { return connection_; }

 private:
  std::shared_ptr<Connection> connection_;
};

}  // namespace gyre::modules::sqlite

#endif  // GYRE_MODULES_SQLITE_DATABASE_HANDLE_H_
