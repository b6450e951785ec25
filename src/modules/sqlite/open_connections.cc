#include "modules/sqlite/open_connections.h"

#include <algorithm>
#include <vector>

#include "modules/sqlite/connection.h"

namespace gyre::modules {

namespace {

using sqlite::Connection;

struct OpenConnections {
  explicit OpenConnections(Realm&) {}
  std::vector<std::weak_ptr<Connection>> list;
  size_t tidy_at = 16;  // at this length, entries of connections that are gone are dropped
};

}  // namespace

void sqlite::RememberConnection(Realm& realm, const std::shared_ptr<Connection>& connection) {
  auto& [list, tidy_at] = realm.Slot<OpenConnections>();
  if (list.size() >= tidy_at) {
    std::erase_if(list, [](const std::weak_ptr<Connection>& one) { return one.expired(); });
    tidy_at = std::max<size_t>(16, list.size() * 2);
  }
  list.push_back(connection);
}

void CloseDatabases(Realm& realm) {
  for (const std::weak_ptr<Connection>& one : realm.Slot<OpenConnections>().list) {
    std::shared_ptr<Connection> connection = one.lock();
    if (connection != nullptr && connection->running == 0) connection->Close();
  }
}

}  // namespace gyre::modules
