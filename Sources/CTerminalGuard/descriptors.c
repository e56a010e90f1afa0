#define _GNU_SOURCE
#include "CTerminalGuard.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int rally_guard_memory_file(void) {
#ifdef MFD_CLOEXEC
  return memfd_create("frame", MFD_CLOEXEC);
#else
  errno = ENOSYS;
  return -1;
#endif
}

int rally_guard_lead(int descriptor, int target) {
#ifdef __linux__
  return dup3(target, descriptor, O_CLOEXEC);
#else
  if (dup2(target, descriptor) < 0) return -1;
  return fcntl(descriptor, F_SETFD, FD_CLOEXEC);
#endif
}
