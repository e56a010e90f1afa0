#include "CSystemdBus.h"
#include "sd_bus.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

int rally_bus_open(const char *address, struct rally_bus **result) {
  const struct rally_sd_bus *sd = rally_sd_bus();
  if (sd == NULL) return -ENOSYS;
  struct rally_bus *bus = calloc(1, sizeof *bus);
  if (bus == NULL) return -ENOMEM;
  bus->sd = sd;
  int code = sd->sd_bus_new(&bus->bus);
  if (code >= 0) code = sd->sd_bus_set_address(bus->bus, address);
  if (code >= 0) code = sd->sd_bus_set_bus_client(bus->bus, 1);
  if (code >= 0) code = sd->sd_bus_start(bus->bus);
  if (code < 0) {
    rally_bus_close(bus);
    return code;
  }
  *result = bus;
  return 0;
}

void rally_bus_close(struct rally_bus *bus) {
  if (bus == NULL) return;
  if (bus->bus != NULL) bus->sd->sd_bus_flush_close_unref(bus->bus);
  free(bus);
}

void rally_bus_disconnect(struct rally_bus *bus) {
  if (bus->bus != NULL) {
    bus->sd->sd_bus_close(bus->bus);
    bus->sd->sd_bus_unref(bus->bus);
  }
  free(bus);
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

int rally_bus_connect(const char *address, uint64_t patience, struct rally_bus **result) {
  struct rally_bus *bus = NULL;
  int code = rally_bus_open(address, &bus);
  if (code < 0) return code;
  const uint64_t end = now() + patience;
  while ((code = bus->sd->sd_bus_is_ready(bus->bus)) == 0) {
    code = bus->sd->sd_bus_process(bus->bus, NULL);
    if (code < 0) break;
    if (code > 0) continue;
    const uint64_t time = now();
    code = time < end ? bus->sd->sd_bus_wait(bus->bus, end - time) : -ETIMEDOUT;
    if (code < 0) break;
  }
  if (code < 0) {
    rally_bus_disconnect(bus);
    return code;
  }
  *result = bus;
  return 0;
}

int rally_bus_descriptor(struct rally_bus *bus) { return bus->sd->sd_bus_get_fd(bus->bus); }

uint64_t rally_bus_deadline(struct rally_bus *bus) {
  uint64_t deadline = UINT64_MAX;
  if (bus->sd->sd_bus_get_timeout(bus->bus, &deadline) < 0) return 0;
  /* A full socket is rare: the caller waits for input only, so try again soon. */
  const uint64_t soon = now() + 50000;
  const int is_sending = bus->sd->sd_bus_get_events(bus->bus) & POLLOUT;
  return is_sending && soon < deadline ? soon : deadline;
}
