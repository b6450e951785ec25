#include "runtime/modules.h"

#include "bridge/task_queue.h"
#include "bridge/timers.h"
#include "engine/native.h"

namespace gyre {

namespace runtime {
extern const NativeModule kRealmModule;
extern const NativeModule kWorkerModule;
}

namespace modules {
// One line a native half; keep sorted.
extern const NativeModule kBufferModule;
extern const NativeModule kChildProcessModule;
extern const NativeModule kCryptoKeysModule;
extern const NativeModule kCryptoCipherModule;
extern const NativeModule kCryptoKeygenModule;
extern const NativeModule kCryptoSignModule;
extern const NativeModule kCryptoX509Module;
extern const NativeModule kCryptoModule;
extern const NativeModule kFsModule;
extern const NativeModule kDgramModule;
extern const NativeModule kDnsModule;
extern const NativeModule kInspectorModule;
extern const NativeModule kNetModule;
extern const NativeModule kHttpModule;
extern const NativeModule kModuleModule;
extern const NativeModule kOsModule;
extern const NativeModule kPerfHooksModule;
extern const NativeModule kProcessModule;
extern const NativeModule kReportModule;
extern const NativeModule kSerdesModule;
extern const NativeModule kSignalModule;
extern const NativeModule kSqliteModule;
extern const NativeModule kStdioModule;
extern const NativeModule kTraceEventsModule;
extern const NativeModule kTtyModule;
extern const NativeModule kTypesModule;
extern const NativeModule kUtilModule;
extern const NativeModule kMessagingModule;
extern const NativeModule kLocksModule;
extern const NativeModule kWebGlobalsModule;
extern const NativeModule kWebStorageModule;
extern const NativeModule kWasmStreamingModule;
extern const NativeModule kUrlModule;
extern const NativeModule kEncodingModule;
extern const NativeModule kTlsModule;
extern const NativeModule kVmModule;
extern const NativeModule kV8Module;
extern const NativeModule kZlibModule;
}  // namespace modules

namespace runtime {

namespace {

const NativeModule* const kNativeModules[] = {
    &bridge::kTaskQueueModule,
    &bridge::kAsyncContextModule,
    &bridge::kTimersModule,
    &kRealmModule,
    &kWorkerModule,
    // One line a native half; keep sorted.
    &modules::kBufferModule,
    &modules::kChildProcessModule,
    &modules::kCryptoKeysModule,
    &modules::kCryptoCipherModule,
    &modules::kCryptoKeygenModule,
    &modules::kCryptoSignModule,
    &modules::kCryptoX509Module,
    &modules::kCryptoModule,
    &modules::kFsModule,
    &modules::kDgramModule,
    &modules::kDnsModule,
    &modules::kInspectorModule,
    &modules::kNetModule,
    &modules::kHttpModule,
    &modules::kModuleModule,
    &modules::kOsModule,
    &modules::kPerfHooksModule,
    &modules::kProcessModule,
    &modules::kReportModule,
    &modules::kSerdesModule,
    &modules::kSignalModule,
    &modules::kSqliteModule,
    &modules::kStdioModule,
    &modules::kTraceEventsModule,
    &modules::kTtyModule,
    &modules::kTypesModule,
    &modules::kUtilModule,
    &modules::kMessagingModule,
    &modules::kLocksModule,
    &modules::kWebGlobalsModule,
    &modules::kWebStorageModule,
    &modules::kWasmStreamingModule,
    &modules::kUrlModule,
    &modules::kEncodingModule,
    &modules::kTlsModule,
    &modules::kVmModule,
    &modules::kV8Module,
    &modules::kZlibModule,
};

const char* const kPublicModules[] = {
    "_http_agent", "_http_client", "_http_common", "_http_incoming", "_http_outgoing", "_http_server",
    "_stream_duplex", "_stream_passthrough", "_stream_readable", "_stream_transform", "_stream_wrap",
    "_stream_writable", "_tls_common", "_tls_wrap", "assert", "assert/strict", "async_hooks", "buffer",
    "child_process", "cluster", "console", "constants", "crypto", "dgram", "diagnostics_channel", "dns",
    "dns/promises", "domain", "events", "fs", "fs/promises", "http", "http2", "https", "inspector",
    "inspector/promises", "module", "net", "os", "path", "path/posix", "path/win32", "perf_hooks", "process",
    "punycode", "querystring", "readline", "readline/promises", "repl", "stream", "stream/consumers",
    "stream/promises", "stream/web", "string_decoder", "sys", "timers", "timers/promises", "tls", "trace_events",
    "tty", "url", "util", "util/types", "v8", "vm", "wasi", "worker_threads", "zlib",
};

const char* const kSchemeOnlyModules[] = {"sea", "sqlite", "test", "test/reporters"};

}  // namespace

std::span<const char* const> PublicModules() { return kPublicModules; }
std::span<const char* const> SchemeOnlyModules() { return kSchemeOnlyModules; }
void RegisterNativeModules() { engine::SetNativeModules(kNativeModules); }

}  // namespace runtime
}  // namespace gyre
