#define _GNU_SOURCE
#include "CServerProcess.h"

#include <errno.h>

#ifdef __linux__
#include <fcntl.h>
#include <linux/landlock.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

void rally_process_trim_heap(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

int rally_process_no_new_privileges(void) {
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
}

static int allow(int rules, const char *folder, uint64_t rights) {
  struct landlock_path_beneath_attr rule = {.allowed_access = rights};
  rule.parent_fd = open(folder, O_PATH | O_CLOEXEC);
  if (rule.parent_fd < 0) return errno;
  long result = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  int error = result == 0 ? 0 : errno;
  close(rule.parent_fd);
  return error;
}

int rally_process_restrict_writes(const char *const folders[], size_t count, const char *sockets) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 0) return errno;
  uint64_t rights = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                    LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
  /* The first version knows neither; a right that the kernel does not know is an error. */
  if (version >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= 3) rights |= LANDLOCK_ACCESS_FS_TRUNCATE;
  struct landlock_ruleset_attr wanted = {.handled_access_fs = rights};
  int rules = (int)syscall(SYS_landlock_create_ruleset, &wanted, sizeof wanted, 0);
  if (rules < 0) return errno;
  int error = 0;
  for (size_t i = 0; i < count && error == 0; i++) error = allow(rules, folders[i], rights);
  if (error == 0 && sockets) error = allow(rules, sockets, LANDLOCK_ACCESS_FS_MAKE_SOCK);
  if (error == 0 && syscall(SYS_landlock_restrict_self, rules, 0) != 0) error = errno;
  close(rules);
  return error;
}
#else
void rally_process_trim_heap(void) {}
int rally_process_no_new_privileges(void) { return ENOSYS; }
int rally_process_restrict_writes(const char *const folders[], size_t count, const char *sockets) {
  (void)sockets;
  (void)folders;
  (void)count;
  return ENOSYS;
}
#endif
