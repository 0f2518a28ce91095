#include "former_store.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "row_checksum.h"

struct former_store {
  sqlite3 *connection;
  sqlite3_stmt *insert, *trim, *advance;
  /// The sum of what the store reports about removed rows.
  int64_t reported;
};

static const char *schema =
    "PRAGMA cell_size_check = ON; PRAGMA cache_size = -32768; PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = FULL;"
    "CREATE TABLE notification ("
    "  sequence INTEGER PRIMARY KEY, device INTEGER NOT NULL, app INTEGER NOT NULL,"
    "  kind INTEGER NOT NULL, id_high INTEGER NOT NULL, id_low INTEGER NOT NULL,"
    "  unique_high INTEGER NOT NULL, unique_low INTEGER NOT NULL, expiration INTEGER NOT NULL,"
    "  priority INTEGER NOT NULL, push_type INTEGER NOT NULL, accepted INTEGER NOT NULL,"
    "  checksum INTEGER NOT NULL GENERATED ALWAYS AS ("
    "    row_checksum(8, device, app, kind, sequence, id_high, id_low, unique_high, unique_low,"
    "    expiration, priority, push_type, accepted, collapse, payload)) STORED,"
    "  collapse BLOB NOT NULL, payload BLOB NOT NULL) STRICT;"
    "CREATE INDEX notification_by_key ON notification (device, app, kind);"
    "CREATE INDEX notification_by_expiration ON notification (expiration);"
    "CREATE TABLE progress (highest INTEGER NOT NULL, epoch INTEGER NOT NULL DEFAULT 0,"
    "  stored INTEGER NOT NULL DEFAULT 0, checksum INTEGER NOT NULL GENERATED ALWAYS AS ("
    "    row_checksum(0, highest, epoch, stored)) STORED) STRICT;"
    "INSERT INTO progress (highest) VALUES (0);";

static sqlite3_stmt *prepare(former_store *store, const char *sql) {
  sqlite3_stmt *statement = NULL;
  sqlite3_prepare_v3(store->connection, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
  return statement;
}

former_store *former_store_open(const char *path) {
  former_store *store = calloc(1, sizeof(former_store));
  if (!store) return NULL;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path, &store->connection, flags, NULL) == SQLITE_OK &&
      belfry_row_checksum_register(store->connection) == SQLITE_OK &&
      sqlite3_exec(store->connection, schema, NULL, NULL, NULL) == SQLITE_OK) {
    store->insert = prepare(
        store,
        "INSERT INTO notification (device, app, kind, sequence, id_high, id_low, unique_high,"
        "  unique_low, expiration, priority, push_type, accepted, collapse, payload)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"
        " ON CONFLICT DO NOTHING");
    store->trim = prepare(
        store,
        "DELETE FROM notification WHERE device = ?1 AND app = ?2 AND kind = ?3 AND sequence <= ("
        "  SELECT sequence FROM notification WHERE device = ?1 AND app = ?2 AND kind = ?3"
        "  ORDER BY sequence DESC LIMIT 1 OFFSET ?4)"
        " RETURNING device, app, kind, sequence, id_high, id_low, unique_high, unique_low,"
        "  checksum, push_type >= 256");
    store->advance =
        prepare(store, "UPDATE progress SET highest = max(highest, ?1), stored = stored + ?2");
  }
  if (store->insert && store->trim && store->advance) return store;
  former_store_close(store);
  return NULL;
}

void former_store_close(former_store *store) {
  sqlite3_finalize(store->insert);
  sqlite3_finalize(store->trim);
  sqlite3_finalize(store->advance);
  sqlite3_close_v2(store->connection);
  free(store);
}

static int run(former_store *store, sqlite3_stmt *statement) {
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    for (int column = 0; column < 10; column++) {
      store->reported ^= sqlite3_column_int64(statement, column);
    }
  }
  sqlite3_reset(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

int former_store_begin(former_store *store) {
  return sqlite3_exec(store->connection, "BEGIN IMMEDIATE", NULL, NULL, NULL);
}

int former_store_put(former_store *store, const int64_t numbers[12], const void *payload, int bytes,
                     int64_t keep) {
  for (int index = 0; index < 12; index++) {
    sqlite3_bind_int64(store->insert, index + 1, numbers[index]);
  }
  sqlite3_bind_blob(store->insert, 13, "", 0, SQLITE_STATIC);
  sqlite3_bind_blob(store->insert, 14, payload, bytes, SQLITE_TRANSIENT);
  int code = run(store, store->insert);
  if (code != SQLITE_OK) return code;
  for (int index = 0; index < 3; index++) {
    sqlite3_bind_int64(store->trim, index + 1, numbers[index]);
  }
  sqlite3_bind_int64(store->trim, 4, keep);
  return run(store, store->trim);
}

int former_store_commit(former_store *store, int64_t highest, int64_t count) {
  sqlite3_bind_int64(store->advance, 1, highest);
  sqlite3_bind_int64(store->advance, 2, count);
  int code = run(store, store->advance);
  if (code != SQLITE_OK) return code;
  return sqlite3_exec(store->connection, "COMMIT", NULL, NULL, NULL);
}
