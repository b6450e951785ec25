// Functions and aggregates of SQL that are written in JavaScript.
// Thread: the isolate's: SQLite calls them inside a step. Owner: SQLite, which destroys them with the connection or
// when they are replaced.
#ifndef GYRE_MODULES_SQLITE_USER_FUNCTIONS_H_
#define GYRE_MODULES_SQLITE_USER_FUNCTIONS_H_

#include "modules/sqlite/connection.h"

namespace gyre::modules::sqlite {

/// What an aggregate is made of; `inverse` and `result` may be empty, `start` is a value or a function.
struct AggregateParts {
  v8::Local<v8::Value> start;
  v8::Local<v8::Function> step;
  v8::Local<v8::Function> inverse;
  v8::Local<v8::Function> result;
};

/// Both return a status of SQLite. `argc` is -1 for any number.
int AddFunction(Js& js, const std::shared_ptr<Connection>& connection, const std::string& name, int argc, int flags,
                bool bigints, v8::Local<v8::Function> function);
int AddAggregate(Js& js, const std::shared_ptr<Connection>& connection, const std::string& name, int argc, int flags,
                 bool bigints, const AggregateParts& parts);

}  // namespace gyre::modules::sqlite

#endif  // GYRE_MODULES_SQLITE_USER_FUNCTIONS_H_
