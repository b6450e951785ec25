#include "bridge/js_scope.h"

#include "bridge/task_queue.h"
#include "bridge/timers.h"

namespace gyre::bridge {

namespace {

/// Calls one of the functions that src/modules/async_hooks/hooks.js registered.
void TellHooks(Js& js, std::string_view event, int argc, v8::Local<v8::Value>* argv) {
  v8::Local<v8::Value> hooks = js.realm.hook(Hook::kAsyncHooks);
  v8::Local<v8::Value> function;
  if (!hooks->IsObject() || !js.Get(hooks.As<v8::Object>(), event).ToLocal(&function)) return;
  // A hook that throws ends the process in JavaScript.
  if (function->IsFunction()) (void)function.As<v8::Function>()->Call(js.context, js.Undefined(), argc, argv);
}

}  // namespace

AsyncContext AsyncContext::Current(v8::Isolate* isolate, const char* type) {
  return Current(isolate, type, v8::Local<v8::Object>());
}

AsyncContext AsyncContext::Current(v8::Isolate* isolate, const char* type, v8::Local<v8::Object> resource) {
  AsyncContext context;
  v8::Local<v8::Value> value = isolate->GetContinuationPreservedEmbedderData();
  if (!value->IsUndefined()) context.value_.Reset(isolate, value);

  Realm& realm = Realm::From(isolate);
  AsyncIds& ids = realm.Slot<AsyncIds>();
  context.async_id_ = ++ids.fields[kAsyncIdCounter];
  context.trigger_id_ = ids.fields[kDefaultTrigger] >= 0 ? ids.fields[kDefaultTrigger] : ids.fields[kExecutionAsyncId];
  if (type == nullptr || ids.counts[kAllHooks] == 0) return context;
  Js js(realm);
  if (resource.IsEmpty()) resource = js.Object();
  context.resource_.Reset(isolate, resource);
  v8::Local<v8::Value> argv[] = {js.Num(context.async_id_), js.Str(type), js.Num(context.trigger_id_), resource};
  TellHooks(js, "init", 4, argv);
  return context;
}

v8::Local<v8::Value> AsyncContext::Get(v8::Isolate* isolate) const {
  if (value_.IsEmpty()) return v8::Undefined(isolate);
  return value_.Get(isolate);
}

void AsyncContext::EmitDestroy(Realm& realm) {
  if (resource_.IsEmpty() || realm.terminating) return;
  resource_.Reset();
  // JavaScript hears of it later: this may be called anywhere, also in a collection.
  QueueDestroyed(realm, async_id_);
}

AsyncContext TriggeredBy(const AsyncContext& owner, Js& js, const char* type, v8::Local<v8::Value> resource) {
  double* fields = js.realm.Slot<AsyncIds>().fields;
  double previous = fields[kDefaultTrigger];
  fields[kDefaultTrigger] = owner.async_id();
  v8::Local<v8::Object> object = resource->IsObject() ? resource.As<v8::Object>() : v8::Local<v8::Object>();
  AsyncContext context = AsyncContext::Current(js.isolate, type, object);
  fields[kDefaultTrigger] = previous;
  return context;
}

JsScope::JsScope(Realm& realm)
    : isolate_scope_(realm.isolate()),
      handles_(realm.isolate()),
      context_scope_(realm.context()),
      js_(realm),
      previous_context_(realm.isolate()->GetContinuationPreservedEmbedderData()) {
  realm.entry_depth++;
}

JsScope::JsScope(Realm& realm, const AsyncContext& async_context) : JsScope(realm) {
  realm.isolate()->SetContinuationPreservedEmbedderData(async_context.Get(realm.isolate()));
  EnterAsync(async_context);
}

JsScope::~JsScope() {
  if (async_id_ != 0) LeaveAsync();
  if (js_.realm.entry_depth == 1) {
    if (!js_.realm.terminating) DrainTicks(js_);
    SyncTimers(js_.realm);
  }
  js_.realm.entry_depth--;
  js_.isolate->SetContinuationPreservedEmbedderData(previous_context_);
}

void JsScope::EnterAsync(const AsyncContext& async_context) {
  async_id_ = async_context.async_id_;
  if (!async_context.resource_.IsEmpty() && !js_.realm.terminating) {
    told_ = true;
    v8::Local<v8::Value> argv[] = {js_.Num(async_id_), js_.Num(async_context.trigger_id_),
                                   async_context.resource_.Get(js_.isolate)};
    TellHooks(js_, "before", 3, argv);
    return;
  }
  double* fields = js_.realm.Slot<AsyncIds>().fields;
  fields[kExecutionAsyncId] = async_id_;
  fields[kTriggerAsyncId] = async_context.trigger_id_;
}

void JsScope::LeaveAsync() {
  double* fields = js_.realm.Slot<AsyncIds>().fields;
  // After an uncaught exception the scopes were left already.
  if (fields[kExecutionAsyncId] != async_id_ || js_.realm.terminating) return;
  if (told_) {
    v8::Local<v8::Value> id = js_.Num(async_id_);
    TellHooks(js_, "after", 1, &id);
  } else {
    fields[kExecutionAsyncId] = 0;
    fields[kTriggerAsyncId] = 0;
  }
}

v8::MaybeLocal<v8::Value> Call(Js& js, v8::Local<v8::Function> function, v8::Local<v8::Value> receiver, int argc,
                               v8::Local<v8::Value>* argv) {
  if (js.realm.terminating) return {};
  v8::TryCatch caught(js.isolate);
  v8::Local<v8::Value> result;
  if (function->Call(js.context, receiver, argc, argv).ToLocal(&result)) return result;
  if (caught.HasTerminated() || !caught.HasCaught()) return {};
  ReportUncaught(js, caught.Exception(), caught.Message());
  return {};
}

v8::MaybeLocal<v8::Value> CallMethod(Js& js, v8::Local<v8::Object> object, std::string_view name, int argc,
                                     v8::Local<v8::Value>* argv) {
  v8::Local<v8::Value> method;
  if (!js.Get(object, name).ToLocal(&method) || !method->IsFunction()) return {};
  return Call(js, method.As<v8::Function>(), object, argc, argv);
}

void DrainTicks(Js& js) {
  const uint8_t* tick_info = js.realm.Slot<TaskQueueState>().tick_info;
  if (tick_info[kHasTickScheduled] == 0 && tick_info[kHasRejectionToWarn] == 0) {
    js.isolate->PerformMicrotaskCheckpoint();
  }
  while ((tick_info[kHasTickScheduled] != 0 || tick_info[kHasRejectionToWarn] != 0) && !js.realm.terminating) {
    v8::Local<v8::Function> run = js.realm.hook_function(Hook::kTickCallback);
    if (run.IsEmpty()) return;
    v8::TryCatch caught(js.isolate);
    if (!run->Call(js.context, js.Undefined(), 0, nullptr).IsEmpty()) continue;
    if (caught.HasTerminated() || !caught.HasCaught()) return;
    ReportUncaught(js, caught.Exception(), caught.Message());
  }
}

std::string SourceArrow(Js& js, v8::Local<v8::Message> message) {
  if (message.IsEmpty()) return {};
  v8::Local<v8::String> line;
  int number = 0;
  if (!message->GetSourceLine(js.context).ToLocal(&line) || !message->GetLineNumber(js.context).To(&number)) return {};
  v8::TryCatch ignore(js.isolate);
  std::string source = js.Utf8(line);
  v8::Local<v8::Value> resource = message->GetScriptResourceName();
  std::string name = resource->IsString() ? js.Utf8(resource) : "<anonymous_script>";
  int start = message->GetStartColumn(js.context).FromMaybe(0);
  int end = message->GetEndColumn(js.context).FromMaybe(start + 1);
  // The columns of a first line count from where the script said that it begins.
  v8::ScriptOrigin origin = message->GetScriptOrigin();
  if (number - origin.LineOffset() == 1) {
    start = std::max(0, start - origin.ColumnOffset());
    end = std::max(0, end - origin.ColumnOffset());
  }
  std::string text = name + ":" + std::to_string(number) + "\n" + source + "\n";
  if (static_cast<size_t>(end) > source.size() * 4 + 4096) return text;
  for (int i = 0; i < start; i++) text += static_cast<size_t>(i) < source.size() && source[i] == '\t' ? '\t' : ' ';
  for (int i = start; i < std::max(end, start + 1); i++) text += '^';
  return text + "\n";
}

std::string ArrowOf(Js& js, v8::Local<v8::Value> error, v8::Local<v8::Message> message) {
  v8::Local<v8::Value> noted;
  v8::Local<v8::Private> key = v8::Private::ForApi(js.isolate, js.Name(kArrowKey));
  if (error->IsObject() && error.As<v8::Object>()->GetPrivate(js.context, key).ToLocal(&noted) && noted->IsString()) {
    return js.Utf8(noted);
  }
  return SourceArrow(js, message);
}

void ReportUncaught(Js& js, v8::Local<v8::Value> error, v8::Local<v8::Message> message) {
  v8::Local<v8::Function> report = js.realm.hook_function(Hook::kUncaught);
  std::string arrow = ArrowOf(js, error, message);
  if (report.IsEmpty()) {
    fprintf(stderr, "%s%s\n", arrow.c_str(), js.Utf8(error).c_str());
    if (!message.IsEmpty() && !message->GetStackTrace().IsEmpty()) {
      v8::Local<v8::Value> stack;
      if (error->IsObject() && js.Get(error.As<v8::Object>(), "stack").ToLocal(&stack)) {
        fprintf(stderr, "%s\n", js.Utf8(stack).c_str());
      }
    }
    _exit(7);
  }
  v8::TryCatch caught(js.isolate);
  v8::Local<v8::Value> argv[] = {error, js.Bool(false), js.Str(arrow)};
  if (report->Call(js.context, js.Undefined(), 3, argv).IsEmpty() && caught.HasCaught() && !caught.HasTerminated() &&
      !js.realm.terminating) {
    // The reporter itself failed: say what can be said and stop.
    fprintf(stderr, "%s\n", js.Utf8(caught.Exception()).c_str());
    _exit(7);
  }
}

}  // namespace gyre::bridge
