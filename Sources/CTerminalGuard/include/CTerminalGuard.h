#ifndef C_TERMINAL_GUARD_H
#define C_TERMINAL_GUARD_H

#include <stddef.h>

/* Remembers how the terminal was and what undoes what the program did to it, and sees to it that
   a fatal signal gives the terminal back before it ends the process. */

/* Saves the terminal's modes as they are now and `undo`, at most 1023 bytes to be written to it,
   and installs the handlers for SEGV BUS FPE ILL TRAP ABRT on a stack of their own.
   0, or -1 when fd is no terminal (then nothing is armed). */
int ctg_arm(int fd, const char *undo, size_t length);

/* Gives the calling thread a stack of its own for the handlers, once: a stack that overflowed
   cannot carry one. The thread that serves the main queue may change. */
void ctg_use_stack(void);

/* Keeps what is written to the standard error in memory, where that is a terminal, until the terminal is given
   back: then it is said, so that the reason of a crash is read by somebody. */
void ctg_keep_errors(void);

/* Takes over what undoes the present state; async-signal-safe against the handlers. */
void ctg_set_undo(const char *undo, size_t length);

/* Installs the same handler for a signal that ends the process by default (QUIT, INT),
   for as long as nobody else listens to it; not one that the program was started to ignore. */
void ctg_guard_signal(int signal);

/* Whether a signal is ignored now, as `nohup` does with HUP before it starts a program. */
int ctg_is_ignored(int signal);

/* Puts the default actions back; the terminal stays as it is. */
void ctg_disarm(void);

/* Writes the undo bytes and restores the modes. Async-signal-safe; repeated calls do nothing until
   `ctg_arm` or `ctg_rearm`. */
void ctg_restore(void);

/* After a restore for ^Z: the next fatal signal restores again. */
void ctg_rearm(void);

/* A file that is nowhere but in memory; -1 with errno where the system has none. */
int ctg_memory_file(void);

/* Makes `descriptor` lead where `target` does, for this process only; -1 with errno. */
int ctg_lead(int descriptor, int target);

/* Ends the process by `signal` with its default action, so that the shell sees 128 + signal. */
void ctg_die(int signal);

#endif
