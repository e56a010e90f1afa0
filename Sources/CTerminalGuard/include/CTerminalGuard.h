#ifndef C_TERMINAL_GUARD_H
#define C_TERMINAL_GUARD_H

#include <stddef.h>

/* Saves the terminal's state and restores it before a fatal signal ends the process. */

/* Saves the terminal's current modes and `undo` (at most 1024 bytes, written on restore), and
   installs handlers for SEGV BUS FPE ILL TRAP ABRT on an alternate stack.
   Returns 0, or -1 when fd is not a terminal (then nothing is armed). */
int rally_guard_arm(int fd, const char *undo, size_t length);

/* Sets up an alternate signal stack for the calling thread, once: after a stack overflow the
   handler cannot run on the normal one. Call it on every thread that may serve the main queue. */
void rally_guard_use_stack(void);

/* If standard error is a terminal, captures it in memory until the terminal is restored and then
   prints it, so that the message of a crash is not lost. */
void rally_guard_keep_errors(void);

/* Replaces the undo bytes. May be interrupted by the signal handlers. */
void rally_guard_set_undo(const char *undo, size_t length);

/* Installs the same handler for a signal that ends the process by default (QUIT, INT),
   for as long as nobody else listens to it; not one that the program was started to ignore. */
void rally_guard_guard_signal(int signal);

/* Installs the same handler until somebody else listens to the signal; `rally_guard_disarm` leaves it. */
void rally_guard_end_by(int signal);

/* Whether a signal is ignored now, as `nohup` does with HUP before it starts a program. */
int rally_guard_is_ignored(int signal);

/* Puts the default actions back; the terminal stays as it is. */
void rally_guard_disarm(void);

/* Writes the undo bytes and restores the modes and standard error. Async-signal-safe. Further calls
   do nothing until `rally_guard_arm` or `rally_guard_rearm`. */
void rally_guard_restore(void);

/* Arms again after a restore for ^Z. */
void rally_guard_rearm(void);

/* Creates an anonymous memory file (memfd); -1 with errno where the system has none. */
int rally_guard_memory_file(void);

/* dup2(target, descriptor) with close-on-exec; -1 with errno. */
int rally_guard_lead(int descriptor, int target);

/* Begin and end a use of the terminal: output, or a change of its modes. For one thread at a time;
   may be nested. What came after another thread has restored the terminal would stay, so once a
   process ends `rally_guard_enter` never returns. */
void rally_guard_enter(void);
void rally_guard_leave(void);

/* Restores the terminal, after what another thread is doing with it (200 ms at most), and raises
   `signal` with its default action, so that the shell sees 128 + signal. Async-signal-safe. */
void rally_guard_end(int signal);

#endif
