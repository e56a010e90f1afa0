#include "CPostgres.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>

// Layout of libpq's PGnotify (libpq-fe.h).
struct notification {
  char *channel;
  int sender;
  char *payload;
  struct notification *next;
};

typedef void (*notice_processor)(void *context, const char *message);

#define FUNCTIONS(X)                                                                              \
  X(rally_pq_connection *, PQconnectdbParams, (const char *const *, const char *const *, int))    \
  X(void, PQfinish, (rally_pq_connection *))                                                      \
  X(int, PQstatus, (const rally_pq_connection *))                                                 \
  X(char *, PQerrorMessage, (const rally_pq_connection *))                                        \
  X(int, PQserverVersion, (const rally_pq_connection *))                                          \
  X(int, PQbackendPID, (const rally_pq_connection *))                                             \
  X(int, PQsocket, (const rally_pq_connection *))                                                 \
  X(int, PQsendQuery, (rally_pq_connection *, const char *))                                      \
  X(int, PQsendPrepare,                                                                           \
    (rally_pq_connection *, const char *, const char *, int, const unsigned int *))               \
  X(int, PQsendQueryPrepared,                                                                     \
    (rally_pq_connection *, const char *, int, const char *const *, const int *, const int *,     \
     int))                                                                                        \
  X(int, PQisBusy, (rally_pq_connection *))                                                       \
  X(rally_pq_result *, PQgetResult, (rally_pq_connection *))                                      \
  X(int, PQresultStatus, (const rally_pq_result *))                                               \
  X(char *, PQresultErrorField, (const rally_pq_result *, int))                                   \
  X(char *, PQcmdStatus, (rally_pq_result *))                                                     \
  X(int, PQntuples, (const rally_pq_result *))                                                    \
  X(int, PQnfields, (const rally_pq_result *))                                                    \
  X(char *, PQfname, (const rally_pq_result *, int))                                              \
  X(unsigned int, PQftype, (const rally_pq_result *, int))                                        \
  X(int, PQgetisnull, (const rally_pq_result *, int, int))                                        \
  X(char *, PQgetvalue, (const rally_pq_result *, int, int))                                      \
  X(int, PQgetlength, (const rally_pq_result *, int, int))                                        \
  X(void, PQclear, (rally_pq_result *))                                                           \
  X(int, PQconsumeInput, (rally_pq_connection *))                                                 \
  X(struct notification *, PQnotifies, (rally_pq_connection *))                                   \
  X(void, PQfreemem, (void *))                                                                    \
  X(notice_processor, PQsetNoticeProcessor, (rally_pq_connection *, notice_processor, void *))

static struct {
#define DECLARE(result, name, arguments) result(*name) arguments;
  FUNCTIONS(DECLARE)
#undef DECLARE
} pq;

static pthread_once_t once = PTHREAD_ONCE_INIT;
// Written once, under `once`; a copy, since dlerror's buffer is overwritten by later calls.
static char problem[512];

static void keep(const char *text) {
  size_t length = 0;
  for (; text[length] && length + 1 < sizeof problem; length++) problem[length] = text[length];
  problem[length] = 0;
}

static void load(void) {
  void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *text = dlerror();
    return keep(text ? text : "libpq.so.5 cannot be loaded");
  }
#define LOOK_UP(result, name, arguments)                                                          \
  *(void **)&pq.name = dlsym(library, #name);                                                     \
  if (!pq.name) return keep("libpq.so.5 has no " #name);
  FUNCTIONS(LOOK_UP)
#undef LOOK_UP
}

const char *rally_pq_load(void) {
  pthread_once(&once, load);
  return problem[0] ? problem : NULL;
}

static void ignore(void *context, const char *message) {
  (void)context;
  (void)message;
}

rally_pq_connection *rally_pq_connect(const char *const *keywords, const char *const *values) {
  rally_pq_connection *connection = pq.PQconnectdbParams(keywords, values, 1);
  if (connection) pq.PQsetNoticeProcessor(connection, ignore, NULL);
  return connection;
}

void rally_pq_finish(rally_pq_connection *connection) { pq.PQfinish(connection); }

int rally_pq_status(const rally_pq_connection *connection) { return pq.PQstatus(connection); }

const char *rally_pq_error_message(const rally_pq_connection *connection) {
  return pq.PQerrorMessage(connection);
}

int rally_pq_server_version(const rally_pq_connection *connection) {
  return pq.PQserverVersion(connection);
}

int rally_pq_backend_pid(const rally_pq_connection *connection) {
  return pq.PQbackendPID(connection);
}

int rally_pq_socket(const rally_pq_connection *connection) { return pq.PQsocket(connection); }

// libpq's own waiting has no limit: a server whose kernel acknowledges bytes and that says nothing
// would hold the thread for ever.
static void wait_for_input(rally_pq_connection *connection, int patience) {
  struct pollfd input = {.fd = pq.PQsocket(connection), .events = POLLIN};
  int ready;
  do ready = poll(&input, 1, patience);
  while (ready < 0 && errno == EINTR);
  if (ready <= 0) shutdown(input.fd, SHUT_RDWR);
}

// The last result of what was sent, as PQexec gives it.
static rally_pq_result *last_result(rally_pq_connection *connection, int patience) {
  rally_pq_result *last = NULL;
  for (;;) {
    while (pq.PQisBusy(connection)) {
      wait_for_input(connection, patience);
      if (!pq.PQconsumeInput(connection)) break;
    }
    rally_pq_result *next = pq.PQgetResult(connection);
    if (!next) return last;
    if (last) pq.PQclear(last);
    last = next;
  }
}

rally_pq_result *rally_pq_exec(rally_pq_connection *connection, const char *sql, int patience) {
  if (!pq.PQsendQuery(connection, sql)) return NULL;
  return last_result(connection, patience);
}

rally_pq_result *rally_pq_prepare(
  rally_pq_connection *connection, const char *name, const char *sql, int count,
  const unsigned int *types, int patience) {
  if (!pq.PQsendPrepare(connection, name, sql, count, types)) return NULL;
  return last_result(connection, patience);
}

rally_pq_result *rally_pq_exec_prepared(
  rally_pq_connection *connection, const char *name, int count, const char *const *values,
  int patience) {
  if (!pq.PQsendQueryPrepared(connection, name, count, values, NULL, NULL, 0)) return NULL;
  return last_result(connection, patience);
}

int rally_pq_result_status(const rally_pq_result *result) { return pq.PQresultStatus(result); }

const char *rally_pq_error_field(const rally_pq_result *result, int field) {
  return pq.PQresultErrorField(result, field);
}

const char *rally_pq_command(rally_pq_result *result) { return pq.PQcmdStatus(result); }

int rally_pq_rows(const rally_pq_result *result) { return pq.PQntuples(result); }

int rally_pq_columns(const rally_pq_result *result) { return pq.PQnfields(result); }

const char *rally_pq_column_name(const rally_pq_result *result, int column) {
  return pq.PQfname(result, column);
}

unsigned int rally_pq_column_type(const rally_pq_result *result, int column) {
  return pq.PQftype(result, column);
}

int rally_pq_is_null(const rally_pq_result *result, int row, int column) {
  return pq.PQgetisnull(result, row, column);
}

const char *rally_pq_value(const rally_pq_result *result, int row, int column) {
  return pq.PQgetvalue(result, row, column);
}

int rally_pq_length(const rally_pq_result *result, int row, int column) {
  return pq.PQgetlength(result, row, column);
}

void rally_pq_clear(rally_pq_result *result) { pq.PQclear(result); }

int rally_pq_consume(rally_pq_connection *connection) { return pq.PQconsumeInput(connection); }

int rally_pq_next_notification(rally_pq_connection *connection) {
  struct notification *next = pq.PQnotifies(connection);
  if (!next) return 0;
  int sender = next->sender;
  pq.PQfreemem(next);
  return sender;
}
