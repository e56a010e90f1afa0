#include "CNotificationServer.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct sd_bus_slot sd_bus_slot;
typedef int (*handler)(sd_bus_message *, void *, void *);

#define FUNCTIONS(X)                                                                               \
  X(int, sd_bus_new, (sd_bus **))                                                                  \
  X(int, sd_bus_set_address, (sd_bus *, const char *))                                             \
  X(int, sd_bus_set_bus_client, (sd_bus *, int))                                                   \
  X(int, sd_bus_start, (sd_bus *))                                                                 \
  X(int, sd_bus_request_name, (sd_bus *, const char *, uint64_t))                                  \
  X(int, sd_bus_add_object, (sd_bus *, sd_bus_slot **, const char *, handler, void *))             \
  X(int, sd_bus_process, (sd_bus *, sd_bus_message **))                                            \
  X(int, sd_bus_wait, (sd_bus *, uint64_t))                                                        \
  X(int, sd_bus_send, (sd_bus *, sd_bus_message *, uint64_t *))                                    \
  X(sd_bus *, sd_bus_flush_close_unref, (sd_bus *))                                                \
  X(const char *, sd_bus_message_get_member, (sd_bus_message *))                                   \
  X(int, sd_bus_message_new_method_return, (sd_bus_message *, sd_bus_message **))                  \
  X(int, sd_bus_message_append_basic, (sd_bus_message *, char, const void *))                      \
  X(int, sd_bus_message_open_container, (sd_bus_message *, char, const char *))                    \
  X(int, sd_bus_message_close_container, (sd_bus_message *))                                       \
  X(int, sd_bus_message_enter_container, (sd_bus_message *, char, const char *))                   \
  X(int, sd_bus_message_exit_container, (sd_bus_message *))                                        \
  X(int, sd_bus_message_read_basic, (sd_bus_message *, char, void *))                              \
  X(int, sd_bus_message_skip, (sd_bus_message *, const char *))                                    \
  X(sd_bus_message *, sd_bus_message_unref, (sd_bus_message *))

static struct {
#define FIELD(result, name, arguments) result(*name) arguments;
  FUNCTIONS(FIELD)
} sd;

#define MEMORY 64

struct rally_notification_server {
  sd_bus *bus;
  pthread_t thread;
  atomic_int stops;
  pthread_mutex_t lock;
  char capabilities[256];
  struct rally_notification_note notes[MEMORY];
  int count;
  uint32_t last, closed;
};

static int load(void) {
  void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return -ENOSYS;
#define FIND(result, name, arguments)                                                              \
  sd.name = (result(*) arguments)dlsym(library, #name);                                            \
  if (sd.name == NULL) return -ENOSYS;
  FUNCTIONS(FIND)
  return 0;
}

static void read_text(sd_bus_message *message, char *text, size_t size) {
  const char *value = NULL;
  if (sd.sd_bus_message_read_basic(message, 's', &value) > 0) snprintf(text, size, "%s", value);
}

static void read_hints(sd_bus_message *message, struct rally_notification_note *note) {
  sd.sd_bus_message_enter_container(message, 'a', "{sv}");
  while (sd.sd_bus_message_enter_container(message, 'e', "sv") > 0) {
    const char *key = NULL;
    sd.sd_bus_message_read_basic(message, 's', &key);
    if (strcmp(key, "urgency") == 0) {
      sd.sd_bus_message_enter_container(message, 'v', "y");
      sd.sd_bus_message_read_basic(message, 'y', &note->urgency);
      sd.sd_bus_message_exit_container(message);
    } else if (strcmp(key, "category") == 0) {
      sd.sd_bus_message_enter_container(message, 'v', "s");
      read_text(message, note->category, sizeof note->category);
      sd.sd_bus_message_exit_container(message);
    } else {
      sd.sd_bus_message_skip(message, "v");
    }
    sd.sd_bus_message_exit_container(message);
  }
  sd.sd_bus_message_exit_container(message);
}

static uint32_t notify(struct rally_notification_server *server, sd_bus_message *message) {
  struct rally_notification_note note;
  char icon[8];
  memset(&note, 0, sizeof note);
  read_text(message, note.application, sizeof note.application);
  sd.sd_bus_message_read_basic(message, 'u', &note.replaces);
  read_text(message, icon, sizeof icon);
  read_text(message, note.summary, sizeof note.summary);
  read_text(message, note.body, sizeof note.body);
  sd.sd_bus_message_skip(message, "as");
  read_hints(message, &note);
  pthread_mutex_lock(&server->lock);
  note.id = note.replaces != 0 ? note.replaces : ++server->last;
  if (server->count < MEMORY) server->notes[server->count] = note;
  server->count++;
  pthread_mutex_unlock(&server->lock);
  return note.id;
}

static int called(sd_bus_message *message, void *context, void *error) {
  struct rally_notification_server *server = context;
  const char *member = sd.sd_bus_message_get_member(message);
  sd_bus_message *reply = NULL;
  (void)error;
  if (sd.sd_bus_message_new_method_return(message, &reply) < 0) return 0;
  if (strcmp(member, "Notify") == 0) {
    uint32_t id = notify(server, message);
    sd.sd_bus_message_append_basic(reply, 'u', &id);
  } else if (strcmp(member, "CloseNotification") == 0) {
    uint32_t id = 0;
    sd.sd_bus_message_read_basic(message, 'u', &id);
    pthread_mutex_lock(&server->lock);
    server->closed = id;
    pthread_mutex_unlock(&server->lock);
  } else if (strcmp(member, "GetCapabilities") == 0) {
    char names[256];
    char *rest = NULL;
    snprintf(names, sizeof names, "%s", server->capabilities);
    sd.sd_bus_message_open_container(reply, 'a', "s");
    for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
      sd.sd_bus_message_append_basic(reply, 's', name);
    sd.sd_bus_message_close_container(reply);
  } else if (strcmp(member, "GetServerInformation") == 0) {
    for (int i = 0; i < 4; i++) sd.sd_bus_message_append_basic(reply, 's', i == 0 ? "test" : "1");
  }
  sd.sd_bus_send(NULL, reply, NULL);
  sd.sd_bus_message_unref(reply);
  return 1;
}

static void *serve(void *context) {
  struct rally_notification_server *server = context;
  while (!atomic_load(&server->stops)) {
    int code = sd.sd_bus_process(server->bus, NULL);
    if (code < 0) break;
    if (code == 0) sd.sd_bus_wait(server->bus, 20000);
  }
  return NULL;
}

int rally_notification_start(
  const char *address, const char *capabilities, struct rally_notification_server **result) {
  int code = load();
  if (code < 0) return code;
  struct rally_notification_server *server = calloc(1, sizeof *server);
  if (server == NULL) return -ENOMEM;
  pthread_mutex_init(&server->lock, NULL);
  snprintf(server->capabilities, sizeof server->capabilities, "%s", capabilities);
  code = sd.sd_bus_new(&server->bus);
  if (code >= 0) code = sd.sd_bus_set_address(server->bus, address);
  if (code >= 0) code = sd.sd_bus_set_bus_client(server->bus, 1);
  if (code >= 0) code = sd.sd_bus_start(server->bus);
  if (code >= 0)
    code = sd.sd_bus_add_object(
        server->bus, NULL, "/org/freedesktop/Notifications", called, server);
  if (code >= 0) code = sd.sd_bus_request_name(server->bus, "org.freedesktop.Notifications", 0);
  if (code >= 0) code = -pthread_create(&server->thread, NULL, serve, server);
  if (code < 0) {
    if (server->bus != NULL) sd.sd_bus_flush_close_unref(server->bus);
    free(server);
    return code;
  }
  *result = server;
  return 0;
}

void rally_notification_stop(struct rally_notification_server *server) {
  atomic_store(&server->stops, 1);
  pthread_join(server->thread, NULL);
  sd.sd_bus_flush_close_unref(server->bus);
  free(server);
}

int rally_notification_count(struct rally_notification_server *server) {
  pthread_mutex_lock(&server->lock);
  int count = server->count;
  pthread_mutex_unlock(&server->lock);
  return count;
}

int rally_notification_get(
  struct rally_notification_server *server, int index, struct rally_notification_note *note) {
  int code = -1;
  pthread_mutex_lock(&server->lock);
  if (index >= 0 && index < server->count && index < MEMORY) {
    *note = server->notes[index];
    code = 0;
  }
  pthread_mutex_unlock(&server->lock);
  return code;
}

uint32_t rally_notification_closed(struct rally_notification_server *server) {
  pthread_mutex_lock(&server->lock);
  uint32_t closed = server->closed;
  pthread_mutex_unlock(&server->lock);
  return closed;
}
