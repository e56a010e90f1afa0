#ifndef CSPAWN_SHIM_H
#define CSPAWN_SHIM_H
#include <spawn.h>

/* What <spawn.h> of glibc (2.34) declares only beyond POSIX, which Swift's module of it leaves out. */
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *, const char *);
#endif
