// StatementHandle of binding('sqlite'): a prepared statement.
// Thread: the isolate's. Owner: the JavaScript object; it ends with its connection at the latest.
#ifndef GYRE_MODULES_SQLITE_STATEMENT_HANDLE_H_
#define GYRE_MODULES_SQLITE_STATEMENT_HANDLE_H_

#include <map>
#include <memory>
#include <string>

#include "modules/sqlite/connection.h"

namespace gyre::modules::sqlite {

class StatementHandle : public Wrap, public Dependent {
 public:
  static const NativeClass kClass;

  StatementHandle(Realm& realm, v8::Local<v8::Object> object, std::shared_ptr<Connection> connection,
                  sqlite3_stmt* statement);
  ~StatementHandle() override;

  // Each binds its arguments first.
  void All(Js& js, const Info& info);
  void Get(Js& js, const Info& info);
  /// run(...) -> [changes, lastInsertRowid], bigints or numbers
  void Run(Js& js, const Info& info);
  /// start(...): binds; next() then gives row after row, undefined at the end
  void Start(Js& js, const Info& info);
  v8::MaybeLocal<v8::Value> Next(Js& js);
  void Reset(Js& js);
  void Finalize(Js& js);
  bool IsFinalized(Js&) { return statement_ == nullptr; }
  /// columns() -> flat: column, database, name, table, type of each
  v8::MaybeLocal<v8::Value> Columns(Js& js);
  v8::Local<v8::Value> SourceSql(Js& js);
  v8::Local<v8::Value> ExpandedSql(Js& js);
  /// setOptions(bigints, arrays, bareNames, unknownNames)
  void SetOptions(Js& js, bool bigints, bool arrays, bool bare_names, bool unknown_names);

  void ConnectionClosing() override { Release(); }

 private:
  /// False, with an exception pending, when it is finalized or in the middle of a step.
  bool Alive(Js& js);
  int Step();
  void Release();
  bool Bind(Js& js, const Info& info);
  bool BindNamed(Js& js, v8::Local<v8::Object> values);
  bool CollectBareNames(Js& js);
  v8::MaybeLocal<v8::Value> Row(Js& js);
  v8::MaybeLocal<v8::Array> ColumnNames(Js& js);

  std::shared_ptr<Connection> connection_;
  sqlite3_stmt* statement_;
  bool stepping_ = false;
  RowStyle style_;
  bool bare_names_ = true;
  bool unknown_names_ = false;
  bool collected_ = false;
  std::map<std::string, std::string> bare_;  // name without its sigil -> with it
  v8::Global<v8::Array> names_;              // of the columns, kept between rows
};

}  // namespace gyre::modules::sqlite

#endif  // GYRE_MODULES_SQLITE_STATEMENT_HANDLE_H_
