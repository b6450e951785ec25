#include "modules/sqlite/statement_handle.h"

#include <vector>

namespace gyre::modules::sqlite {
namespace {

using Handle = StatementHandle;

constexpr NativeFunction kMethods[] = {
    RawMethod<&Handle::All>("all"),
    RawMethod<&Handle::Get>("get"),
    RawMethod<&Handle::Run>("run"),
    RawMethod<&Handle::Start>("start"),
    Method<&Handle::Next>("next"),
    Method<&Handle::Reset>("reset"),
    Method<&Handle::Finalize>("finalize"),
    Method<&Handle::IsFinalized>("isFinalized"),
    Method<&Handle::Columns>("columns"),
    Method<&Handle::SourceSql>("sourceSQL"),
    Method<&Handle::ExpandedSql>("expandedSQL"),
    Method<&Handle::SetOptions>("setOptions"),
};

v8::Local<v8::Value> TextOrNull(Js& js, const char* text) {
  if (text == nullptr) return js.Null();
  return js.Str(text);
}

/// Whether a parameter has a name; `?NNN` only has a number.
bool IsNamed(sqlite3_stmt* statement, int index) {
  const char* name = sqlite3_bind_parameter_name(statement, index);
  return name != nullptr && name[0] != '?';
}

/// Leaves the statement ready for its next use, however the function ends.
struct ResetAtEnd {
  sqlite3_stmt* statement;
  ~ResetAtEnd() { sqlite3_reset(statement); }
};

}  // namespace

const NativeClass StatementHandle::kClass = {.name = "StatementHandle", .methods = kMethods};

StatementHandle::StatementHandle(Realm& realm, v8::Local<v8::Object> object, std::shared_ptr<Connection> connection,
                                 sqlite3_stmt* statement)
    : Wrap(realm, object, &kClass), connection_(std::move(connection)), statement_(statement) {
  connection_->dependents.insert(this);
}

StatementHandle::~StatementHandle() { Release(); }

void StatementHandle::Release() {
  if (statement_ == nullptr) return;
  connection_->dependents.erase(this);
  sqlite3_finalize(std::exchange(statement_, nullptr));
}

bool StatementHandle::Alive(Js& js) {
  if (statement_ != nullptr && !stepping_) return true;
  ThrowState(js, stepping_ ? "statement is running" : "statement has been finalized");
  return false;
}

int StatementHandle::Step() {
  Running running(*connection_);
  stepping_ = true;
  int status = sqlite3_step(statement_);
  stepping_ = false;
  return status;
}

bool StatementHandle::CollectBareNames(Js& js) {
  if (collected_) return true;
  int count = sqlite3_bind_parameter_count(statement_);
  for (int i = 1; i <= count; i++) {
    if (!IsNamed(statement_, i)) continue;
    const char* full = sqlite3_bind_parameter_name(statement_, i);
    auto [at, added] = bare_.emplace(full + 1, full);
    if (!added && at->second != full) {
      std::string message = "Cannot create bare named parameter '" + at->first + "' because of conflicting names '" +
                            at->second + "' and '" + full + "'.";
      bare_.clear();
      ThrowState(js, message.c_str());
      return false;
    }
  }
  collected_ = true;
  return true;
}

bool StatementHandle::BindNamed(Js& js, v8::Local<v8::Object> values) {
  v8::Local<v8::Array> keys;
  if (!values->GetOwnPropertyNames(js.context).ToLocal(&keys)) return false;
  if (bare_names_ && !CollectBareNames(js)) return false;
  for (uint32_t i = 0; i < keys->Length(); i++) {
    v8::Local<v8::Value> key;
    v8::Local<v8::Value> value;
    if (!keys->Get(js.context, i).ToLocal(&key)) return false;
    std::string name = js.Utf8(key);
    int index = sqlite3_bind_parameter_index(statement_, name.c_str());
    if (index == 0 && bare_names_) {
      auto found = bare_.find(name);
      if (found != bare_.end()) index = sqlite3_bind_parameter_index(statement_, found->second.c_str());
    }
    if (index == 0) {
      if (unknown_names_) continue;
      ThrowState(js, ("Unknown named parameter '" + name + "'").c_str());
      return false;
    }
    if (!values->Get(js.context, key).ToLocal(&value)) return false;
    if (statement_ == nullptr || !BindValue(js, *connection_, statement_, index, value)) return false;
  }
  return true;
}

bool StatementHandle::Bind(Js& js, const Info& info) {
  int status = sqlite3_clear_bindings(statement_);
  if (status != SQLITE_OK) {
    ThrowSqlite(js, *connection_);
    return false;
  }
  int first = 0;
  if (info.Length() > 0 && info[0]->IsObject() && !info[0]->IsArrayBufferView() && !info[0]->IsArrayBuffer()) {
    if (!BindNamed(js, info[0].As<v8::Object>())) return false;
    if (!Alive(js)) return false;
    first = 1;
  }
  int index = 1;
  for (int i = first; i < info.Length(); i++, index++) {
    // Named parameters have had their values.
    while (IsNamed(statement_, index)) index++;
    if (!BindValue(js, *connection_, statement_, index, info[i])) return false;
  }
  return true;
}

v8::MaybeLocal<v8::Array> StatementHandle::ColumnNames(Js& js) {
  int count = sqlite3_column_count(statement_);
  // A changed schema may change `SELECT *`.
  if (!names_.IsEmpty()) {
    v8::Local<v8::Array> kept = names_.Get(js.isolate);
    if (kept->Length() == static_cast<uint32_t>(count)) return kept;
  }
  std::vector<v8::Local<v8::Value>> names;
  for (int i = 0; i < count; i++) names.push_back(js.Name(sqlite3_column_name(statement_, i)));
  v8::Local<v8::Array> array = v8::Array::New(js.isolate, names.data(), names.size());
  names_.Reset(js.isolate, array);
  return array;
}

v8::MaybeLocal<v8::Value> StatementHandle::Row(Js& js) {
  int count = sqlite3_column_count(statement_);
  std::vector<v8::Local<v8::Value>> values(static_cast<size_t>(count));
  for (int i = 0; i < count; i++) {
    if (!ColumnValue(js, statement_, i, style_.bigints).ToLocal(&values[static_cast<size_t>(i)])) return {};
  }
  if (style_.arrays) return v8::Array::New(js.isolate, values.data(), values.size());
  v8::Local<v8::Array> names;
  if (!ColumnNames(js).ToLocal(&names)) return {};
  std::vector<v8::Local<v8::Name>> keys;
  for (int i = 0; i < count; i++) {
    v8::Local<v8::Value> name;
    if (!names->Get(js.context, static_cast<uint32_t>(i)).ToLocal(&name)) return {};
    keys.push_back(name.As<v8::Name>());
  }
  return v8::Object::New(js.isolate, js.Null(), keys.data(), values.data(), values.size());
}

void StatementHandle::All(Js& js, const Info& info) {
  if (!Alive(js)) return;
  sqlite3_reset(statement_);
  if (!Bind(js, info)) return;
  ResetAtEnd reset{statement_};
  std::vector<v8::Local<v8::Value>> rows;
  names_.Reset();
  int status;
  while ((status = Step()) == SQLITE_ROW) {
    v8::Local<v8::Value> row;
    if (!Row(js).ToLocal(&row)) return;
    rows.push_back(row);
  }
  if (status != SQLITE_DONE || connection_->js_failed) return ThrowSqlite(js, *connection_);
  info.GetReturnValue().Set(v8::Array::New(js.isolate, rows.data(), rows.size()));
}

void StatementHandle::Get(Js& js, const Info& info) {
  if (!Alive(js)) return;
  sqlite3_reset(statement_);
  if (!Bind(js, info)) return;
  ResetAtEnd reset{statement_};
  names_.Reset();
  int status = Step();
  if (status == SQLITE_DONE && !connection_->js_failed) return;
  if (status != SQLITE_ROW || connection_->js_failed) return ThrowSqlite(js, *connection_);
  if (sqlite3_column_count(statement_) == 0) return;
  v8::Local<v8::Value> row;
  if (Row(js).ToLocal(&row)) info.GetReturnValue().Set(row);
}

void StatementHandle::Run(Js& js, const Info& info) {
  if (!Alive(js)) return;
  sqlite3_reset(statement_);
  if (!Bind(js, info)) return;
  {
    ResetAtEnd reset{statement_};
    int status;
    do {
      status = Step();
    } while (status == SQLITE_ROW);
    if (status != SQLITE_DONE || connection_->js_failed) return ThrowSqlite(js, *connection_);
  }
  int64_t id = sqlite3_last_insert_rowid(connection_->db);
  int64_t changes = sqlite3_changes64(connection_->db);
  v8::Local<v8::Value> pair[2];
  if (style_.bigints) {
    pair[0] = v8::BigInt::New(js.isolate, changes);
    pair[1] = v8::BigInt::New(js.isolate, id);
  } else {
    pair[0] = js.Num(static_cast<double>(changes));
    pair[1] = js.Num(static_cast<double>(id));
  }
  info.GetReturnValue().Set(v8::Array::New(js.isolate, pair, 2));
}

void StatementHandle::Start(Js& js, const Info& info) {
  if (!Alive(js)) return;
  sqlite3_reset(statement_);
  names_.Reset();
  (void)Bind(js, info);
}

v8::MaybeLocal<v8::Value> StatementHandle::Next(Js& js) {
  if (!Alive(js)) return {};
  int status = Step();
  if (status == SQLITE_ROW && !connection_->js_failed) return Row(js);
  if (status != SQLITE_DONE || connection_->js_failed) {
    ThrowSqlite(js, *connection_);
    return {};
  }
  sqlite3_reset(statement_);
  return js.Undefined();
}

void StatementHandle::Reset(Js&) {
  if (statement_ != nullptr && !stepping_) sqlite3_reset(statement_);
}

void StatementHandle::Finalize(Js& js) {
  if (statement_ != nullptr && Alive(js)) Release();
}

v8::MaybeLocal<v8::Value> StatementHandle::Columns(Js& js) {
  if (!Alive(js)) return {};
  std::vector<v8::Local<v8::Value>> values;
  int count = sqlite3_column_count(statement_);
  for (int i = 0; i < count; i++) {
    values.push_back(TextOrNull(js, sqlite3_column_origin_name(statement_, i)));
    values.push_back(TextOrNull(js, sqlite3_column_database_name(statement_, i)));
    values.push_back(TextOrNull(js, sqlite3_column_name(statement_, i)));
    values.push_back(TextOrNull(js, sqlite3_column_table_name(statement_, i)));
    values.push_back(TextOrNull(js, sqlite3_column_decltype(statement_, i)));
  }
  return v8::Array::New(js.isolate, values.data(), values.size());
}

v8::Local<v8::Value> StatementHandle::SourceSql(Js& js) {
  if (!Alive(js)) return {};
  return TextOrNull(js, sqlite3_sql(statement_));
}

v8::Local<v8::Value> StatementHandle::ExpandedSql(Js& js) {
  if (!Alive(js)) return {};
  char* text = sqlite3_expanded_sql(statement_);
  v8::Local<v8::Value> value = TextOrNull(js, text);
  sqlite3_free(text);
  return value;
}

void StatementHandle::SetOptions(Js&, bool bigints, bool arrays, bool bare_names, bool unknown_names) {
  style_ = {.bigints = bigints, .arrays = arrays};
  bare_names_ = bare_names;
  unknown_names_ = unknown_names;
}

}  // namespace gyre::modules::sqlite
