#include "runtime/code_cache.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/builtins.h"
#include "runtime/runtime.h"

namespace gyre::runtime {

namespace {

/// The file: one Entry for each of EmbeddedBuiltins(), then the data, each aligned as V8 wants it.
struct Entry {
  uint32_t offset;
  uint32_t size;
};
constexpr size_t kAlignment = 8;

struct Recording {
  std::mutex mutex;
  std::map<size_t, std::vector<uint8_t>> data;  // by index of the builtin
};
Recording* recording = nullptr;  // while a cache is made

struct Recorded {
  size_t index;
  v8::Global<v8::Function> function;
};
thread_local std::vector<Recorded> recorded;

}  // namespace

std::span<const uint8_t> CachedCodeOf(size_t index) {
  std::span<const char> file = EmbeddedCodeCache();
  if (file.empty()) return {};
  const Entry& entry = reinterpret_cast<const Entry*>(file.data())[index];
  return {reinterpret_cast<const uint8_t*>(file.data()) + entry.offset, entry.size};
}

void RecordForCodeCache(v8::Isolate* isolate, size_t index, v8::Local<v8::Function> function) {
  if (recording == nullptr) return;
  recorded.push_back({index, v8::Global<v8::Function>(isolate, function)});
}

void HarvestForCodeCache(v8::Isolate* isolate) {
  if (recording == nullptr) return;
  v8::HandleScope handles(isolate);
  for (Recorded& each : recorded) {
    std::unique_ptr<v8::ScriptCompiler::CachedData> made(
        v8::ScriptCompiler::CreateCodeCacheForFunction(each.function.Get(isolate)));
    if (made == nullptr) continue;
    std::lock_guard lock(recording->mutex);
    std::vector<uint8_t>& kept = recording->data[each.index];
    if (static_cast<size_t>(made->length) > kept.size()) kept.assign(made->data, made->data + made->length);
  }
  recorded.clear();
}

int BuildCodeCache(const std::string& file) {
  Recording all;
  recording = &all;
  {
    auto agent = Agent::Create({});
    if (!agent.has_value()) return 1;
    int status = (*agent)->Run();
    if (status != 0) {
      fprintf(stderr, "The program that warms up the code cache ended with status %d\n", status);
      return status;
    }
  }
  recording = nullptr;
  std::vector<Entry> entries(EmbeddedBuiltins().size());
  auto offset = static_cast<uint32_t>(entries.size() * sizeof(Entry));
  std::vector<uint8_t> bytes(offset);
  for (const auto& [index, data] : all.data) {
    entries[index] = {static_cast<uint32_t>(bytes.size()), static_cast<uint32_t>(data.size())};
    bytes.insert(bytes.end(), data.begin(), data.end());
    bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment);
  }
  memcpy(bytes.data(), entries.data(), offset);
  FILE* out = fopen(file.c_str(), "wbe");
  if (out == nullptr) {
    perror(file.c_str());
    return 1;
  }
  bool ok = fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size();
  return fclose(out) == 0 && ok ? 0 : 1;
}

}  // namespace gyre::runtime
