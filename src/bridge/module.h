// Everything that the native half of a module includes.
#ifndef GYRE_BRIDGE_MODULE_H_
#define GYRE_BRIDGE_MODULE_H_

#include "base/result.h"
#include "bridge/js_scope.h"
#include "bridge/lane_job.h"
#include "bridge/pending_call.h"
#include "engine/buffer.h"
#include "engine/convert.h"
#include "engine/js.h"
#include "engine/native.h"
#include "engine/realm.h"
#include "engine/wrap.h"

#endif  // GYRE_BRIDGE_MODULE_H_
