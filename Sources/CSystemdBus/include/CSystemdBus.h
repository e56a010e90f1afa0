#ifndef C_SYSTEMD_BUS_H
#define C_SYSTEMD_BUS_H

#include <stddef.h>
#include <stdint.h>

/* Desktop notifications over D-Bus with sd-bus from libsystemd.so.0. The library is loaded with
   dlopen on first use: linking it would slow down every start, and not every system has it.

   All calls block, for at most `RALLY_BUS_PATIENCE` microseconds each. A connection may be used by
   one thread at a time. Errors are negative errno values; -ENOSYS if the library is missing. */

#define RALLY_BUS_PATIENCE 2000000u

struct rally_bus;

/* Whether the library could be loaded: 1 or 0. */
int rally_bus_is_available(void);

/* Connects to a bus address such as "unix:path=/run/user/1000/bus". */
int rally_bus_open(const char *address, struct rally_bus **bus);

void rally_bus_close(struct rally_bus *bus);

/* Shows a notification and stores its id in `id`. `replaces` is the id of a notification to
   replace, or 0. All texts are UTF-8; `urgency` is 0 to 2. */
int rally_bus_notify(struct rally_bus *bus, const char *application, uint32_t replaces,
                     const char *summary, const char *body, const char *category,
                     uint8_t urgency, uint32_t *id);

/* Closes a notification. Callers may ignore the error of one that is already closed. */
int rally_bus_close_notification(struct rally_bus *bus, uint32_t id);

/* Writes the server's capabilities, one per line; returns their number. */
int rally_bus_capabilities(struct rally_bus *bus, char *names, size_t size);

/* Writes the server's name, such as "gnome-shell". */
int rally_bus_server_name(struct rally_bus *bus, char *name, size_t size);

#endif
