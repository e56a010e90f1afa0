#include "CSystemdBus.h"
#include "sd_bus.h"

#include <dlfcn.h>
#include <pthread.h>

static struct rally_sd_bus functions;
static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
  is_loaded = 1;
#define RALLY_FIND(result, name, arguments)                                                        \
  functions.name = (result(*) arguments)dlsym(library, #name);                                     \
  if (functions.name == NULL) is_loaded = 0;
  RALLY_SD_BUS_FUNCTIONS(RALLY_FIND)
#undef RALLY_FIND
}

const struct rally_sd_bus *rally_sd_bus(void) {
  pthread_once(&once, load);
  return is_loaded ? &functions : NULL;
}

int rally_bus_is_available(void) { return rally_sd_bus() != NULL; }
