// What is linked into this program, for process.versions.
#ifndef GYRE_MODULES_PROCESS_VERSIONS_H_
#define GYRE_MODULES_PROCESS_VERSIONS_H_

#include "engine/js.h"

namespace gyre::modules {
v8::Local<v8::Object> LinkedVersions(Js& js);
}

#endif  // GYRE_MODULES_PROCESS_VERSIONS_H_
