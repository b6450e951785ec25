// A connection to a SQLite database, and how its values and errors cross into JavaScript.
//
// Thread: the isolate's; a backup step uses the connection from a lane meanwhile, which SQLite's own mutex allows.
// Owner: shared by the DatabaseHandle, its statements and sessions; Close() ends what hangs on it first.
#ifndef GYRE_MODULES_SQLITE_CONNECTION_H_
#define GYRE_MODULES_SQLITE_CONNECTION_H_

#include <sqlite3.h>

#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>

#include "bridge/module.h"

namespace gyre::modules::sqlite {

/// What must end before its connection does.
class Dependent {
 public:
  virtual void ConnectionClosing() = 0;

 protected:
  ~Dependent() = default;
};

struct Connection {
  sqlite3* db = nullptr;
  std::unordered_set<Dependent*> dependents;
  /// A callback of JavaScript threw inside SQLite: its exception is pending, the error of SQLite is not worth telling.
  bool js_failed = false;
  /// How deep SQLite is in calls that may run JavaScript: closing has to wait.
  int running = 0;
  v8::Global<v8::Function> authorizer;

  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { Close(); }
  bool is_open() const { return db != nullptr; }
  void Close();
};

/// Marks the connection as running JavaScript perhaps.
class Running {
 public:
  explicit Running(Connection& connection) : connection_(connection) { connection_.running++; }
  ~Running() { connection_.running--; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  Connection& connection_;
};

/// An Error with code ERR_SQLITE_ERROR, errcode and errstr.
v8::Local<v8::Value> SqliteError(Js& js, int errcode, std::string_view message);
/// Throws what went wrong last, unless JavaScript's own exception is pending.
void ThrowSqlite(Js& js, Connection& connection);
void ThrowSqlite(Js& js, int errcode);

/// How rows are to be shown.
struct RowStyle {
  bool bigints = false;
  bool arrays = false;
};

/// The value of a column or of an argument; empty with an exception pending when a number does not fit.
v8::MaybeLocal<v8::Value> ColumnValue(Js& js, sqlite3_stmt* statement, int column, bool bigints);
v8::MaybeLocal<v8::Value> ArgumentValue(Js& js, sqlite3_value* value, bool bigints);

/// Binds a JavaScript value; false with an exception pending when it cannot be bound.
bool BindValue(Js& js, Connection& connection, sqlite3_stmt* statement, int index, v8::Local<v8::Value> value);
/// Makes a JavaScript value the result of a function of SQL; reports what cannot be one as an error of SQL.
void SetResult(Js& js, sqlite3_context* context, v8::Local<v8::Value> value);

void ThrowState(Js& js, const char* message);

}  // namespace gyre::modules::sqlite

#endif  // GYRE_MODULES_SQLITE_CONNECTION_H_
