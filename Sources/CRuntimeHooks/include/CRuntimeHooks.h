#ifndef RALLY_RUNTIME_HOOKS_H
#define RALLY_RUNTIME_HOOKS_H

#include <stdbool.h>

/* Enqueues a job of Swift's global executor; `job` is a Swift `UnownedJob`. */
typedef void (*rally_enqueue)(void *job);

/* Installs `enqueue` as the global executor's enqueue function. False if a hook is already set.

   Sets the runtime's `swift_task_enqueueGlobal_hook` (swift/stdlib/public/Concurrency). Linked by
   name rather than found with `dlsym`, since a program with a statically linked runtime does not
   export it. */
bool rally_hook_tasks(rally_enqueue enqueue);

/* Makes `loop` the function that serves the main thread once an asynchronous `main` suspends, in
   place of `dispatch_main`; it must not return. False if a hook is already set.

   Sets the runtime's `swift_task_asyncMainDrainQueue_hook`. */
bool rally_hook_main_thread(void (*loop)(void));

/* The descriptor that is readable while Dispatch's main queue has work; for the main thread.

   `_dispatch_get_main_queue_handle_4CF` and `_dispatch_main_queue_callback_4CF`, by which
   CFRunLoop serves that queue (swift-corelibs-libdispatch, private/private.h). */
int rally_main_queue_descriptor(void);

/* Runs what waits in the main queue. */
void rally_main_queue_run(void);

#endif
