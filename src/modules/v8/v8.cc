// The native half of node:v8: numbers of the heap, snapshots, profiles of collections and of the CPU.

#include <libplatform/libplatform.h>
#include <v8-cppgc.h>
#include <v8-profiler.h>

#include <list>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "bridge/module.h"
#include "modules/process/json_writer.h"
#include "modules/v8/profiles.h"

namespace gyre::modules {

namespace {

// --- statistics: arrays of numbers, named by the JavaScript half ---

v8::Local<v8::Value> Numbers(Js& js, std::initializer_list<double> numbers) {
  v8::LocalVector<v8::Value> values(js.isolate);
  for (double number : numbers) values.push_back(js.Num(number));
  return v8::Array::New(js.isolate, values.data(), values.size());
}

v8::Local<v8::Value> HeapNumbers(Js& js) {
  v8::HeapStatistics heap;
  js.isolate->GetHeapStatistics(&heap);
  auto number = [](auto value) { return static_cast<double>(value); };
  return Numbers(js, {number(heap.total_heap_size()), number(heap.total_heap_size_executable()),
                      number(heap.total_physical_size()), number(heap.total_available_size()),
                      number(heap.used_heap_size()), number(heap.heap_size_limit()), number(heap.malloced_memory()),
                      number(heap.peak_malloced_memory()), number(heap.does_zap_garbage()),
                      number(heap.number_of_native_contexts()), number(heap.number_of_detached_contexts()),
                      number(heap.total_global_handles_size()), number(heap.used_global_handles_size()),
                      number(heap.external_memory())});
}

v8::Local<v8::Value> HeapStatistics(Js& js) { return HeapNumbers(js); }

/// [[name, size, used, available, physical], ...]
v8::Local<v8::Value> HeapSpaceStatistics(Js& js) {
  v8::LocalVector<v8::Value> spaces(js.isolate);
  for (size_t i = 0; i < js.isolate->NumberOfHeapSpaces(); i++) {
    v8::HeapSpaceStatistics space;
    if (!js.isolate->GetHeapSpaceStatistics(&space, i)) continue;
    v8::Local<v8::Value> row[] = {
        js.Str(space.space_name()), js.Num(static_cast<double>(space.space_size())),
        js.Num(static_cast<double>(space.space_used_size())),
        js.Num(static_cast<double>(space.space_available_size())),
        js.Num(static_cast<double>(space.physical_space_size()))};
    spaces.push_back(v8::Array::New(js.isolate, row, 5));
  }
  return v8::Array::New(js.isolate, spaces.data(), spaces.size());
}

v8::Local<v8::Value> HeapCodeStatistics(Js& js) {
  v8::HeapCodeStatistics code;
  js.isolate->GetHeapCodeAndMetadataStatistics(&code);
  return Numbers(js, {static_cast<double>(code.code_and_metadata_size()),
                      static_cast<double>(code.bytecode_and_metadata_size()),
                      static_cast<double>(code.external_script_source_size()),
                      static_cast<double>(code.cpu_profiler_metadata_size())});
}

/// [committed, resident, used] of the C++ objects that JavaScript owns.
v8::Local<v8::Value> CppHeapStatistics(Js& js) {
  v8::CppHeap* heap = js.isolate->GetCppHeap();
  if (heap == nullptr) return Numbers(js, {0, 0, 0});
  cppgc::HeapStatistics statistics = heap->CollectStatistics(cppgc::HeapStatistics::kBrief);
  return Numbers(js, {static_cast<double>(statistics.committed_size_bytes),
                      static_cast<double>(statistics.resident_size_bytes),
                      static_cast<double>(statistics.used_size_bytes)});
}

double CachedDataVersionTag(Js&) { return v8::ScriptCompiler::CachedDataVersionTag(); }

void SetFlagsFromString(Js&, std::string flags) { v8::V8::SetFlagsFromString(flags.c_str(), flags.size()); }

bool IsOneByte(Js&, v8::Local<v8::String> text) { return text->IsOneByte(); }

// --- heap snapshots ---

class StringStream final : public v8::OutputStream {
 public:
  void EndOfStream() override {}
  int GetChunkSize() override { return 64 * 1024; }
  WriteResult WriteAsciiChunk(char* data, int size) override {
    text.append(data, static_cast<size_t>(size));
    return kContinue;
  }
  std::string text;
};

class FileStream final : public v8::OutputStream {
 public:
  explicit FileStream(FILE* file) : file_(file) {}
  void EndOfStream() override {}
  int GetChunkSize() override { return 64 * 1024; }
  WriteResult WriteAsciiChunk(char* data, int size) override {
    if (fwrite(data, 1, static_cast<size_t>(size), file_) == static_cast<size_t>(size)) return kContinue;
    failed = true;
    return kAbort;
  }
  bool failed = false;

 private:
  FILE* file_;
};

const v8::HeapSnapshot* TakeSnapshot(v8::Isolate* isolate, bool expose_internals, bool expose_numbers) {
  v8::HeapProfiler::HeapSnapshotOptions options;
  options.numerics_mode = expose_numbers ? v8::HeapProfiler::NumericsMode::kExposeNumericValues
                                         : v8::HeapProfiler::NumericsMode::kHideNumericValues;
  options.snapshot_mode = expose_internals ? v8::HeapProfiler::HeapSnapshotMode::kExposeInternals
                                           : v8::HeapProfiler::HeapSnapshotMode::kRegular;
  return isolate->GetHeapProfiler()->TakeHeapSnapshot(options);
}

/// The snapshot's text as a Buffer.
void HeapSnapshot(Js& js, const Info& info, bool expose_internals, bool expose_numbers) {
  std::string text = HeapSnapshotJson(js.isolate, expose_internals, expose_numbers);
  v8::Local<v8::Object> buffer;
  std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  if (MakeBuffer(js, bytes).ToLocal(&buffer)) info.GetReturnValue().Set(buffer);
}

void HeapSnapshotRaw(const v8::FunctionCallbackInfo<v8::Value>& info) {
  Js js(info);
  HeapSnapshot(js, info, info[0]->IsTrue(), info[1]->IsTrue());
}

Result<void> WriteSnapshotTo(v8::Isolate* isolate, const std::string& path, bool internals, bool numbers) {
  FILE* file = fopen(path.c_str(), "we");
  if (file == nullptr) return base::Err(base::Error{errno, "open", path});
  const v8::HeapSnapshot* snapshot = TakeSnapshot(isolate, internals, numbers);
  FileStream stream(file);
  snapshot->Serialize(&stream, v8::HeapSnapshot::kJSON);
  const_cast<v8::HeapSnapshot*>(snapshot)->Delete();
  bool closed = fclose(file) == 0;
  if (stream.failed || !closed) return base::Err(base::Error{errno, "write", path});
  return {};
}

Result<void> WriteHeapSnapshot(Js& js, std::string path, bool expose_internals, bool expose_numbers) {
  return WriteSnapshotTo(js.isolate, path, expose_internals, expose_numbers);
}

struct NearLimitState {
  explicit NearLimitState(Realm&) {}
  uint32_t left = 0;
  uint32_t taken = 0;
  std::string prefix;
};

/// With the heap nearly full: writes a snapshot and gives V8 the room to survive that.
size_t OnNearHeapLimit(void* data, size_t current, size_t initial) {
  auto* isolate = static_cast<v8::Isolate*>(data);
  auto& state = Realm::From(isolate).Slot<NearLimitState>();
  constexpr size_t kRoom = 64 * 1024 * 1024;
  if (state.left == 0) return current;
  state.left--;
  std::string path = state.prefix + std::to_string(++state.taken) + ".heapsnapshot";
  fprintf(stderr, "Wrote snapshot to %s\n", path.c_str());
  (void)WriteSnapshotTo(isolate, path, false, false);
  isolate->AutomaticallyRestoreInitialHeapLimit(0.95);
  return initial > current - kRoom ? current + kRoom : current;
}

void SetHeapSnapshotNearHeapLimit(Js& js, uint32_t limit, std::string prefix) {
  auto& state = js.realm.Slot<NearLimitState>();
  bool first = state.prefix.empty();
  state.left = limit;
  state.prefix = std::move(prefix);
  if (first) js.isolate->AddNearHeapLimitCallback(&OnNearHeapLimit, js.isolate);
}

// --- queryObjects ---

class HasPrototype final : public v8::QueryObjectPredicate {
 public:
  HasPrototype(v8::Local<v8::Context> context, v8::Local<v8::Object> prototype)
      : context_(context), prototype_(prototype) {}
  bool Filter(v8::Local<v8::Object> object) override {
    if (object->IsModuleNamespaceObject() || object->IsProxy()) return false;
    v8::Local<v8::Value> at = object->GetPrototypeV2();
    while (at->IsObject() && !at->IsProxy()) {
      if (at == prototype_) return true;
      at = at.As<v8::Object>()->GetPrototypeV2();
    }
    return false;
  }

 private:
  v8::Local<v8::Context> context_;
  v8::Local<v8::Object> prototype_;
};

/// The objects that have `prototype` in their chain.
v8::Local<v8::Value> QueryObjects(Js& js, v8::Local<v8::Object> prototype) {
  HasPrototype predicate(js.context, prototype);
  std::vector<v8::Global<v8::Object>> found;
  js.isolate->GetHeapProfiler()->QueryObjects(js.context, &predicate, &found);
  v8::LocalVector<v8::Value> values(js.isolate);
  for (const auto& object : found) values.push_back(object.Get(js.isolate));
  return v8::Array::New(js.isolate, values.data(), values.size());
}

// --- profiles of collections ---

class GcProfilerWrap final : public Wrap {
 public:
  static const NativeClass kClass;

  static void New(const Info& info) {
    Js js(info);
    if (!info.IsConstructCall()) return js.ThrowTypeError("Class constructor cannot be invoked without 'new'");
    new GcProfilerWrap(js.realm, info.This());
  }

  GcProfilerWrap(Realm& realm, v8::Local<v8::Object> object) : Wrap(realm, object, &kClass) {}
  ~GcProfilerWrap() override { End(); }

  void Start(Js& js) {
    if (running_) return;
    running_ = true;
    records_.clear();
    js.isolate->AddGCPrologueCallback(&Before, this);
    js.isolate->AddGCEpilogueCallback(&After, this);
  }

  /// [[type, cost in microseconds, heap numbers before, spaces before, heap numbers after, spaces after],
  /// ...]
  v8::Local<v8::Value> Stop(Js& js) {
    End();
    v8::LocalVector<v8::Value> list(js.isolate);
    for (const Record& record : records_) {
      v8::Local<v8::Value> row[] = {js.Int(record.type), js.Num(record.cost_us), ToJs(js, record.before),
                                    ToJs(js, record.after)};
      list.push_back(v8::Array::New(js.isolate, row, 4));
    }
    records_.clear();
    return v8::Array::New(js.isolate, list.data(), list.size());
  }

 private:
  struct Space {
    const char* name;
    double size, used, available, physical;
  };
  struct Heap {
    std::vector<double> numbers;
    std::vector<Space> spaces;
  };
  struct Record {
    int type;
    double cost_us = 0;
    uint64_t start_ns = 0;
    Heap before, after;
  };

  // Inside a collection nothing may be allocated on the heap: the numbers are kept here.
  static Heap Look(v8::Isolate* isolate) {
    v8::HeapStatistics statistics;
    isolate->GetHeapStatistics(&statistics);
    auto number = [](auto value) { return static_cast<double>(value); };
    Heap heap;
    heap.numbers = {number(statistics.total_heap_size()), number(statistics.total_heap_size_executable()),
                    number(statistics.total_physical_size()), number(statistics.total_available_size()),
                    number(statistics.total_global_handles_size()), number(statistics.used_global_handles_size()),
                    number(statistics.used_heap_size()), number(statistics.heap_size_limit()),
                    number(statistics.malloced_memory()), number(statistics.external_memory()),
                    number(statistics.peak_malloced_memory())};
    for (size_t i = 0; i < isolate->NumberOfHeapSpaces(); i++) {
      v8::HeapSpaceStatistics space;
      isolate->GetHeapSpaceStatistics(&space, i);
      heap.spaces.push_back({space.space_name(), number(space.space_size()), number(space.space_used_size()),
                             number(space.space_available_size()), number(space.physical_space_size())});
    }
    return heap;
  }

  static v8::Local<v8::Value> ToJs(Js& js, const Heap& heap) {
    v8::LocalVector<v8::Value> numbers(js.isolate);
    for (double number : heap.numbers) numbers.push_back(js.Num(number));
    v8::LocalVector<v8::Value> spaces(js.isolate);
    for (const Space& space : heap.spaces) {
      v8::Local<v8::Value> row[] = {js.Str(space.name), js.Num(space.size), js.Num(space.used),
                                    js.Num(space.available), js.Num(space.physical)};
      spaces.push_back(v8::Array::New(js.isolate, row, 5));
    }
    v8::Local<v8::Value> pair[] = {v8::Array::New(js.isolate, numbers.data(), numbers.size()),
                                   v8::Array::New(js.isolate, spaces.data(), spaces.size())};
    return v8::Array::New(js.isolate, pair, 2);
  }

  static void Before(v8::Isolate* isolate, v8::GCType type, v8::GCCallbackFlags, void* data) {
    auto* self = static_cast<GcProfilerWrap*>(data);
    Record record{.type = type};
    record.before = Look(isolate);
    record.start_ns = base::MonotonicNanos();
    self->records_.push_back(std::move(record));
  }

  static void After(v8::Isolate* isolate, v8::GCType, v8::GCCallbackFlags, void* data) {
    auto* self = static_cast<GcProfilerWrap*>(data);
    if (self->records_.empty()) return;
    Record& record = self->records_.back();
    record.cost_us = static_cast<double>(base::MonotonicNanos() - record.start_ns) / 1e3;
    record.after = Look(isolate);
  }

  void End() {
    if (!running_) return;
    running_ = false;
    realm().isolate()->RemoveGCPrologueCallback(&Before, this);
    realm().isolate()->RemoveGCEpilogueCallback(&After, this);
  }

  bool running_ = false;
  std::list<Record> records_;
};

constexpr NativeFunction kGcProfilerMethods[] = {
    Method<&GcProfilerWrap::Start>("start"),
    Method<&GcProfilerWrap::Stop>("stop"),
};

// --- profiles of the CPU ---

struct CpuProfilerState {
  explicit CpuProfilerState(Realm& realm) : profiler(v8::CpuProfiler::New(realm.isolate())) {}
  ~CpuProfilerState() {
    // A profile that goes on would sample an isolate that is gone.
    for (v8::ProfilerId id : running) {
      if (v8::CpuProfile* profile = profiler->Stop(id)) profile->Delete();
    }
    profiler->Dispose();
  }
  v8::CpuProfiler* profiler;
  std::set<v8::ProfilerId> running;
};

double StartCpuProfile(Js& js) { return BeginCpuProfile(js.realm); }

/// The profile as JSON, or undefined if it was stopped before.
v8::Local<v8::Value> StopCpuProfile(Js& js, uint32_t id) {
  std::optional<std::string> text = EndCpuProfile(js.realm, id);
  return text ? js.Str(*text).As<v8::Value>() : js.Undefined().As<v8::Value>();
}

constexpr NativeFunction kFunctions[] = {
    Fn<&HeapStatistics>("heapStatistics"),
    Fn<&HeapSpaceStatistics>("heapSpaceStatistics"),
    Fn<&HeapCodeStatistics>("heapCodeStatistics"),
    Fn<&CppHeapStatistics>("cppHeapStatistics"),
    Fn<&CachedDataVersionTag>("cachedDataVersionTag"),
    Fn<&SetFlagsFromString>("setFlagsFromString"),
    Fn<&IsOneByte>("isOneByte"),
    RawFn("heapSnapshot", &HeapSnapshotRaw, 2),
    Fn<&WriteHeapSnapshot>("writeHeapSnapshot"),
    Fn<&SetHeapSnapshotNearHeapLimit>("setHeapSnapshotNearHeapLimit"),
    Fn<&QueryObjects>("queryObjects"),
    Fn<&StartCpuProfile>("startCpuProfile"),
    Fn<&StopCpuProfile>("stopCpuProfile"),
};

// --- profiles of allocations ---

void WriteAllocationNode(JsonWriter& out, v8::Isolate* isolate, const v8::AllocationProfile::Node& node) {
  auto utf8 = [&](v8::Local<v8::String> text) {
    v8::String::Utf8Value value(isolate, text);
    return std::string(*value != nullptr ? *value : "");
  };
  out.BeginObject("callFrame");
  out.Add("functionName", utf8(node.name));
  out.Add("scriptId", std::to_string(node.script_id));
  out.Add("url", utf8(node.script_name));
  out.Add("lineNumber", node.line_number - 1);
  out.Add("columnNumber", node.column_number - 1);
  out.EndObject();
  size_t size = 0;
  for (const v8::AllocationProfile::Allocation& allocation : node.allocations) size += allocation.size * allocation.count;
  out.Add("selfSize", size);
  out.Add("id", node.node_id);
  out.BeginArray("children");
  for (const v8::AllocationProfile::Node* child : node.children) {
    out.BeginObject();
    WriteAllocationNode(out, isolate, *child);
    out.EndObject();
  }
  out.EndArray();
}

}  // namespace

std::string HeapSnapshotJson(v8::Isolate* isolate, bool expose_internals, bool expose_numbers) {
  const v8::HeapSnapshot* snapshot = TakeSnapshot(isolate, expose_internals, expose_numbers);
  StringStream stream;
  snapshot->Serialize(&stream, v8::HeapSnapshot::kJSON);
  const_cast<v8::HeapSnapshot*>(snapshot)->Delete();
  return std::move(stream.text);
}

double BeginCpuProfile(Realm& realm) {
  auto& state = realm.Slot<CpuProfilerState>();
  v8::CpuProfilingResult started = state.profiler->Start(
      v8::CpuProfilingOptions(v8::CpuProfilingMode::kLeafNodeLineNumbers, v8::CpuProfilingOptions::kNoSampleLimit));
  if (started.status != v8::CpuProfilingStatus::kStarted) return -1;
  state.running.insert(started.id);
  return started.id;
}

std::optional<std::string> EndCpuProfile(Realm& realm, uint32_t id) {
  auto& state = realm.Slot<CpuProfilerState>();
  v8::CpuProfile* profile = state.running.erase(id) > 0 ? state.profiler->Stop(id) : nullptr;
  if (profile == nullptr) return std::nullopt;
  StringStream stream;
  profile->Serialize(&stream, v8::CpuProfile::kJSON);
  profile->Delete();
  return std::move(stream.text);
}

bool BeginHeapProfile(v8::Isolate* isolate) { return isolate->GetHeapProfiler()->StartSamplingHeapProfiler(); }

std::optional<std::string> EndHeapProfile(v8::Isolate* isolate) {
  v8::HandleScope handles(isolate);
  std::unique_ptr<v8::AllocationProfile> profile(isolate->GetHeapProfiler()->GetAllocationProfile());
  if (profile == nullptr) return std::nullopt;
  JsonWriter out(JsonWriter::Form::kCompact);
  out.BeginObject();
  out.BeginObject("head");
  WriteAllocationNode(out, isolate, *profile->GetRootNode());
  out.EndObject();
  out.BeginArray("samples");
  for (const v8::AllocationProfile::Sample& sample : profile->GetSamples()) {
    out.BeginObject();
    out.Add("size", sample.size * sample.count);
    out.Add("nodeId", sample.node_id);
    out.Add("ordinal", sample.sample_id);
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
  isolate->GetHeapProfiler()->StopSamplingHeapProfiler();
  return std::move(out.text());
}

const NativeClass GcProfilerWrap::kClass = {
    .name = "GCProfiler", .construct = &GcProfilerWrap::New, .methods = kGcProfilerMethods};

namespace {
constexpr const NativeClass* kClasses[] = {&GcProfilerWrap::kClass};
}  // namespace

extern const NativeModule kV8Module;
const NativeModule kV8Module = {.name = "v8", .functions = kFunctions, .classes = kClasses};

}  // namespace gyre::modules
