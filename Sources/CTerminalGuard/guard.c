#define _GNU_SOURCE
#include "CTerminalGuard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define UNDO_MAX 1024
#define STACK_SIZE (64 * 1024)

/* Double-buffered, so that a signal handler never reads a slot that is being written. */
static struct {
  char bytes[UNDO_MAX];
  size_t length;
} undo_slots[2];
static atomic_int undo_slot;

/* Standard error is redirected to memory while the screen is drawn: on the terminal it would
   corrupt the picture and be lost with it. */
static int errors_kept = -1;
static int errors_terminal = -1;
static atomic_int keeping;
#define ERRORS_MAX (64 * 1024)

static atomic_int armed;
static int guarded_fd = -1;
static struct termios saved;
static __thread void *alternate_stack;

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
#define CRASHES (sizeof crashes / sizeof crashes[0])
static int others[NSIG];
static size_t other_count;

/* How deeply the thread `user` is within `rally_guard_enter`. */
static atomic_int uses;
static pthread_t user;
static atomic_int ending;

void rally_guard_enter(void) {
  if (atomic_load(&uses) > 0) {
    atomic_fetch_add(&uses, 1);
    return;
  }
  user = pthread_self();
  atomic_store(&uses, 1);
  if (!atomic_load(&ending)) return;
  atomic_store(&uses, 0);
  for (;;) pause();
}

void rally_guard_leave(void) { atomic_fetch_sub(&uses, 1); }

/* Async-signal-safe. */
static void await_user(void) {
  atomic_store(&ending, 1);
  /* Longer only if the terminal takes nothing: then nothing can be given back either. */
  for (int i = 0; i < 200; i++) {
    if (atomic_load(&uses) == 0 || pthread_equal(user, pthread_self())) return;
    nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
  }
}

static void die(int number) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  sigaction(number, &action, NULL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  /* Another thread that begins to listen to the signal meanwhile may have it ignored. */
  for (int i = 0; i < 100; i++) {
    raise(number);
    sigaction(number, &action, NULL);
  }
  _exit(128 + number);
}

/* Async-signal-safe. */
static void keep_errors(void) {
  int expected = 0;
  if (errors_kept < 0 || !atomic_compare_exchange_strong(&keeping, &expected, 1)) return;
  if (dup2(errors_kept, STDERR_FILENO) < 0) atomic_store(&keeping, 0);
}

/* Restores standard error and prints what was captured. Async-signal-safe. */
static void release_errors(void) {
  int expected = 1;
  if (!atomic_compare_exchange_strong(&keeping, &expected, 0)) return;
  dup2(errors_terminal, STDERR_FILENO);
  off_t end = lseek(errors_kept, 0, SEEK_END);
  off_t next = end > ERRORS_MAX ? end - ERRORS_MAX : 0;
  char bytes[512];
  while (next < end) {
    ssize_t count = pread(errors_kept, bytes, sizeof bytes, next);
    if (count <= 0) break;
    struct pollfd ready = {errors_terminal, POLLOUT, 0};
    if (poll(&ready, 1, 200) <= 0 || !(ready.revents & POLLOUT)) break;
    ssize_t written = write(errors_terminal, bytes, (size_t)count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    next += written;
  }
  if (ftruncate(errors_kept, 0) == 0) lseek(errors_kept, 0, SEEK_SET);
}

void rally_guard_keep_errors(void) {
  if (errors_kept < 0) {
    if (!isatty(STDERR_FILENO)) return;
    errors_kept = rally_guard_memory_file();
    errors_terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (errors_terminal < 0 && errors_kept >= 0) {
      close(errors_kept);
      errors_kept = -1;
    }
  }
  keep_errors();
}

void rally_guard_restore(void) {
  int expected = 1;
  if (!atomic_compare_exchange_strong(&armed, &expected, 0)) return;
  int slot = atomic_load(&undo_slot);
  const char *next = undo_slots[slot].bytes;
  size_t left = undo_slots[slot].length;
  /* A terminal that accepts no output (a stuck connection) must not block the exit. */
  while (left > 0) {
    struct pollfd ready = {guarded_fd, POLLOUT, 0};
    int found = poll(&ready, 1, 200);
    if (found < 0 && errno == EINTR) continue;
    if (found <= 0 || !(ready.revents & POLLOUT)) break;
    ssize_t count = write(guarded_fd, next, left);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    next += count;
    left -= (size_t)count;
  }
  /* Not TCSADRAIN, for the same reason. SIGTTOU is blocked, since a background process that changes
     terminal modes would be stopped instead of exiting. */
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  tcsetattr(guarded_fd, TCSANOW, &saved);
  release_errors();
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void rally_guard_end(int number) {
  await_user();
  rally_guard_restore();
  die(number);
}

static void install(int number) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = rally_guard_end;
  action.sa_flags = SA_ONSTACK;
  sigfillset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

void rally_guard_end_by(int number) { install(number); }

void rally_guard_set_undo(const char *undo, size_t length) {
  if (length > UNDO_MAX) length = UNDO_MAX;
  int slot = 1 - atomic_load(&undo_slot);
  memcpy(undo_slots[slot].bytes, undo, length);
  undo_slots[slot].length = length;
  atomic_store(&undo_slot, slot);
}

void rally_guard_use_stack(void) {
  if (alternate_stack != NULL) return;
  void *memory = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t stack = {.ss_sp = memory, .ss_flags = 0, .ss_size = STACK_SIZE};
  if (sigaltstack(&stack, NULL) == 0) {
    alternate_stack = memory;
  } else {
    munmap(memory, STACK_SIZE);
  }
}

int rally_guard_arm(int fd, const char *undo, size_t length) {
  if (tcgetattr(fd, &saved) != 0) return -1;
  guarded_fd = fd;
  rally_guard_set_undo(undo, length);
  rally_guard_use_stack();
  atomic_store(&armed, 1);
  for (size_t i = 0; i < CRASHES; i++) install(crashes[i]);
  return 0;
}

int rally_guard_is_ignored(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void rally_guard_guard_signal(int number) {
  for (size_t i = 0; i < other_count; i++)
    if (others[i] == number) return;
  if (other_count == sizeof others / sizeof others[0]) return;
  /* Whoever started the program with it ignored (nohup) meant that. */
  if (rally_guard_is_ignored(number)) return;
  others[other_count++] = number;
  install(number);
}

void rally_guard_rearm(void) {
  atomic_store(&armed, 1);
  keep_errors();
}

void rally_guard_disarm(void) {
  atomic_store(&armed, 0);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  for (size_t i = 0; i < CRASHES; i++) sigaction(crashes[i], &action, NULL);
  for (size_t i = 0; i < other_count; i++) sigaction(others[i], &action, NULL);
  other_count = 0;
  release_errors();
  if (errors_kept >= 0) close(errors_kept);
  if (errors_terminal >= 0) close(errors_terminal);
  errors_kept = errors_terminal = -1;
}
