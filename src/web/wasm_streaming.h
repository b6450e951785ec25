// WebAssembly.compileStreaming and instantiateStreaming (WebAssembly Web API): V8 gives a sink for bytes,
// wasm_streaming.js reads the Response.
//
// Thread: the isolate's.
#ifndef GYRE_WEB_WASM_STREAMING_H_
#define GYRE_WEB_WASM_STREAMING_H_

#include <v8.h>

#include "engine/v8_prelude.h"

namespace gyre::modules {

/// For v8::Isolate::SetWasmStreamingCallback, before a context is made: only then V8 installs the two functions.
void StartWasmStreaming(const v8::FunctionCallbackInfo<v8::Value>& info);

}  // namespace gyre::modules

#endif  // GYRE_WEB_WASM_STREAMING_H_
