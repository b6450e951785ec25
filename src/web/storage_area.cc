#include "web/storage_area.h"

#include <sqlite3.h>

#include <bit>
#include <cstring>
#include <utility>

namespace gyre::web {

namespace {

static_assert(std::endian::native == std::endian::little, "keys and values are stored as UTF-16LE");

// What Node.js 24 understands; files of a later version are refused.
constexpr int kSchemaVersion = 1;
// Another process that writes the same file is waited for as long as this.
constexpr int kBusyMilliseconds = 1000;

// The tables and triggers that are found in the files of Node.js: both programs use the same files.
constexpr char kSchema[] = R"sql(
PRAGMA encoding = 'UTF-16le';
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS nodejs_webstorage(key BLOB NOT NULL, value BLOB NOT NULL, PRIMARY KEY(key)) STRICT;
CREATE TABLE IF NOT EXISTS nodejs_webstorage_state(
  max_size INTEGER NOT NULL DEFAULT 10485760,
  total_size INTEGER NOT NULL,
  schema_version INTEGER NOT NULL DEFAULT 0,
  single_row_ INTEGER NOT NULL DEFAULT 1 CHECK(single_row_ = 1),
  PRIMARY KEY(single_row_)) STRICT;
CREATE TRIGGER IF NOT EXISTS nodejs_quota_insert AFTER INSERT ON nodejs_webstorage FOR EACH ROW BEGIN
  UPDATE nodejs_webstorage_state SET total_size = total_size + OCTET_LENGTH(NEW.key) + OCTET_LENGTH(NEW.value);
  SELECT RAISE(ABORT, 'QuotaExceeded')
    WHERE EXISTS (SELECT 1 FROM nodejs_webstorage_state WHERE total_size > max_size);
END;
CREATE TRIGGER IF NOT EXISTS nodejs_quota_update AFTER UPDATE ON nodejs_webstorage FOR EACH ROW BEGIN
  UPDATE nodejs_webstorage_state SET total_size = total_size +
    ((OCTET_LENGTH(NEW.key) + OCTET_LENGTH(NEW.value)) - (OCTET_LENGTH(OLD.key) + OCTET_LENGTH(OLD.value)));
  SELECT RAISE(ABORT, 'QuotaExceeded')
    WHERE EXISTS (SELECT 1 FROM nodejs_webstorage_state WHERE total_size > max_size);
END;
CREATE TRIGGER IF NOT EXISTS nodejs_quota_delete AFTER DELETE ON nodejs_webstorage FOR EACH ROW BEGIN
  UPDATE nodejs_webstorage_state SET total_size = total_size - (OCTET_LENGTH(OLD.key) + OCTET_LENGTH(OLD.value));
END;
INSERT OR IGNORE INTO nodejs_webstorage_state (total_size) VALUES (0);
)sql";

constexpr std::string_view kQueryText[] = {
    "SELECT COUNT(*) FROM nodejs_webstorage",
    "SELECT value FROM nodejs_webstorage WHERE key = ?1",
    "SELECT 1 FROM nodejs_webstorage WHERE key = ?1",
    "SELECT key FROM nodejs_webstorage ORDER BY key LIMIT 1 OFFSET ?1",
    "SELECT key FROM nodejs_webstorage ORDER BY key",
    // Not REPLACE: that would insert without running the trigger for what it deletes.
    "INSERT INTO nodejs_webstorage (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    "DELETE FROM nodejs_webstorage WHERE key = ?1",
    "DELETE FROM nodejs_webstorage",
};

/// octet_length(X) for libraries older than SQLite 3.43: the triggers give it blobs only.
void OctetLength(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return sqlite3_result_null(context);
  sqlite3_result_int64(context, sqlite3_value_bytes(values[0]));
}

bool DefineMissingFunctions(sqlite3* db) {
  if (sqlite3_libversion_number() >= 3043000) return true;
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  return sqlite3_create_function_v2(db, "octet_length", 1, kFlags, nullptr, &OctetLength, nullptr, nullptr, nullptr) ==
         SQLITE_OK;
}

std::u16string ColumnText(sqlite3_stmt* statement) {
  const void* blob = sqlite3_column_blob(statement, 0);
  std::u16string text(static_cast<size_t>(sqlite3_column_bytes(statement, 0)) / sizeof(char16_t), u'\0');
  if (!text.empty()) memcpy(text.data(), blob, text.size() * sizeof(char16_t));
  return text;
}

bool BindText(sqlite3_stmt* statement, int index, std::u16string_view text) {
  // An empty view may have no address, and a blob without one would be NULL.
  const void* data = text.empty() ? static_cast<const void*>("") : text.data();
  return sqlite3_bind_blob64(statement, index, data, text.size() * sizeof(char16_t), SQLITE_STATIC) == SQLITE_OK;
}

}  // namespace

/// One execution of a prepared statement, which is ready for the next one afterwards.
class StorageArea::Run {
 public:
  explicit Run(sqlite3_stmt* statement) : statement_(statement) {}
  ~Run() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  sqlite3_stmt* statement() const { return statement_; }
  int Step() { return sqlite3_step(statement_); }

 private:
  sqlite3_stmt* statement_;
};

std::unexpected<StorageArea::Failure> StorageArea::LastFailure() const {
  const char* message = sqlite3_errmsg(db_);
  bool quota = sqlite3_errcode(db_) == SQLITE_CONSTRAINT && strcmp(message, "QuotaExceeded") == 0;
  return std::unexpected(Failure{quota, message});
}

void StorageArea::Close() {
  for (sqlite3_stmt*& statement : statements_) sqlite3_finalize(std::exchange(statement, nullptr));
  sqlite3_close_v2(std::exchange(db_, nullptr));
}

StorageArea::Answer<void> StorageArea::CheckVersion() {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db_, "SELECT schema_version FROM nodejs_webstorage_state", -1, &statement, nullptr) !=
      SQLITE_OK) {
    return LastFailure();
  }
  int step = sqlite3_step(statement);
  int version = step == SQLITE_ROW ? sqlite3_column_int(statement, 0) : 0;
  sqlite3_finalize(statement);
  if (step != SQLITE_ROW) return LastFailure();
  if (version > kSchemaVersion) {
    return std::unexpected(Failure{.message = "localStorage was created with a newer version of Node.js"});
  }
  if (version == kSchemaVersion) return {};
  std::string update = "UPDATE nodejs_webstorage_state SET schema_version = " + std::to_string(kSchemaVersion);
  if (sqlite3_exec(db_, update.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return LastFailure();
  return {};
}

StorageArea::Answer<void> StorageArea::Open() {
  if (db_ != nullptr) return {};
  // A path is a path, never the URI that some builds of SQLite would take it for.
  std::string path = path_.starts_with("file:") ? "./" + path_ : path_;
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  Answer<void> answer;
  if (sqlite3_open_v2(path.c_str(), &db_, kFlags, nullptr) != SQLITE_OK) {
    answer = LastFailure();
  } else {
    sqlite3_busy_timeout(db_, kBusyMilliseconds);
    bool ready = DefineMissingFunctions(db_) && sqlite3_exec(db_, kSchema, nullptr, nullptr, nullptr) == SQLITE_OK;
    answer = ready ? CheckVersion() : LastFailure();
  }
  if (!answer) Close();  // the next operation tries again
  return answer;
}

StorageArea::Answer<sqlite3_stmt*> StorageArea::Prepare(Query query) {
  if (Answer<void> opened = Open(); !opened) return std::unexpected(std::move(opened.error()));
  sqlite3_stmt*& statement = statements_[query];
  if (statement == nullptr) {
    std::string_view text = kQueryText[query];
    int result = sqlite3_prepare_v3(db_, text.data(), static_cast<int>(text.size()), SQLITE_PREPARE_PERSISTENT,
                                    &statement, nullptr);
    if (result != SQLITE_OK) return LastFailure();
  }
  return statement;
}

StorageArea::Answer<std::optional<std::u16string>> StorageArea::FirstText(Run& run) {
  switch (run.Step()) {
    case SQLITE_ROW:
      return ColumnText(run.statement());
    case SQLITE_DONE:
      return std::nullopt;
    default:
      return LastFailure();
  }
}

StorageArea::Answer<void> StorageArea::Change(Query query, std::initializer_list<std::u16string_view> blobs) {
  Answer<sqlite3_stmt*> statement = Prepare(query);
  if (!statement) return std::unexpected(std::move(statement.error()));
  Run run(*statement);
  int index = 0;
  for (std::u16string_view blob : blobs) {
    if (!BindText(*statement, ++index, blob)) return LastFailure();
  }
  if (run.Step() != SQLITE_DONE) return LastFailure();
  return {};
}

StorageArea::Answer<uint32_t> StorageArea::Length() {
  Answer<sqlite3_stmt*> statement = Prepare(kLength);
  if (!statement) return std::unexpected(std::move(statement.error()));
  Run run(*statement);
  if (run.Step() != SQLITE_ROW) return LastFailure();
  return static_cast<uint32_t>(sqlite3_column_int64(*statement, 0));
}

StorageArea::Answer<std::optional<std::u16string>> StorageArea::Get(std::u16string_view key) {
  Answer<sqlite3_stmt*> statement = Prepare(kGet);
  if (!statement) return std::unexpected(std::move(statement.error()));
  Run run(*statement);
  if (!BindText(*statement, 1, key)) return LastFailure();
  return FirstText(run);
}

StorageArea::Answer<bool> StorageArea::Has(std::u16string_view key) {
  Answer<sqlite3_stmt*> statement = Prepare(kHas);
  if (!statement) return std::unexpected(std::move(statement.error()));
  Run run(*statement);
  if (!BindText(*statement, 1, key)) return LastFailure();
  int step = run.Step();
  if (step != SQLITE_ROW && step != SQLITE_DONE) return LastFailure();
  return step == SQLITE_ROW;
}

StorageArea::Answer<std::optional<std::u16string>> StorageArea::KeyAt(uint32_t index) {
  Answer<sqlite3_stmt*> statement = Prepare(kKeyAt);
  if (!statement) return std::unexpected(std::move(statement.error()));
  Run run(*statement);
  if (sqlite3_bind_int64(*statement, 1, index) != SQLITE_OK) return LastFailure();
  return FirstText(run);
}

StorageArea::Answer<std::vector<std::u16string>> StorageArea::Keys() {
  Answer<sqlite3_stmt*> statement = Prepare(kKeys);
  if (!statement) return std::unexpected(std::move(statement.error()));
  Run run(*statement);
  std::vector<std::u16string> keys;
  int step;
  while ((step = run.Step()) == SQLITE_ROW) keys.push_back(ColumnText(*statement));
  if (step != SQLITE_DONE) return LastFailure();
  return keys;
}

StorageArea::Answer<void> StorageArea::Set(std::u16string_view key, std::u16string_view value) {
  return Change(kSet, {key, value});
}

StorageArea::Answer<void> StorageArea::Remove(std::u16string_view key) { return Change(kRemove, {key}); }

StorageArea::Answer<void> StorageArea::Clear() { return Change(kClear, {}); }

}  // namespace gyre::web
