#ifndef C_SYSTEMD_BUS_H
#define C_SYSTEMD_BUS_H

#include <stddef.h>
#include <stdint.h>

/* Desktop notifications over D-Bus, by sd-bus of libsystemd.so.0, which is looked for when it is
   needed first: linking it would cost every start, and not every system has it.

   All of it blocks, at most `RALLY_BUS_PATIENCE` microseconds a call; a connection is for one
   thread at a time. Failures are negative errno; -ENOSYS where the library is not there. */

#define RALLY_BUS_PATIENCE 2000000u

struct rally_bus;

/* Whether the library is there: 1 or 0. */
int rally_bus_is_available(void);

/* Connects to a bus by its address, such as "unix:path=/run/user/1000/bus". */
int rally_bus_open(const char *address, struct rally_bus **bus);

void rally_bus_close(struct rally_bus *bus);

/* Shows a notification; `replaces` is one that was shown before, or 0. All texts are UTF-8.
   `urgency` is 0 to 2. Its number is written to `id`. */
int rally_bus_notify(struct rally_bus *bus, const char *application, uint32_t replaces,
                     const char *summary, const char *body, const char *category,
                     uint8_t urgency, uint32_t *id);

/* Takes a notification away; one that is gone already is no failure of the caller's. */
int rally_bus_close_notification(struct rally_bus *bus, uint32_t id);

/* Writes what the server can do, each name and a line break after it; returns how many there are. */
int rally_bus_capabilities(struct rally_bus *bus, char *names, size_t size);

/* Writes the name of the server: "gnome-shell". */
int rally_bus_server_name(struct rally_bus *bus, char *name, size_t size);

#endif
