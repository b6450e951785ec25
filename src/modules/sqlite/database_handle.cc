#include "modules/sqlite/database_handle.h"

#include "modules/sqlite/backup_handle.h"
#include "modules/sqlite/open_connections.h"
#include "modules/sqlite/session_handle.h"
#include "modules/sqlite/statement_handle.h"
#include "modules/sqlite/user_functions.h"

namespace gyre::modules {
namespace sqlite {
namespace {

using Handle = DatabaseHandle;

void Construct(const Info& info) {
  Js js(info);
  new DatabaseHandle(js.realm, info.This());
}

constexpr NativeFunction kMethods[] = {
    Method<&Handle::Open>("open"),
    Method<&Handle::Close>("close"),
    Method<&Handle::IsOpen>("isOpen"),
    Method<&Handle::InTransaction>("inTransaction"),
    Method<&Handle::Location>("location"),
    Method<&Handle::Exec>("exec"),
    Method<&Handle::Prepare>("prepare"),
    Method<&Handle::CreateFunction>("createFunction"),
    RawMethod<&Handle::CreateAggregate>("createAggregate"),
    Method<&Handle::EnableLoadExtension>("enableLoadExtension"),
    Method<&Handle::LoadExtension>("loadExtension"),
    Method<&Handle::EnableDefensive>("enableDefensive"),
    Method<&Handle::SetAuthorizer>("setAuthorizer"),
    Method<&Handle::CreateSession>("createSession"),
    RawMethod<&Handle::ApplyChangeset>("applyChangeset"),
    Method<&Handle::Backup>("backup"),
};

bool Configure(sqlite3* db, int option, bool on) {
  int value = on ? 1 : 0;
  return sqlite3_db_config(db, option, value, nullptr) == SQLITE_OK;
}

int FailAuthorizer(Js& js, Connection& connection, const char* message) {
  if (message != nullptr) js.ThrowTypeError(message);
  connection.js_failed = true;
  return SQLITE_DENY;
}

/// Asks JavaScript whether a statement may do something; runs while it is prepared.
int Authorize(void* data, int action, const char* a, const char* b, const char* c, const char* d) {
  auto* connection = static_cast<Connection*>(data);
  if (connection->js_failed) return SQLITE_DENY;
  v8::Isolate* isolate = v8::Isolate::GetCurrent();
  v8::HandleScope handles(isolate);
  Js js(isolate);
  v8::Local<v8::Value> argv[5] = {js.Int(action)};
  const char* texts[4] = {a, b, c, d};
  for (int i = 0; i < 4; i++) {
    argv[i + 1] = texts[i] == nullptr ? v8::Local<v8::Value>(js.Null()) : v8::Local<v8::Value>(js.Str(texts[i]));
  }
  v8::Local<v8::Value> verdict;
  if (!connection->authorizer.Get(isolate)->Call(js.context, js.Undefined(), 5, argv).ToLocal(&verdict)) {
    return FailAuthorizer(js, *connection, nullptr);
  }
  if (!verdict->IsInt32()) {
    return FailAuthorizer(js, *connection, "Authorizer callback must return an integer authorization code");
  }
  int code = verdict.As<v8::Int32>()->Value();
  if (code == SQLITE_OK || code == SQLITE_DENY || code == SQLITE_IGNORE) return code;
  return FailAuthorizer(js, *connection, "Authorizer callback returned a invalid authorization code");
}

v8::Local<v8::Function> FunctionOrNone(v8::Local<v8::Value> value) {
  return value->IsFunction() ? value.As<v8::Function>() : v8::Local<v8::Function>();
}

}  // namespace

const NativeClass DatabaseHandle::kClass = {.name = "DatabaseHandle", .construct = &Construct, .methods = kMethods};

void DatabaseHandle::Open(Js& js, std::string location, bool read_only, bool foreign_keys, bool double_quoted,
                          int32_t timeout, bool allow_extension, bool defensive) {
  auto connection = std::make_shared<Connection>();
  int flags = SQLITE_OPEN_URI | (read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  int status = sqlite3_open_v2(location.c_str(), &connection->db, flags, nullptr);
  if (status != SQLITE_OK) return ThrowSqlite(js, *connection);
  sqlite3_extended_result_codes(connection->db, 0);
  bool fine = Configure(connection->db, SQLITE_DBCONFIG_DQS_DML, double_quoted) &&
              Configure(connection->db, SQLITE_DBCONFIG_DQS_DDL, double_quoted) &&
              Configure(connection->db, SQLITE_DBCONFIG_ENABLE_FKEY, foreign_keys) &&
              Configure(connection->db, SQLITE_DBCONFIG_DEFENSIVE, defensive) &&
              (!allow_extension || Configure(connection->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, true)) &&
              sqlite3_busy_timeout(connection->db, timeout) == SQLITE_OK;
  if (!fine) return ThrowSqlite(js, *connection);
  RememberConnection(js.realm, connection);
  connection_ = std::move(connection);
}

void DatabaseHandle::Close(Js& js) {
  if (connection_->running > 0) return ThrowState(js, "database is running a statement");
  connection_->Close();
}

bool DatabaseHandle::InTransaction(Js&) { return sqlite3_get_autocommit(connection_->db) == 0; }

v8::Local<v8::Value> DatabaseHandle::Location(Js& js, std::string name) {
  const char* file = sqlite3_db_filename(connection_->db, name.c_str());
  if (file == nullptr || *file == '\0') return js.Null();
  return js.Str(file);
}

void DatabaseHandle::Exec(Js& js, std::string sql) {
  Running running(*connection_);
  int status = sqlite3_exec(connection_->db, sql.c_str(), nullptr, nullptr, nullptr);
  if (status != SQLITE_OK || connection_->js_failed) ThrowSqlite(js, *connection_);
}

v8::MaybeLocal<v8::Value> DatabaseHandle::Prepare(Js& js, std::string sql) {
  sqlite3_stmt* statement = nullptr;
  int status;
  {
    Running running(*connection_);
    status = sqlite3_prepare_v2(connection_->db, sql.c_str(), static_cast<int>(sql.size()) + 1, &statement, nullptr);
  }
  if (status != SQLITE_OK || connection_->js_failed) {
    sqlite3_finalize(statement);
    ThrowSqlite(js, *connection_);
    return {};
  }
  v8::Local<v8::Object> object;
  if (!Wrap::NewInstance(js, StatementHandle::kClass).ToLocal(&object)) {
    sqlite3_finalize(statement);
    return {};
  }
  new StatementHandle(js.realm, object, connection_, statement);
  return object;
}

void DatabaseHandle::CreateFunction(Js& js, std::string name, int32_t argc, int32_t flags, bool bigints,
                                    v8::Local<v8::Function> function) {
  int status = AddFunction(js, connection_, name, argc, flags, bigints, function);
  if (status != SQLITE_OK) ThrowSqlite(js, *connection_);
}

void DatabaseHandle::CreateAggregate(Js& js, const Info& info) {
  std::string name;
  int32_t argc;
  int32_t flags;
  bool bigints;
  AggregateParts parts;
  parts.start = info[4];
  if (!engine::FromJs(js, info[0], 0, name) || !engine::FromJs(js, info[1], 1, argc) ||
      !engine::FromJs(js, info[2], 2, flags) || !engine::FromJs(js, info[3], 3, bigints) ||
      !engine::FromJs(js, info[5], 5, parts.step)) {
    return;
  }
  parts.inverse = FunctionOrNone(info[6]);
  parts.result = FunctionOrNone(info[7]);
  int status = AddAggregate(js, connection_, name, argc, flags, bigints, parts);
  if (status != SQLITE_OK) ThrowSqlite(js, *connection_);
}

void DatabaseHandle::EnableLoadExtension(Js& js, bool on) {
  if (!Configure(connection_->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, on)) ThrowSqlite(js, *connection_);
}

void DatabaseHandle::LoadExtension(Js& js, std::string path, std::optional<std::string> entry) {
  char* message = nullptr;
  int status = sqlite3_load_extension(connection_->db, path.c_str(), entry ? entry->c_str() : nullptr, &message);
  if (status == SQLITE_OK) return;
  v8::Local<v8::Object> error = v8::Exception::Error(js.Str(message != nullptr ? message : "")).As<v8::Object>();
  sqlite3_free(message);
  js.Set(error, "code", js.Str("ERR_LOAD_SQLITE_EXTENSION"));
  js.isolate->ThrowException(error);
}

void DatabaseHandle::EnableDefensive(Js& js, bool on) {
  if (!Configure(connection_->db, SQLITE_DBCONFIG_DEFENSIVE, on)) ThrowSqlite(js, *connection_);
}

void DatabaseHandle::SetAuthorizer(Js& js, v8::Local<v8::Value> callback) {
  if (callback->IsFunction()) {
    connection_->authorizer.Reset(js.isolate, callback.As<v8::Function>());
    sqlite3_set_authorizer(connection_->db, &Authorize, connection_.get());
  } else {
    sqlite3_set_authorizer(connection_->db, nullptr, nullptr);
    connection_->authorizer.Reset();
  }
}

v8::MaybeLocal<v8::Value> DatabaseHandle::CreateSession(Js& js, std::optional<std::string> table,
                                                        std::string database) {
  return NewSession(js, connection_, table ? table->c_str() : nullptr, database);
}

void DatabaseHandle::ApplyChangeset(Js& js, const Info& info) {
  BufferView bytes;
  if (!engine::FromJs(js, info[0], 0, bytes)) return;
  bool applied = false;
  std::shared_ptr<Connection> connection = connection_;
  if (sqlite::ApplyChangeset(js, *connection, bytes, FunctionOrNone(info[1]), FunctionOrNone(info[2]), applied)) {
    info.GetReturnValue().Set(applied);
  }
}

v8::MaybeLocal<v8::Value> DatabaseHandle::Backup(Js& js, std::string location, std::string source, std::string target) {
  return BeginBackup(js, connection_, location, source, target);
}

namespace {

const NativeClass* const kClasses[] = {&DatabaseHandle::kClass, &StatementHandle::kClass, &SessionHandle::kClass,
                                       &BackupHandle::kClass};

void Init(Js& js, v8::Local<v8::Object> target) {
  js.Set(target, "version", js.Str(SQLITE_VERSION));
  js.Set(target, "kDeterministic", js.Int(SQLITE_DETERMINISTIC));
  js.Set(target, "kDirectOnly", js.Int(SQLITE_DIRECTONLY));
  js.Set(target, "kPromise", v8::Symbol::New(js.isolate, js.Str("kPromise")));
}

}  // namespace
}  // namespace sqlite

extern const NativeModule kSqliteModule;
const NativeModule kSqliteModule = {.name = "sqlite", .classes = sqlite::kClasses, .init = &sqlite::Init};

}  // namespace gyre::modules
