#include "runtime/builtins.h"

#include <algorithm>
#include <deque>

#include "engine/realm.h"
#include "runtime/code_cache.h"

namespace gyre::runtime {

namespace {

/// Sources that are part of the program are never copied into the heap.
class StaticSource : public v8::String::ExternalOneByteStringResource {
 public:
  StaticSource(const char* data, size_t size) : data_(data), size_(size) {}
  const char* data() const override { return data_; }
  size_t length() const override { return size_; }
  void Dispose() override {}

 private:
  const char* data_;
  size_t size_;
};

/// One for each embedded file, for ever.
StaticSource* ResourceOf(size_t index) {
  static std::deque<StaticSource>* all = [] {
    auto* list = new std::deque<StaticSource>;  // they cannot be moved
    for (const BuiltinFile& file : EmbeddedBuiltins()) {
      list->emplace_back(file.begin, static_cast<size_t>(file.end - file.begin));
    }
    return list;
  }();
  return &(*all)[index];
}

const BuiltinFile* FindEmbedded(std::string_view path) {
  std::span<const BuiltinFile> files = EmbeddedBuiltins();  // sorted by path
  auto found = std::lower_bound(files.begin(), files.end(), path,
                                [](const BuiltinFile& file, std::string_view wanted) { return file.path < wanted; });
  return found != files.end() && found->path == path ? &*found : nullptr;
}

size_t IndexOf(const BuiltinFile* file) { return static_cast<size_t>(file - EmbeddedBuiltins().data()); }

std::string DisplayName(std::string_view id) {
  if (id.starts_with("#")) return "node:internal/" + std::string(id.substr(1));
  if (id.starts_with("~")) return "node:internal/deps/" + std::string(id.substr(1));
  return "node:" + std::string(id);
}

v8::MaybeLocal<v8::String> SourceOf(Js& js, const BuiltinFile* embedded, std::string_view path) {
  if (embedded != nullptr) return v8::String::NewExternalOneByte(js.isolate, ResourceOf(IndexOf(embedded)));
  if (std::optional<std::string> text = ReadBuiltinFromDisk(path)) return js.Str(*text);
  return {};
}

}  // namespace

std::string BuiltinPath(std::string_view id) {
  std::string name(id.substr(id.starts_with("#") || id.starts_with("~") ? 1 : 0));
  if (id.starts_with("~")) return "npm/" + name;
  if (id.starts_with("#")) {
    bool outside = name.starts_with("web/") || name.starts_with("runtime/") || name.starts_with("insight/");
    return outside ? name : "modules/" + name;
  }
  return name.find('/') == std::string::npos ? "modules/" + name + "/" + name : "modules/" + name;
}

void AddSourceReferences(std::vector<intptr_t>& references) {
  for (size_t i = 0; i < EmbeddedBuiltins().size(); i++) references.push_back(reinterpret_cast<intptr_t>(ResourceOf(i)));
}

bool BuiltinExists(std::string_view id) {
  std::string path = BuiltinPath(id);
  return FindEmbedded(path) != nullptr || ReadBuiltinFromDisk(path).has_value();
}

v8::MaybeLocal<v8::Function> CompileBuiltin(Js& js, std::string_view id, std::span<const char* const> parameters) {
  std::string path = BuiltinPath(id);
  const BuiltinFile* embedded = FindEmbedded(path);
  v8::Local<v8::String> text;
  if (!SourceOf(js, embedded, path).ToLocal(&text)) {
    js.ThrowError("Gyre has no builtin '" + std::string(id) + "' yet");
    return {};
  }
  std::vector<v8::Local<v8::String>> names;
  for (const char* parameter : parameters) names.push_back(js.Name(parameter));
  std::span<const uint8_t> cached;
  if (embedded != nullptr) cached = CachedCodeOf(IndexOf(embedded));
  using v8::ScriptCompiler;
  ScriptCompiler::Source source(
      text, v8::ScriptOrigin(js.Str(DisplayName(id))),
      cached.empty() ? nullptr : new ScriptCompiler::CachedData(cached.data(), static_cast<int>(cached.size())));
  v8::Local<v8::Function> function;
  if (!ScriptCompiler::CompileFunction(
           js.context, &source, names.size(), names.data(), 0, nullptr,
           cached.empty() ? ScriptCompiler::kNoCompileOptions : ScriptCompiler::kConsumeCodeCache)
           .ToLocal(&function)) {
    return {};
  }
  if (embedded != nullptr) RecordForCodeCache(js.isolate, IndexOf(embedded), function);
  return function;
}

}  // namespace gyre::runtime
