// JsonWriter: JSON text without V8, for reports that must come about when JavaScript cannot run any more.
// Thread: the one that owns it. Invariant: every Begin has its End; keys only inside objects.
#ifndef GYRE_MODULES_PROCESS_JSON_WRITER_H_
#define GYRE_MODULES_PROCESS_JSON_WRITER_H_

#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/json.h"

namespace gyre::modules {

class JsonWriter {
 public:
  enum class Form : uint8_t { kIndented, kCompact };
  explicit JsonWriter(Form form) : compact_(form == Form::kCompact) {}

  void BeginObject() { Open('{'); }
  void BeginObject(std::string_view key) { Key(key), Open('{', true); }
  void EndObject() { Close('}'); }
  void BeginArray(std::string_view key) { Key(key), Open('[', true); }
  void EndArray() { Close(']'); }

  void Element(std::string_view text) { Next(), String(text); }
  /// JSON that another writer made.
  void RawElement(std::string_view json) { Next(), out_ += json; }

  void Add(std::string_view key, std::string_view text) { Key(key), String(text); }
  void Add(std::string_view key, const char* text) { Add(key, std::string_view(text)); }
  void Add(std::string_view key, std::same_as<bool> auto value) { Key(key), out_ += value ? "true" : "false"; }
  void Add(std::string_view key, std::integral auto value)
    requires(!std::same_as<decltype(value), bool>)
  {
    Key(key), out_ += std::to_string(value);
  }
  void Add(std::string_view key, double value) {
    Key(key);
    char text[40];
    snprintf(text, sizeof text, "%.15g", std::isfinite(value) ? value : 0.0);
    out_ += text;
  }
  void AddNull(std::string_view key) { Key(key), out_ += "null"; }

  std::string& text() { return out_; }

 private:
  void Line() {
    if (compact_) return;
    out_ += '\n';
    out_.append(static_cast<size_t>(depth_) * 2, ' ');
  }
  void Next() {
    if (!first_) out_ += ',';
    if (depth_ > 0) Line();
    first_ = false;
  }
  void Key(std::string_view key) {
    Next();
    String(key);
    out_ += compact_ ? ":" : ": ";
  }
  void Open(char bracket, bool after_key = false) {  // NOLINT: private
    if (!after_key) Next();
    out_ += bracket;
    depth_++;
    first_ = true;
  }
  void Close(char bracket) {
    depth_--;
    if (!first_ || bracket == '}') Line();
    first_ = false;
    out_ += bracket;
  }
  void String(std::string_view text) { base::AppendJsonString(out_, text); }

  std::string out_;
  int depth_ = 0;
  bool first_ = true;
  bool compact_;
};

}  // namespace gyre::modules

#endif  // GYRE_MODULES_PROCESS_JSON_WRITER_H_
