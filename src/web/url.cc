// The native half of class URL: parsing and setting by codec::Url.
#include "codec/url.h"

#include <array>

#include "bridge/module.h"
#include "engine/idna.h"
#include "engine/text.h"

namespace gyre::modules {

namespace {

using Info = v8::FunctionCallbackInfo<v8::Value>;

constexpr size_t kFieldCount = sizeof(codec::UrlOffsets) / sizeof(uint32_t);

/// Memory that calls reuse, and the base that was parsed last: programs resolve many URLs against one.
struct UrlState {
  explicit UrlState(Realm& realm) : fields(realm.SharedField<uint32_t>("urlFields", kFieldCount)) {}

  uint32_t* fields;  // where the parts of the URL that a call made lie; JavaScript reads it
  codec::Url url;
  codec::Url base;
  bool base_valid = false;
  std::string base_text;
  std::string input;
  std::string next_base;
  std::string href;
};

/// A string as USVString in UTF-8.
void ReadString(v8::Isolate* isolate, v8::Local<v8::String> string, std::string* out) {
  size_t bound = static_cast<size_t>(string->Length()) * 3;
  out->resize_and_overwrite(bound, [&](char* memory, size_t size) {
    return engine::WriteUtf8(isolate, string, {reinterpret_cast<uint8_t*>(memory), size});
  });
}

/// Parses arguments 0 and 1 (input and, unless it is undefined, base) into `state.url`.
bool ParseArguments(Js& js, const Info& info, UrlState& state) {
  if (!info[0]->IsString()) return false;
  const codec::Url* base = nullptr;
  if (info[1]->IsString()) {
    ReadString(js.isolate, info[1].As<v8::String>(), &state.next_base);
    if (!state.base_valid || state.next_base != state.base_text) {
      state.base_valid = state.base.Parse(state.next_base, nullptr, &engine::DomainToAscii);
      state.base_text.swap(state.next_base);
      if (!state.base_valid) return false;
    }
    base = &state.base;
  }
  ReadString(js.isolate, info[0].As<v8::String>(), &state.input);
  return state.url.Parse(state.input, base, &engine::DomainToAscii);
}

/// Serialises `state.url` into the fields and the returned string; `same` is returned if it is just that.
void ReturnHref(const Info& info, UrlState& state, v8::Local<v8::Value> same) {
  codec::UrlOffsets offsets;
  state.url.Serialize(&state.href, &offsets);
  std::memcpy(state.fields, &offsets, sizeof(offsets));
  if (!same.IsEmpty() && state.href == state.input) return info.GetReturnValue().Set(same);
  v8::Local<v8::String> href;  // always ASCII
  if (v8::String::NewFromOneByte(info.GetIsolate(), reinterpret_cast<const uint8_t*>(state.href.data()),
                                 v8::NewStringType::kNormal, static_cast<int>(state.href.size()))
          .ToLocal(&href)) {
    info.GetReturnValue().Set(href);
  }
}

/// parse(input, base): the href, or undefined if it is no URL.
void Parse(const Info& info) {
  Js js(info);
  UrlState& state = js.realm.Slot<UrlState>();
  if (ParseArguments(js, info, state)) ReturnHref(info, state, info[0]);
}

/// canParse(input, base)
void CanParse(const Info& info) {
  Js js(info);
  info.GetReturnValue().Set(ParseArguments(js, info, js.realm.Slot<UrlState>()));
}

/// The setters by number, in the order of `part` in url.js.
void ApplySetter(codec::Url& url, uint32_t part, std::string_view value) {
  switch (part) {
    case 0:
      return url.SetProtocol(value);
    case 1:
      return url.SetUsername(value);
    case 2:
      return url.SetPassword(value);
    case 3:
      return url.SetHost(value, &engine::DomainToAscii);
    case 4:
      return url.SetHostname(value, &engine::DomainToAscii);
    case 5:
      return url.SetPort(value);
    case 6:
      return url.SetPathname(value);
    case 7:
      return url.SetSearch(value);
    default:
      return url.SetHash(value);
  }
}

/// update(href, part, value): the new href.
void Update(const Info& info) {
  Js js(info);
  UrlState& state = js.realm.Slot<UrlState>();
  if (!info[0]->IsString() || !info[1]->IsUint32() || !info[2]->IsString()) return;
  ReadString(js.isolate, info[0].As<v8::String>(), &state.input);
  if (!state.url.Parse(state.input, nullptr, &engine::DomainToAscii)) return;
  std::string value;
  ReadString(js.isolate, info[2].As<v8::String>(), &value);
  ApplySetter(state.url, info[1].As<v8::Uint32>()->Value(), value);
  ReturnHref(info, state, info[0]);
}

/// The host of a special URL with this domain; empty if it is not valid.
std::string DomainToAsciiString(Js&, std::string domain) {
  std::string host;
  if (!codec::ParseHost(domain, true, &engine::DomainToAscii, &host)) return {};
  return host;
}

std::string DomainToUnicodeString(Js&, std::string domain) {
  std::string host;
  if (!codec::ParseHost(domain, true, &engine::DomainToAscii, &host)) return {};
  return engine::DomainToUnicode(host);
}

/// ToASCII alone, as node:url's legacy parser wants it; the domain itself if that fails.
std::string ToAsciiLenient(Js&, std::string domain) {
  std::string ascii;
  return engine::DomainToAscii(domain, &ascii) ? ascii : std::string();
}

/// format(href, fragment, unicode, search, auth): url.format of a URL.
void Format(const Info& info) {
  Js js(info);
  UrlState& state = js.realm.Slot<UrlState>();
  if (!info[0]->IsString()) return;
  ReadString(js.isolate, info[0].As<v8::String>(), &state.input);
  codec::Url& url = state.url;
  if (!url.Parse(state.input, nullptr, &engine::DomainToAscii)) return;
  if (!info[1]->IsTrue()) url.has_fragment = false;
  if (info[2]->IsTrue() && url.has_host) url.host = engine::DomainToUnicode(url.host);
  if (!info[3]->IsTrue()) url.has_query = false;
  if (!info[4]->IsTrue()) {
    url.username.clear();
    url.password.clear();
  }
  codec::UrlOffsets offsets;
  url.Serialize(&state.href, &offsets);
  info.GetReturnValue().Set(js.Str(state.href));
}

void Init(Js& js, v8::Local<v8::Object> target) {
  js.Set(target, "fields", js.realm.SharedArray<v8::Uint32Array>("urlFields", kFieldCount));
}

constexpr NativeFunction kFunctions[] = {
    RawFn("parse", &Parse),
    RawFn("canParse", &CanParse),
    RawFn("update", &Update),
    RawFn("format", &Format),
    Fn<&DomainToAsciiString>("domainToASCII"),
    Fn<&DomainToUnicodeString>("domainToUnicode"),
    Fn<&ToAsciiLenient>("toASCII"),
};

}  // namespace

extern const NativeModule kUrlModule;
const NativeModule kUrlModule = {.name = "url", .functions = kFunctions, .classes = {}, .init = &Init};

}  // namespace gyre::modules
