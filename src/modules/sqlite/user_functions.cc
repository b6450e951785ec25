#include "modules/sqlite/user_functions.h"

#include <new>
#include <vector>

namespace gyre::modules::sqlite {
namespace {

/// Tells SQLite that JavaScript threw; the exception stays pending and is what the caller will see.
void Failed(sqlite3_context* context, Connection& connection) {
  connection.js_failed = true;
  sqlite3_result_error(context, "", 0);
}

struct UserFunction {
  Realm& realm;
  // Not shared: the connection owns us, through SQLite.
  Connection& connection;
  bool bigints;
  v8::Global<v8::Function> function;

  static void Call(sqlite3_context* context, int argc, sqlite3_value** argv);
  static void Destroy(void* self) { delete static_cast<UserFunction*>(self); }
};

/// The arguments of a call, behind `first` if that is given; false with an exception pending.
bool Arguments(Js& js, v8::Local<v8::Value> first, int argc, sqlite3_value** argv, bool bigints,
               std::vector<v8::Local<v8::Value>>& out) {
  if (!first.IsEmpty()) out.push_back(first);
  for (int i = 0; i < argc; i++) {
    v8::Local<v8::Value> value;
    if (!ArgumentValue(js, argv[i], bigints).ToLocal(&value)) return false;
    out.push_back(value);
  }
  return true;
}

v8::MaybeLocal<v8::Value> Invoke(Js& js, v8::Local<v8::Function> function, std::vector<v8::Local<v8::Value>>& args) {
  return function->Call(js.context, js.Undefined(), static_cast<int>(args.size()), args.data());
}

void UserFunction::Call(sqlite3_context* context, int argc, sqlite3_value** argv) {
  auto* self = static_cast<UserFunction*>(sqlite3_user_data(context));
  if (self->connection.js_failed) return Failed(context, self->connection);
  Js js(self->realm);
  v8::HandleScope handles(js.isolate);
  std::vector<v8::Local<v8::Value>> args;
  v8::Local<v8::Value> result;
  if (!Arguments(js, {}, argc, argv, self->bigints, args) ||
      !Invoke(js, self->function.Get(js.isolate), args).ToLocal(&result)) {
    return Failed(context, self->connection);
  }
  SetResult(js, context, result);
}

struct Aggregate {
  Realm& realm;
  Connection& connection;
  bool bigints;
  v8::Global<v8::Value> start;
  v8::Global<v8::Function> step;
  v8::Global<v8::Function> inverse;
  v8::Global<v8::Function> result;

  static Aggregate& Of(sqlite3_context* context) { return *static_cast<Aggregate*>(sqlite3_user_data(context)); }
  static void Destroy(void* self) { delete static_cast<Aggregate*>(self); }
  static void Step(sqlite3_context* context, int argc, sqlite3_value** argv) {
    Aggregate& self = Of(context);
    self.Advance(context, self.step, argc, argv);
  }
  static void Inverse(sqlite3_context* context, int argc, sqlite3_value** argv) {
    Aggregate& self = Of(context);
    self.Advance(context, self.inverse, argc, argv);
  }
  static void Value(sqlite3_context* context) { Of(context).Report(context, /*last=*/false); }
  static void Final(sqlite3_context* context) { Of(context).Report(context, /*last=*/true); }

  /// One group being gathered; lives in memory of SQLite, zeroed at first.
  struct Group {
    bool begun;
    bool valued;  // used as a window function: its values have been told row by row
    v8::Global<v8::Value>* value;
  };
  Group* GroupOf(Js& js, sqlite3_context* context);
  void Advance(sqlite3_context* context, v8::Global<v8::Function>& function, int argc, sqlite3_value** argv);
  void Report(sqlite3_context* context, bool last);
};

/// The group of this call, begun if it was not; null when `start` threw.
Aggregate::Group* Aggregate::GroupOf(Js& js, sqlite3_context* context) {
  auto* group = static_cast<Group*>(sqlite3_aggregate_context(context, sizeof(Group)));
  if (group == nullptr) {
    sqlite3_result_error_nomem(context);
    return nullptr;
  }
  if (group->begun) return group;
  v8::Local<v8::Value> value = start.Get(js.isolate);
  if (value->IsFunction()) {
    v8::Local<v8::Value> made;
    if (!value.As<v8::Function>()->Call(js.context, js.Undefined(), 0, nullptr).ToLocal(&made)) {
      Failed(context, connection);
      return nullptr;
    }
    value = made;
  }
  group->begun = true;
  group->value = new v8::Global<v8::Value>(js.isolate, value);
  return group;
}

void Aggregate::Advance(sqlite3_context* context, v8::Global<v8::Function>& function, int argc, sqlite3_value** argv) {
  if (connection.js_failed) return Failed(context, connection);
  Js js(realm);
  v8::HandleScope handles(js.isolate);
  Group* group = GroupOf(js, context);
  if (group == nullptr) return;
  std::vector<v8::Local<v8::Value>> args;
  v8::Local<v8::Value> value;
  if (!Arguments(js, group->value->Get(js.isolate), argc, argv, bigints, args) ||
      !Invoke(js, function.Get(js.isolate), args).ToLocal(&value)) {
    return Failed(context, connection);
  }
  group->value->Reset(js.isolate, value);
}

void Aggregate::Report(sqlite3_context* context, bool last) {
  Js js(realm);
  v8::HandleScope handles(js.isolate);
  // A group may end without a single row, or because something failed before.
  Group* group =
      connection.js_failed ? static_cast<Group*>(sqlite3_aggregate_context(context, 0)) : GroupOf(js, context);
  if (group != nullptr && group->begun && !connection.js_failed) {
    v8::Local<v8::Value> value = group->value->Get(js.isolate);
    bool told = last && group->valued;
    group->valued = !last;
    if (!result.IsEmpty() && !told) {
      std::vector<v8::Local<v8::Value>> args = {value};
      if (!Invoke(js, result.Get(js.isolate), args).ToLocal(&value)) value.Clear();
    }
    if (value.IsEmpty()) {
      Failed(context, connection);
    } else {
      SetResult(js, context, value);
    }
  } else if (connection.js_failed) {
    Failed(context, connection);
  }
  if (!last || group == nullptr || !group->begun) return;
  delete group->value;
  *group = {};
}

}  // namespace

int AddFunction(Js& js, const std::shared_ptr<Connection>& connection, const std::string& name, int argc, int flags,
                bool bigints, v8::Local<v8::Function> function) {
  auto* user = new UserFunction{js.realm, *connection, bigints, v8::Global<v8::Function>(js.isolate, function)};
  // SQLite destroys it also when this fails.
  return sqlite3_create_function_v2(connection->db, name.c_str(), argc, SQLITE_UTF8 | flags, user, &UserFunction::Call,
                                    nullptr, nullptr, &UserFunction::Destroy);
}

int AddAggregate(Js& js, const std::shared_ptr<Connection>& connection, const std::string& name, int argc, int flags,
                 bool bigints, const AggregateParts& parts) {
  auto* aggregate = new Aggregate{.realm = js.realm, .connection = *connection, .bigints = bigints};
  aggregate->start.Reset(js.isolate, parts.start);
  aggregate->step.Reset(js.isolate, parts.step);
  if (!parts.inverse.IsEmpty()) aggregate->inverse.Reset(js.isolate, parts.inverse);
  if (!parts.result.IsEmpty()) aggregate->result.Reset(js.isolate, parts.result);
  bool window = !parts.inverse.IsEmpty();
  return sqlite3_create_window_function(connection->db, name.c_str(), argc, SQLITE_UTF8 | flags, aggregate,
                                        &Aggregate::Step, &Aggregate::Final, window ? &Aggregate::Value : nullptr,
                                        window ? &Aggregate::Inverse : nullptr, &Aggregate::Destroy);
}

}  // namespace gyre::modules::sqlite
