#ifndef C_POSTGRES_H
#define C_POSTGRES_H

/// The part of libpq that Rally uses, loaded with dlopen on first use: most installations never
/// need it, and linking it would slow down every start.
///
/// Names, arguments and ownership are libpq's (PostgreSQL documentation, chapter 34). Call other
/// functions only after rally_pq_load has returned NULL.

typedef struct pg_conn rally_pq_connection;
typedef struct pg_result rally_pq_result;

/// Loads libpq.so.5. Returns NULL, or the dynamic linker's error message. Thread-safe; may be
/// called repeatedly.
const char *rally_pq_load(void);

// The values of libpq's enumerations that Rally checks.
enum { RALLY_PQ_CONNECTION_OK = 0 };
enum { RALLY_PQ_COMMAND_OK = 1, RALLY_PQ_TUPLES_OK = 2 };
enum { RALLY_PQ_FIELD_SQLSTATE = 'C', RALLY_PQ_FIELD_PRIMARY = 'M' };

/// Connects with NULL-terminated arrays of keywords and values; "dbname" may be a URL. Suppresses
/// libpq's notices on standard error.
rally_pq_connection *rally_pq_connect(const char *const *keywords, const char *const *values);
void rally_pq_finish(rally_pq_connection *connection);
int rally_pq_status(const rally_pq_connection *connection);
/// The message ends with a line feed.
const char *rally_pq_error_message(const rally_pq_connection *connection);
int rally_pq_server_version(const rally_pq_connection *connection);
int rally_pq_backend_pid(const rally_pq_connection *connection);
int rally_pq_socket(const rally_pq_connection *connection);

/// Each of the next three shuts the connection down, and returns its error, after `patience`
/// milliseconds without a byte from the server; a negative one waits for ever.
rally_pq_result *rally_pq_exec(rally_pq_connection *connection, const char *sql, int patience);
rally_pq_result *rally_pq_prepare(
  rally_pq_connection *connection, const char *name, const char *sql, int count,
  const unsigned int *types, int patience);
/// Parameters and results are in text format.
rally_pq_result *rally_pq_exec_prepared(
  rally_pq_connection *connection, const char *name, int count, const char *const *values,
  int patience);

int rally_pq_result_status(const rally_pq_result *result);
/// NULL when the result has no such field.
const char *rally_pq_error_field(const rally_pq_result *result, int field);
/// The command tag, such as "COMMIT".
const char *rally_pq_command(rally_pq_result *result);
int rally_pq_rows(const rally_pq_result *result);
int rally_pq_columns(const rally_pq_result *result);
const char *rally_pq_column_name(const rally_pq_result *result, int column);
unsigned int rally_pq_column_type(const rally_pq_result *result, int column);
int rally_pq_is_null(const rally_pq_result *result, int row, int column);
const char *rally_pq_value(const rally_pq_result *result, int row, int column);
int rally_pq_length(const rally_pq_result *result, int row, int column);
void rally_pq_clear(rally_pq_result *result);

/// Reads available input. Returns 1 on success, 0 when the connection failed.
int rally_pq_consume(rally_pq_connection *connection);
/// Removes the next received notification. Returns the process id of the sending backend, 0 if
/// there is none.
int rally_pq_next_notification(rally_pq_connection *connection);

#endif
