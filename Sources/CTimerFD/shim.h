#ifndef CTIMERFD_SHIM_H
#define CTIMERFD_SHIM_H
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>

/* A timer of the wall clock; -1 with errno. */
static inline int rally_timer_make(void) {
  return timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
}

/* A timer that does not count the time that the machine is suspended; -1 with errno. */
static inline int rally_timer_make_running(void) {
  return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
}

/* Lets the timer expire once, in so many nanoseconds; 0: never. */
static inline int rally_timer_set(int timer, int64_t nanoseconds) {
  struct itimerspec once = {{0, 0}, {nanoseconds / 1000000000, nanoseconds % 1000000000}};
  return timerfd_settime(timer, 0, &once, NULL);
}

/* Arms the timer so that it never expires and a read ends with ECANCELED once the clock was set. */
static inline int rally_timer_watch(int timer) {
  struct itimerspec never = {{0, 0}, {((time_t)1) << 40, 0}};
  return timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}
#endif
