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

#ifdef __linux__

#include <sys/timerfd.h>
#include <unistd.h>

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

bool cth_install_main_loop(void (*loop)(void)) {
  drain_hook none = NULL;
  main_loop = loop;
  return atomic_compare_exchange_strong(&swift_task_asyncMainDrainQueue_hook, &none, drain);
}

int cth_main_queue_descriptor(void) { return _dispatch_get_main_queue_handle_4CF(); }

void cth_run_main_queue(void) {
  uint64_t count;
  /* Resets the descriptor, which is an eventfd that never blocks. */
  ssize_t size = read(cth_main_queue_descriptor(), &count, sizeof count);
  (void)size;
  _dispatch_main_queue_callback_4CF(NULL);
}

int cth_timer_create(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC); }

void cth_timer_set(int timer, int64_t nanoseconds) {
  struct itimerspec once = {
      .it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000}};
  timerfd_settime(timer, 0, &once, NULL);
}

#else

bool cth_install_main_loop(void (*loop)(void)) {
  (void)loop;
  return false;
}

int cth_main_queue_descriptor(void) { return -1; }

void cth_run_main_queue(void) {}

int cth_timer_create(void) { return -1; }

void cth_timer_set(int timer, int64_t nanoseconds) {
  (void)timer;
  (void)nanoseconds;
}

#endif
