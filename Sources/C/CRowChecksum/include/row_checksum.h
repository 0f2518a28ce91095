#pragma once
#include <stddef.h>
#include <stdint.h>

struct sqlite3;

/// Adds the SQL function `row_checksum(KEYS, VALUE, …)` to a connection; returns an SQLite result code.
///
/// The function's result contains the CRC-32C of all values in its low 32 bits, and the CRC-32C of the first KEYS
/// values in its high 32 bits. Each value is included together with its type and length, so that no two rows have the
/// same bytes.
int belfry_row_checksum_register(struct sqlite3 *connection);

/// Returns the high half of `row_checksum(COUNT, …)` for rows whose first COUNT values are these numbers.
uint32_t belfry_row_checksum_key(const int64_t *numbers, size_t count);

/// Returns the CRC-32C of some bytes, computed with the processor's CRC instruction if available.
uint32_t belfry_crc32c(const void *bytes, size_t length);

/// Returns the CRC-32C of some bytes, computed without the processor's CRC instruction.
uint32_t belfry_crc32c_portable(const void *bytes, size_t length);
