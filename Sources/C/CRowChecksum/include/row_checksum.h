#pragma once
#include <stddef.h>
#include <stdint.h>

struct sqlite3;

/// Adds the SQL function `row_checksum(KEYS, VALUE, …)` to a connection; answers an SQLite code.
///
/// Its value has the CRC-32C of all values in the low 32 bits, and that of the first KEYS values in the high ones. Each
/// value counts with its type and length, so that no two rows have the same bytes.
int belfry_row_checksum_register(struct sqlite3 *connection);

/// The high half of `row_checksum(COUNT, …)` where the first COUNT values are these numbers.
uint32_t belfry_row_checksum_key(const int64_t *numbers, size_t count);

/// The CRC-32C of some bytes: with the processor's instruction where it has one.
uint32_t belfry_crc32c(const void *bytes, size_t length);

/// The same without the instruction.
uint32_t belfry_crc32c_portable(const void *bytes, size_t length);
