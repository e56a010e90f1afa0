#ifndef RALLY_TASK_HOOK_H
#define RALLY_TASK_HOOK_H

#include <stdbool.h>

/* Hands a job of Swift's global executor to whoever runs it; the job is a Swift `UnownedJob`. */
typedef void (*cth_enqueue)(void *job);

/* Makes `enqueue` run all jobs of the global executor. False when somebody else has taken it.

   The variable is the runtime's own (swift/stdlib/public/Concurrency, `swift_task_enqueueGlobal_hook`). It is named
   here, not looked up by `dlsym`, since a program that brings the runtime along does not export it. */
bool cth_install(cth_enqueue enqueue);

#endif
