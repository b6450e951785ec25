// The connections that a realm has opened, so that a program which ends by itself lets go of their files as Node.js
// does. Thread: the isolate's.
#ifndef GYRE_MODULES_SQLITE_OPEN_CONNECTIONS_H_
#define GYRE_MODULES_SQLITE_OPEN_CONNECTIONS_H_

#include <memory>

#include "engine/realm.h"

namespace gyre::modules {
namespace sqlite {

struct Connection;
void RememberConnection(Realm& realm, const std::shared_ptr<Connection>& connection);

}  // namespace sqlite

/// Closes those that are open still, with what hangs on them; no journal stays beside their files.
void CloseDatabases(Realm& realm);

}  // namespace gyre::modules

#endif  // GYRE_MODULES_SQLITE_OPEN_CONNECTIONS_H_
