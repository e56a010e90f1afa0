#ifndef C_NOTIFICATION_SERVER_H
#define C_NOTIFICATION_SERVER_H

#include <stdint.h>

/* For tests: a desktop's notification server that shows nothing and remembers everything. It speaks
   through libsystemd.so.0, as the client does, on a thread of its own. */

struct rally_notification_server;

struct rally_notification_note {
  char application[64];
  char summary[256];
  char body[1024];
  char category[64];
  uint32_t replaces;
  uint32_t id;
  uint8_t urgency;
};

/* Takes the name org.freedesktop.Notifications on the bus. `capabilities` are parted by commas.
   A negative errno where that fails; -ENOSYS without the library. */
int rally_notification_start(
  const char *address, const char *capabilities, struct rally_notification_server **server);

void rally_notification_stop(struct rally_notification_server *server);

/* How many were shown, at most 64 of which are remembered. */
int rally_notification_count(struct rally_notification_server *server);

/* 0, or -1 where there is none of that index. */
int rally_notification_get(
  struct rally_notification_server *server, int index, struct rally_notification_note *note);

/* The number that was closed last; 0 before. */
uint32_t rally_notification_closed(struct rally_notification_server *server);

#endif
