#ifndef RALLY_TASK_HOOK_H
#define RALLY_TASK_HOOK_H

#include <stdbool.h>

/* Enqueues a job of Swift's global executor; `job` is a Swift `UnownedJob`. */
typedef void (*cth_enqueue)(void *job);

/* Installs `enqueue` as the global executor's enqueue function. False if a hook is already set.

   Sets the runtime's `swift_task_enqueueGlobal_hook` (swift/stdlib/public/Concurrency). Linked by
   name rather than found with `dlsym`, since a program with a statically linked runtime does not
   export it. */
bool cth_install(cth_enqueue enqueue);

#endif
