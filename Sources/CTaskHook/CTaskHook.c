#include "CTaskHook.h"

#include <stdatomic.h>
#include <stddef.h>

typedef __attribute__((swiftcall)) void (*original_enqueue)(void *job);
typedef __attribute__((swiftcall)) void (*enqueue_hook)(void *job, original_enqueue original);

extern _Atomic(enqueue_hook) swift_task_enqueueGlobal_hook;

static cth_enqueue chosen;

static __attribute__((swiftcall)) void hook(void *job, original_enqueue original) {
  (void)original;
  chosen(job);
}

bool cth_install(cth_enqueue enqueue) {
  enqueue_hook none = NULL;
  chosen = enqueue;
  return atomic_compare_exchange_strong(&swift_task_enqueueGlobal_hook, &none, hook);
}
