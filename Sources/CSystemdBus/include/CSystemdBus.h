#ifndef C_SYSTEMD_BUS_H
#define C_SYSTEMD_BUS_H

#include <stddef.h>
#include <stdint.h>

/* D-Bus with sd-bus from libsystemd.so.0. The library is loaded with dlopen on first use: linking
   it would slow down every start, and not every system has it.

   A connection may be used by one thread at a time. Errors are negative errno values; -ENOSYS if
   the library is missing. */

struct rally_bus;

/* Whether the library could be loaded: 1 or 0. */
int rally_bus_is_available(void);

/* Connects to a bus address such as "unix:path=/run/user/1000/bus". */
int rally_bus_open(const char *address, struct rally_bus **bus);

void rally_bus_close(struct rally_bus *bus);

/* Calls and signals of any service. Nothing of this blocks but `rally_bus_connect`. */

/* A value of a basic type. */
struct rally_bus_value {
  /* The D-Bus type: 'y' 'b' 'n' 'q' 'i' 'u' 'x' 't' 'h' have an integer, 'd' has a real, and 's'
     'o' 'g' have a text. */
  char type;
  /* For an argument of a call: whether it is sent as a variant. */
  char is_variant;
  /* Limited to INT64_MAX. A file descriptor ('h') is closed when the handler returns. */
  int64_t integer;
  double real;
  /* UTF-8; valid until the handler returns. */
  const char *text;
};

/* Receives a reply or a signal: first each basic value in it, then once with `value` NULL. Then
   `code` is 0, or a negative errno if the call failed.

   `name` is the key of a value in a dictionary and "" for a plain argument. The elements of an
   array inside a named value have the name of that value, a slash, and their own key if any; those
   of a structure inside one have its name, a slash, and their number, from 0. A failure hands over
   its text as a plain argument. */
typedef void rally_bus_handler(void *context, uint32_t tag, int code, const char *name,
                               const struct rally_bus_value *value);

/* Opens a connection and waits at most `patience` microseconds until the bus accepted it. */
int rally_bus_connect(const char *address, uint64_t patience, struct rally_bus **bus);

/* Closes the connection and discards what was not sent. */
void rally_bus_disconnect(struct rally_bus *bus);

/* The descriptor to wait for: `rally_bus_dispatch` is due when it is readable. */
int rally_bus_descriptor(struct rally_bus *bus);

/* When `rally_bus_dispatch` is due at the latest, in microseconds of CLOCK_MONOTONIC; UINT64_MAX
   for never. */
uint64_t rally_bus_deadline(struct rally_bus *bus);

/* Subscribes to the signals of a match rule. They arrive with the tag. */
int rally_bus_match(struct rally_bus *bus, uint32_t tag, const char *rule);

/* Calls a method; the reply arrives with the tag. A service that does not run is started by the bus
   if `starts_service` is not 0.

   `patience` is in microseconds; without a reply the call fails with -ETIMEDOUT. UINT64_MAX waits
   as long as the connection lasts. */
int rally_bus_call(struct rally_bus *bus, uint32_t tag, const char *service, const char *path,
                   const char *interface, const char *member,
                   const struct rally_bus_value *arguments, size_t count, int starts_service,
                   uint64_t patience);

/* Hands over everything that has arrived. Fails if the connection is lost. */
int rally_bus_dispatch(struct rally_bus *bus, rally_bus_handler *handler, void *context);

/* Desktop notifications. All calls block, for at most `RALLY_BUS_PATIENCE` microseconds each. */

#define RALLY_BUS_PATIENCE 2000000u

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
