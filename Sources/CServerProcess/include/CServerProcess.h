#ifndef RALLY_SERVER_PROCESS_H
#define RALLY_SERVER_PROCESS_H

#include <stddef.h>

/* Gives free memory of the heap back to the system, as far as its allocator can. */
void rally_process_trim_heap(void);

/* No program that this thread, or one that it starts from now on, executes gets rights that it
   does not have. Returns 0 or an errno. */
int rally_process_no_new_privileges(void);

/* From now on this thread and those that it starts may make, change and remove files in these
   folders only, and in what lies in them; below `sockets`, unless it is NULL, sockets can be made,
   too. Reading stays as it is. Files that are open stay so.
   Needs rally_process_no_new_privileges first. Returns 0 or an errno: ENOSYS or EOPNOTSUPP where the kernel
   has no Landlock. */
int rally_process_restrict_writes(const char *const folders[], size_t count, const char *sockets);

#endif
