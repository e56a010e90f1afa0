#define _GNU_SOURCE
#include "CPtyHolder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

int rally_pty_exited(int status) { return WIFEXITED(status); }
int rally_pty_exit_code(int status) { return WEXITSTATUS(status); }
int rally_pty_signalled(int status) { return WIFSIGNALED(status); }
int rally_pty_signal(int status) { return WTERMSIG(status); }
int rally_pty_stopped(int status) { return WIFSTOPPED(status); }
int rally_pty_stop_signal(int status) { return WSTOPSIG(status); }

int rally_pty_open_terminal(int rows, int columns, char *path, size_t capacity) {
  int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) return -errno;
  if (grantpt(terminal) != 0 || unlockpt(terminal) != 0 ||
      ptsname_r(terminal, path, capacity) != 0 || rally_pty_resize(terminal, rows, columns) != 0) {
    int reason = errno;
    close(terminal);
    return -reason;
  }
  return terminal;
}

int rally_pty_resize(int terminal, int rows, int columns) {
  struct winsize size = {(unsigned short)rows, (unsigned short)columns, 0, 0};
  return ioctl(terminal, TIOCSWINSZ, &size) == 0 ? 0 : -errno;
}

int rally_pty_wait_readable(int fd, int64_t seconds, int64_t nanoseconds) {
  struct pollfd watched = {.fd = fd, .events = POLLIN};
  struct timespec limit = {seconds, nanoseconds};
  return ppoll(&watched, 1, &limit, NULL);
}

// The job's group, for the holder's SIGHUP handler.
static volatile sig_atomic_t held_group;

static void forward_hangup(int signal) {
  (void)signal;
  int reason = errno;
  if (held_group > 0) kill(-(pid_t)held_group, SIGHUP);
  errno = reason;
}

static void set_handler(int signal, void (*handler)(int)) {
  struct sigaction action = {0};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, NULL);
}

static void default_signals(void) {
  for (int signal = 1; signal < NSIG; signal++) set_handler(signal, SIG_DFL);
}

static void unblock_signals(void) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static void report(int fd, int kind, pid_t pid, int status) {
  struct rally_pty_report record = {kind, (int32_t)pid, status};
  while (write(fd, &record, sizeof record) < 0 && errno == EINTR) {}
}

// Reads one order; -1 once nobody can give another.
static int next_order(int fd) {
  unsigned char order;
  for (;;) {
    ssize_t count = read(fd, &order, 1);
    if (count == 1) return order;
    if (count == 0 || errno != EINTR) return -1;
  }
}

#define MARK "rally-held"

const char *rally_pty_mark(void) { return MARK; }

// The holder's life. The caller has many threads, so that from fork on only functions that are
// safe in a signal handler may be called.
static void hold(const char *tty, const char *file, char *const argv[], char *const envp[],
                 const char *folder, int reports, int orders) {
  enum { first_free = 10, reports_at = 3, orders_at = 4, alive_at = 5 };
  default_signals();
  int high_reports = fcntl(reports, F_DUPFD, first_free);
  int high_orders = fcntl(orders, F_DUPFD, first_free);
  dup2(high_reports, reports_at);
  dup2(high_orders, orders_at);
  if (setsid() < 0) {
    report(reports_at, CPH_FAILED, 0, errno);
    _exit(1);
  }
  int terminal = open(tty, O_RDWR);  // a leader without a terminal gets its controlling one so
  if (terminal < 0) {
    report(reports_at, CPH_FAILED, 0, errno);
    _exit(1);
  }
  for (int fd = 0; fd < 3; fd++) dup2(terminal, fd);
  close_range(alive_at, ~0U, 0);

  int started[2];
  if (pipe2(started, O_CLOEXEC) != 0) {
    report(reports_at, CPH_FAILED, 0, errno);
    _exit(1);
  }
  pid_t job = fork();
  if (job == 0) {
    setpgid(0, 0);
    tcsetpgrp(0, getpid());  // every signal is blocked here, SIGTTOU too
    close(reports_at);
    close(orders_at);
    unblock_signals();
    if (folder == NULL || chdir(folder) == 0) execve(file, argv, envp);
    int reason = errno;
    (void)!write(started[1], &reason, sizeof reason);
    _exit(127);
  }
  close(started[1]);
  int reason = job < 0 ? errno : 0;
  if (job > 0) {
    setpgid(job, job);
    held_group = job;
    while (read(started[0], &reason, sizeof reason) < 0 && errno == EINTR) {}
  }
  if (reason != 0) {
    report(reports_at, CPH_FAILED, job, reason);
    _exit(1);
  }
  report(reports_at, CPH_STARTED, job, 0);

  for (int ignored[] = {SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE}, i = 0; i < 6; i++)
    set_handler(ignored[i], SIG_IGN);
  set_handler(SIGHUP, forward_hangup);
  unblock_signals();

  for (;;) {
    int status;
    if (waitpid(job, &status, WUNTRACED) < 0) {
      if (errno == EINTR) continue;
      break;
    }
    tcsetpgrp(0, getpgrp());
    if (!WIFSTOPPED(status)) held_group = 0;
    (void)!write(0, "\033_" MARK "\033\\", sizeof "\033_" MARK "\033\\" - 1);
    report(reports_at, CPH_CHANGED, job, status);
    if (!WIFSTOPPED(status)) break;
    int order = next_order(orders_at);
    if (order < 0) {
      kill(-job, SIGKILL);
      continue;
    }
    if (order == CPH_FOREGROUND) tcsetpgrp(0, job);
    kill(-job, SIGCONT);
  }
  while (next_order(orders_at) >= 0) {}
  _exit(0);
}

pid_t rally_pty_start_held(const char *tty, const char *file, char *const argv[], char *const envp[],
                     const char *folder, int reports, int orders) {
  // Blocked across fork: no handler of this process may run in the child.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  pid_t holder = fork();
  if (holder == 0) {
    hold(tty, file, argv, envp, folder, reports, orders);
    _exit(1);
  }
  int reason = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return holder < 0 ? -reason : holder;
}

pid_t rally_pty_start_piped(const char *file, char *const argv[], char *const envp[],
                      const char *folder, int input, int output, int error) {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  posix_spawn_file_actions_adddup2(&actions, error, 2);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  if (folder != NULL) posix_spawn_file_actions_addchdir_np(&actions, folder);
  pid_t process;
  int reason = posix_spawn(&process, file, &actions, &attributes, argv, envp);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return reason == 0 ? process : -reason;
}
