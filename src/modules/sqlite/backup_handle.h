// BackupHandle of binding('sqlite'): a backup that goes on page by page.
// Thread: made and dropped on the isolate's; its steps run on the fs lane, one at a time. Owner: the JavaScript object
// and the step in flight share it.
#ifndef GYRE_MODULES_SQLITE_BACKUP_HANDLE_H_
#define GYRE_MODULES_SQLITE_BACKUP_HANDLE_H_

#include <memory>
#include <string>

#include "modules/sqlite/connection.h"

namespace gyre::modules::sqlite {

/// The two ends of a backup.
struct BackupState {
  std::shared_ptr<Connection> source;
  sqlite3* target = nullptr;
  sqlite3_backup* backup = nullptr;
  ~BackupState();
};

class BackupHandle : public Wrap {
 public:
  static const NativeClass kClass;

  BackupHandle(Realm& realm, v8::Local<v8::Object> object, std::shared_ptr<BackupState> state)
      : Wrap(realm, object, &kClass), state_(std::move(state)) {}

  /// step(pages, how) -> [finished, totalPages, remainingPages]
  void Step(Js& js, const Info& info);
  void Close(Js& js) { state_.reset(); }

 private:
  std::shared_ptr<BackupState> state_;
};

/// Opens the target and begins. Empty with an exception pending.
v8::MaybeLocal<v8::Value> BeginBackup(Js& js, const std::shared_ptr<Connection>& connection,
                                      const std::string& location, const std::string& source,
                                      const std::string& target);

}  // namespace gyre::modules::sqlite

#endif  // GYRE_MODULES_SQLITE_BACKUP_HANDLE_H_
