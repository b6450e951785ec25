// localStorage and sessionStorage, as far as the runtime has to know of them.
// Thread: the isolate's.
#ifndef GYRE_WEB_STORAGE_H_
#define GYRE_WEB_STORAGE_H_

#include "engine/realm.h"

namespace gyre::modules {

/// Lets go of the files behind the realm's Storage objects, so that no journal stays beside them. For a program that
/// ends by itself: one that calls process.exit() leaves them as they are, as Node.js does.
void CloseWebStorage(Realm& realm);

}  // namespace gyre::modules

#endif  // GYRE_WEB_STORAGE_H_
