#pragma once
#include <stdint.h>

/// The store of notifications before the log: fourteen columns with a checksum, two indexes, and the removal of the
/// former notification of a key in each commit.
typedef struct former_store former_store;

/// Creates the store; returns a null pointer if this fails.
former_store *former_store_open(const char *path);
void former_store_close(former_store *store);
/// These functions return 0, or an SQLite error code.
int former_store_begin(former_store *store);
/// Stores a notification whose numbers are the first twelve columns, and removes all but the `keep` newest ones of its
/// key.
int former_store_put(former_store *store, const int64_t numbers[12], const void *payload, int bytes,
                     int64_t keep);
int former_store_commit(former_store *store, int64_t highest, int64_t count);
