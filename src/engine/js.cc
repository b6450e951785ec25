#include "engine/js.h"

#include "base/errno_table.h"
#include "engine/realm.h"

namespace gyre::engine {

Js::Js(v8::Isolate* isolate)
    : isolate(isolate), context(isolate->GetCurrentContext()), realm(Realm::From(isolate)) {}

Js::Js(Realm& realm) : isolate(realm.isolate()), context(realm.context()), realm(realm) {}

v8::Local<v8::String> Js::Str(std::string_view utf8) const {
  v8::Local<v8::String> text;
  if (utf8.size() > static_cast<size_t>(v8::String::kMaxLength) ||
      !v8::String::NewFromUtf8(isolate, utf8.data(), v8::NewStringType::kNormal, static_cast<int>(utf8.size()))
           .ToLocal(&text)) {
    return v8::String::Empty(isolate);
  }
  return text;
}

v8::Local<v8::String> Js::Name(std::string_view utf8) const {
  v8::Local<v8::String> text;
  if (!v8::String::NewFromUtf8(isolate, utf8.data(), v8::NewStringType::kInternalized, static_cast<int>(utf8.size()))
           .ToLocal(&text)) {
    return v8::String::Empty(isolate);
  }
  return text;
}

v8::Local<v8::String> Js::Latin1(std::string_view bytes) const {
  v8::Local<v8::String> text;
  if (bytes.size() > static_cast<size_t>(v8::String::kMaxLength) ||
      !v8::String::NewFromOneByte(isolate, reinterpret_cast<const uint8_t*>(bytes.data()), v8::NewStringType::kNormal,
                                  static_cast<int>(bytes.size()))
           .ToLocal(&text)) {
    return v8::String::Empty(isolate);
  }
  return text;
}

bool Js::Set(v8::Local<v8::Object> object, std::string_view key, v8::Local<v8::Value> value) const {
  return object->CreateDataProperty(context, Name(key), value).FromMaybe(false);
}

bool Js::Set(v8::Local<v8::Object> object, uint32_t index, v8::Local<v8::Value> value) const {
  return object->CreateDataProperty(context, index, value).FromMaybe(false);
}

bool Js::SetReadOnly(v8::Local<v8::Object> object, std::string_view key, v8::Local<v8::Value> value) const {
  auto attributes = static_cast<v8::PropertyAttribute>(v8::ReadOnly | v8::DontDelete);
  return object->DefineOwnProperty(context, Name(key), value, attributes).IsJust();
}

v8::MaybeLocal<v8::Value> Js::Get(v8::Local<v8::Object> object, std::string_view key) const {
  return object->Get(context, Name(key));
}

std::string Js::Utf8(v8::Local<v8::Value> value) const {
  v8::Local<v8::String> text;
  if (!value->ToString(context).ToLocal(&text)) return {};
  std::string bytes(text->Utf8LengthV2(isolate), '\0');
  text->WriteUtf8V2(isolate, bytes.data(), bytes.size(), v8::String::WriteFlags::kReplaceInvalidUtf8);
  return bytes;
}

void Js::ThrowCode(std::string_view code, int argc, v8::Local<v8::Value>* argv) const {
  v8::Local<v8::Value> codes = realm.hook(Hook::kErrorCodes);
  v8::Local<v8::Value> constructor;
  if (codes->IsObject() && codes.As<v8::Object>()->Get(context, Name(code)).ToLocal(&constructor) &&
      constructor->IsFunction()) {
    v8::Local<v8::Value> error;
    if (constructor.As<v8::Function>()->NewInstance(context, argc, argv).ToLocal(&error)) {
      isolate->ThrowException(error);
    }
    return;
  }
  // While the realm is being made the list is not there yet.
  v8::Local<v8::Value> error = v8::Exception::Error(Str(std::string(code) + (argc > 0 ? ": " + Utf8(argv[0]) : "")));
  Set(error.As<v8::Object>(), "code", Str(code));
  isolate->ThrowException(error);
}

namespace {

std::string SystemErrorCode(int err) {
  const char* known = base::ErrnoName(err);
  return known != nullptr ? known : "Unknown system error " + std::to_string(-err);
}

std::string SystemErrorMessage(const base::Error& error) {
  std::string message = SystemErrorCode(error.err);
  if (base::ErrnoName(error.err) != nullptr) message += std::string(": ") + base::ErrnoMessage(error.err);
  if (error.syscall != nullptr && *error.syscall != '\0') message += std::string(", ") + error.syscall;
  if (!error.path.empty()) message += " '" + error.path + "'";
  if (!error.dest.empty()) message += " -> '" + error.dest + "'";
  return message;
}

/// Calls `put(key, value)` for each property; stops and returns false when one fails.
template <class Put>
bool PutSystemErrorFields(const Js& js, const base::Error& error, Put put) {
  const auto text = [&](const char* key, std::string_view value) { return value.empty() || put(key, js.Str(value)); };
  return put("errno", js.Int(error.err > 0 ? -error.err : error.err)) && text("code", SystemErrorCode(error.err)) &&
         text("syscall", error.syscall != nullptr ? error.syscall : "") && text("path", error.path) &&
         text("dest", error.dest);
}

}  // namespace

v8::Local<v8::Value> Js::SystemError(const base::Error& error) const {
  v8::Local<v8::Object> object = v8::Exception::Error(Str(SystemErrorMessage(error))).As<v8::Object>();
  PutSystemErrorFields(*this, error,
                       [&](const char* key, v8::Local<v8::Value> value) { return Set(object, key, value); });
  return object;
}

void Js::ThrowSystem(const base::Error& error) const {
  v8::Local<v8::Object> object = v8::Exception::Error(Str(SystemErrorMessage(error))).As<v8::Object>();
  const bool done = PutSystemErrorFields(*this, error, [&](const char* key, v8::Local<v8::Value> value) {
    return object->Set(context, Name(key), value).IsJust();
  });
  if (done) isolate->ThrowException(object);
}

void Js::ThrowTypeError(std::string_view message) const {
  isolate->ThrowException(v8::Exception::TypeError(Str(message)));
}
void Js::ThrowRangeError(std::string_view message) const {
  isolate->ThrowException(v8::Exception::RangeError(Str(message)));
}
void Js::ThrowError(std::string_view message) const { isolate->ThrowException(v8::Exception::Error(Str(message))); }

}  // namespace gyre::engine
