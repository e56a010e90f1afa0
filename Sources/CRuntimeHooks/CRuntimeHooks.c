#include "CRuntimeHooks.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

typedef __attribute__((swiftcall)) void (*original_enqueue)(void *job);
typedef __attribute__((swiftcall)) void (*enqueue_hook)(void *job, original_enqueue original);

extern _Atomic(enqueue_hook) swift_task_enqueueGlobal_hook;

static rally_enqueue chosen;

static __attribute__((swiftcall)) void hook(void *job, original_enqueue original) {
  (void)original;
  chosen(job);
}

bool rally_hook_tasks(rally_enqueue enqueue) {
  enqueue_hook none = NULL;
  chosen = enqueue;
  return atomic_compare_exchange_strong(&swift_task_enqueueGlobal_hook, &none, hook);
}

typedef __attribute__((swiftcall)) void (*original_drain)(void);
typedef __attribute__((swiftcall)) void (*drain_override)(original_drain original);
typedef __attribute__((swiftcall)) void (*drain_hook)(original_drain, drain_override);

extern _Atomic(drain_hook) swift_task_asyncMainDrainQueue_hook;
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *unused);

static void (*main_loop)(void);

static __attribute__((swiftcall)) void drain(original_drain original, drain_override override) {
  (void)original;
  (void)override;
  main_loop();
}

bool rally_hook_main_thread(void (*loop)(void)) {
  drain_hook none = NULL;
  main_loop = loop;
  return atomic_compare_exchange_strong(&swift_task_asyncMainDrainQueue_hook, &none, drain);
}

int rally_main_queue_descriptor(void) { return _dispatch_get_main_queue_handle_4CF(); }

void rally_main_queue_run(void) {
  uint64_t count;
  /* Resets the descriptor, which is an eventfd that never blocks. */
  ssize_t size = read(rally_main_queue_descriptor(), &count, sizeof count);
  (void)size;
  _dispatch_main_queue_callback_4CF(NULL);
}
