#include "modules/sqlite/connection.h"

namespace gyre::modules::sqlite {
namespace {

constexpr int64_t kMaxSafeInteger = (int64_t{1} << 53) - 1;

v8::MaybeLocal<v8::Value> IntegerValue(Js& js, int64_t value, bool bigints) {
  if (bigints) return v8::BigInt::New(js.isolate, value);
  if (value >= -kMaxSafeInteger && value <= kMaxSafeInteger) return js.Num(static_cast<double>(value));
  std::string message = "Value is too large to be represented as a JavaScript number: " + std::to_string(value);
  v8::Local<v8::Object> error = v8::Exception::RangeError(js.Str(message)).As<v8::Object>();
  js.Set(error, "code", js.Str("ERR_OUT_OF_RANGE"));
  js.isolate->ThrowException(error);
  return {};
}

v8::Local<v8::Value> BlobValue(Js& js, const void* bytes, int size) {
  v8::Local<v8::ArrayBuffer> buffer = v8::ArrayBuffer::New(js.isolate, static_cast<size_t>(size));
  if (size > 0) memcpy(buffer->Data(), bytes, static_cast<size_t>(size));
  return v8::Uint8Array::New(buffer, 0, static_cast<size_t>(size));
}

v8::Local<v8::Value> TextValue(Js& js, const void* text, int size) {
  return js.Str({static_cast<const char*>(text), static_cast<size_t>(size)});
}

void ThrowTyped(Js& js, const char* code, const std::string& message) {
  v8::Local<v8::Object> error = v8::Exception::TypeError(js.Str(message)).As<v8::Object>();
  js.Set(error, "code", js.Str(code));
  js.isolate->ThrowException(error);
}

}  // namespace

void Connection::Close() {
  if (db == nullptr) return;
  // Each takes itself off the list.
  while (!dependents.empty()) {
    Dependent* one = *dependents.begin();
    dependents.erase(dependents.begin());
    one->ConnectionClosing();
  }
  sqlite3_close_v2(std::exchange(db, nullptr));
  authorizer.Reset();
}

v8::Local<v8::Value> SqliteError(Js& js, int errcode, std::string_view message) {
  v8::Local<v8::Object> error = v8::Exception::Error(js.Str(message)).As<v8::Object>();
  js.Set(error, "code", js.Str("ERR_SQLITE_ERROR"));
  js.Set(error, "errcode", js.Int(errcode));
  js.Set(error, "errstr", js.Str(sqlite3_errstr(errcode)));
  return error;
}

void ThrowSqlite(Js& js, Connection& connection) {
  if (std::exchange(connection.js_failed, false)) return;
  int errcode = sqlite3_extended_errcode(connection.db);
  js.isolate->ThrowException(SqliteError(js, errcode, sqlite3_errmsg(connection.db)));
}

void ThrowSqlite(Js& js, int errcode) { js.isolate->ThrowException(SqliteError(js, errcode, sqlite3_errstr(errcode))); }

v8::MaybeLocal<v8::Value> ColumnValue(Js& js, sqlite3_stmt* statement, int column, bool bigints) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return IntegerValue(js, sqlite3_column_int64(statement, column), bigints);
    case SQLITE_FLOAT:
      return js.Num(sqlite3_column_double(statement, column));
    case SQLITE_TEXT: {
      const unsigned char* text = sqlite3_column_text(statement, column);
      return TextValue(js, text, sqlite3_column_bytes(statement, column));
    }
    case SQLITE_BLOB: {
      const void* bytes = sqlite3_column_blob(statement, column);
      return BlobValue(js, bytes, sqlite3_column_bytes(statement, column));
    }
    default:
      return js.Null();
  }
}

v8::MaybeLocal<v8::Value> ArgumentValue(Js& js, sqlite3_value* value, bool bigints) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      return IntegerValue(js, sqlite3_value_int64(value), bigints);
    case SQLITE_FLOAT:
      return js.Num(sqlite3_value_double(value));
    case SQLITE_TEXT: {
      const unsigned char* text = sqlite3_value_text(value);
      return TextValue(js, text, sqlite3_value_bytes(value));
    }
    case SQLITE_BLOB: {
      const void* bytes = sqlite3_value_blob(value);
      return BlobValue(js, bytes, sqlite3_value_bytes(value));
    }
    default:
      return js.Null();
  }
}

bool BindValue(Js& js, Connection& connection, sqlite3_stmt* statement, int index, v8::Local<v8::Value> value) {
  int status;
  if (value->IsNumber()) {
    status = sqlite3_bind_double(statement, index, value.As<v8::Number>()->Value());
  } else if (value->IsString()) {
    std::string text = js.Utf8(value);
    status = sqlite3_bind_text64(statement, index, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  } else if (value->IsNull()) {
    status = sqlite3_bind_null(statement, index);
  } else if (value->IsArrayBufferView()) {
    BufferView bytes = *BytesOf(value);
    // A null pointer would bind NULL.
    status = bytes.empty() ? sqlite3_bind_zeroblob(statement, index, 0)
                           : sqlite3_bind_blob64(statement, index, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
  } else if (value->IsBigInt()) {
    bool lossless = false;
    int64_t number = value.As<v8::BigInt>()->Int64Value(&lossless);
    if (!lossless) {
      ThrowTyped(js, "ERR_INVALID_ARG_VALUE", "BigInt value is too large to bind.");
      return false;
    }
    status = sqlite3_bind_int64(statement, index, number);
  } else {
    std::string message = "Provided value cannot be bound to SQLite parameter " + std::to_string(index) + ".";
    ThrowTyped(js, "ERR_INVALID_ARG_TYPE", message);
    return false;
  }
  if (status == SQLITE_OK) return true;
  ThrowSqlite(js, connection);
  return false;
}

void SetResult(Js& js, sqlite3_context* context, v8::Local<v8::Value> value) {
  if (value->IsNullOrUndefined()) {
    sqlite3_result_null(context);
  } else if (value->IsNumber()) {
    sqlite3_result_double(context, value.As<v8::Number>()->Value());
  } else if (value->IsString()) {
    std::string text = js.Utf8(value);
    sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  } else if (value->IsArrayBufferView()) {
    BufferView bytes = *BytesOf(value);
    if (bytes.empty()) {
      sqlite3_result_zeroblob(context, 0);
    } else {
      sqlite3_result_blob64(context, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
    }
  } else if (value->IsBigInt()) {
    bool lossless = false;
    int64_t number = value.As<v8::BigInt>()->Int64Value(&lossless);
    if (!lossless) return sqlite3_result_error(context, "BigInt value is too large for SQLite", -1);
    sqlite3_result_int64(context, number);
  } else if (value->IsPromise()) {
    sqlite3_result_error(context, "Asynchronous user-defined functions are not supported", -1);
  } else {
    sqlite3_result_error(context, "Returned JavaScript value cannot be converted to a SQLite value", -1);
  }
}

void ThrowState(Js& js, const char* message) {
  v8::Local<v8::Object> error = v8::Exception::Error(js.Str(message)).As<v8::Object>();
  js.Set(error, "code", js.Str("ERR_INVALID_STATE"));
  js.isolate->ThrowException(error);
}

}  // namespace gyre::modules::sqlite
