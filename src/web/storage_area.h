// The items of a Storage object (HTML, "Web storage") in a SQLite file of the format that Node.js 24 writes. No V8.
//
// Thread: any one at a time. Owner: the wrapper of the Storage object. Invariants: the file is opened by the first
// operation, not before; keys and values are the code units of UTF-16, little-endian, lone surrogates and all; the
// triggers inside the file keep the quota, so that it holds whoever writes.
#ifndef GYRE_WEB_STORAGE_AREA_H_
#define GYRE_WEB_STORAGE_AREA_H_

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace gyre::web {

class StorageArea {
 public:
  struct Failure {
    bool quota_exceeded = false;
    std::string message;
  };
  template <typename T>
  using Answer = std::expected<T, Failure>;

  /// `path` as SQLite takes it: ":memory:" keeps the items in memory.
  explicit StorageArea(std::string path) : path_(std::move(path)) {}
  ~StorageArea() { Close(); }
  StorageArea(const StorageArea&) = delete;
  StorageArea& operator=(const StorageArea&) = delete;

  Answer<uint32_t> Length();
  Answer<std::optional<std::u16string>> Get(std::u16string_view key);
  Answer<bool> Has(std::u16string_view key);
  /// The key at `index` in the order of Keys().
  Answer<std::optional<std::u16string>> KeyAt(uint32_t index);
  Answer<std::vector<std::u16string>> Keys();
  Answer<void> Set(std::u16string_view key, std::u16string_view value);
  Answer<void> Remove(std::u16string_view key);
  Answer<void> Clear();
  /// Lets go of the file; the next operation opens it again.
  void Close();

 private:
  enum Query : size_t { kLength, kGet, kHas, kKeyAt, kKeys, kSet, kRemove, kClear, kQueries };
  class Run;

  Answer<void> Open();
  Answer<void> CheckVersion();
  Answer<sqlite3_stmt*> Prepare(Query query);
  /// Runs what returns no rows.
  Answer<void> Change(Query query, std::initializer_list<std::u16string_view> blobs);
  Answer<std::optional<std::u16string>> FirstText(Run& run);
  std::unexpected<Failure> LastFailure() const;

  std::string path_;
  sqlite3* db_ = nullptr;
  std::array<sqlite3_stmt*, kQueries> statements_{};
};

}  // namespace gyre::web

#endif  // GYRE_WEB_STORAGE_AREA_H_
