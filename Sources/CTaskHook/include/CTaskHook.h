#ifndef RALLY_TASK_HOOK_H
#define RALLY_TASK_HOOK_H

#include <stdbool.h>
#include <stdint.h>

/* Enqueues a job of Swift's global executor; `job` is a Swift `UnownedJob`. */
typedef void (*cth_enqueue)(void *job);

/* Installs `enqueue` as the global executor's enqueue function. False if a hook is already set.

   Sets the runtime's `swift_task_enqueueGlobal_hook` (swift/stdlib/public/Concurrency). Linked by
   name rather than found with `dlsym`, since a program with a statically linked runtime does not
   export it. */
bool cth_install(cth_enqueue enqueue);

/* Makes `loop` the function that serves the main thread once an asynchronous `main` suspends, in
   place of `dispatch_main`; it must not return. False if a hook is already set, or where the main
   queue has no descriptor (outside Linux).

   Sets the runtime's `swift_task_asyncMainDrainQueue_hook`. */
bool cth_install_main_loop(void (*loop)(void));

/* The descriptor that is readable while Dispatch's main queue has work; for the main thread.

   `_dispatch_get_main_queue_handle_4CF` and `_dispatch_main_queue_callback_4CF`, by which
   CFRunLoop serves that queue (swift-corelibs-libdispatch, private/private.h). */
int cth_main_queue_descriptor(void);

/* Runs what waits in the main queue. */
void cth_run_main_queue(void);

/* The descriptor of a new timer (timerfd_create(2)), which is readable once its time has passed; -1
   where there are none (outside Linux, or no descriptor left). The time that the machine is
   suspended does not count. */
int cth_timer_create(void);

/* Lets the timer's time pass in so many nanoseconds; 0: never. */
void cth_timer_set(int timer, int64_t nanoseconds);

#endif
