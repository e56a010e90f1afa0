#ifndef C_PTY_HOLDER_H
#define C_PTY_HOLDER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

// Programs under test: in a terminal of their own, or with pipes.
//
// A program that leads its own session cannot show that it gave the terminal back: when a
// session's leader ends, the kernel hangs the terminal up and resets its settings. So a holder
// process leads the session, as a shell would, and the program is a job of it: ^C, ^Z, fg and
// hang-ups are the kernel's real ones, and the settings can be read after the program has ended.
// Unlike a shell the holder reports the exact wait status and never mends the settings itself.

enum {
  CPH_STARTED = 1, // status is 0
  CPH_CHANGED = 2, // status as of waitpid: ended or stopped
  CPH_FAILED = 3,  // status is an errno
};

// What the holder writes to `reports`.
struct rally_pty_report {
  int32_t kind;
  int32_t pid;
  int32_t status;
};

enum { CPH_FOREGROUND = 'f' };

// Opens a pseudo terminal of this size and writes the name of its other side to `path`.
// Returns the controlling side, closed on exec, or -errno.
int rally_pty_open_terminal(int rows, int columns, char *path, size_t capacity);

// The text of the application command (APC) that the holder writes to the terminal whenever the
// job has ended or stopped, so that a reader knows when it has seen all of the job's output.
const char *rally_pty_mark(void);

// Changes the size; the foreground job is told by SIGWINCH. Returns 0 or -errno.
int rally_pty_resize(int terminal, int rows, int columns);

// Starts `file` as the foreground job of a holder that leads a new session on the terminal `tty`.
//
// The holder writes `rally_pty_report`s to `reports`. After a stop it waits for one byte from `orders`
// (CPH_FOREGROUND) and continues the job. It kills a stopped job, or ends once
// the job has ended, when `orders` closes. Returns the holder's process id or -errno.
pid_t rally_pty_start_held(const char *tty, const char *file, char *const argv[], char *const envp[],
                     const char *folder, int reports, int orders);

// Starts `file` in a session of its own, without a terminal, on three descriptors.
// Returns its process id or -errno.
pid_t rally_pty_start_piped(const char *file, char *const argv[], char *const envp[],
                      const char *folder, int input, int output, int error);

// Waits until `fd` can be read, more finely than poll's milliseconds. Returns 0 at the limit.
int rally_pty_wait_readable(int fd, int64_t seconds, int64_t nanoseconds);

// Parts of a wait status; the macros of <sys/wait.h> do not reach Swift.
int rally_pty_exited(int status);
int rally_pty_exit_code(int status);
int rally_pty_signalled(int status);
int rally_pty_signal(int status);
int rally_pty_stopped(int status);
int rally_pty_stop_signal(int status);

#endif
