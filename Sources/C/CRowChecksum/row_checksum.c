#include "row_checksum.h"

#include <sqlite3.h>
#include <string.h>

#include "crc32c.h"

/// A checksum in progress; the buffer can hold a row of numbers, so that the row is added in a single piece.
typedef struct {
  unsigned char bytes[256];
  size_t count;
  uint32_t crc;
} sum;

static void flush(sum *sum) {
  sum->crc = crc32c_add(sum->crc, sum->bytes, sum->count);
  sum->count = 0;
}

static void add_bytes(sum *sum, const void *bytes, size_t length) {
  if (sum->count + length > sizeof sum->bytes) flush(sum);
  if (length > sizeof sum->bytes) {
    sum->crc = crc32c_add(sum->crc, bytes, length);
  } else if (length > 0) {
    memcpy(sum->bytes + sum->count, bytes, length);
    sum->count += length;
  }
}

static void add_head(sum *sum, int type, uint64_t number) {
  unsigned char head[9] = {(unsigned char)type};
  for (int index = 0; index < 8; index++) head[index + 1] = (unsigned char)(number >> 8 * index);
  add_bytes(sum, head, sizeof head);
}

/// Adds a value: its type, its number or length in eight bytes (lowest first), and the bytes of a string or blob.
static void add_value(sum *sum, sqlite3_value *value) {
  int type = sqlite3_value_type(value);
  const void *bytes = NULL;
  int length = 0;
  uint64_t number = 0;
  switch (type) {
    case SQLITE_INTEGER: number = (uint64_t)sqlite3_value_int64(value); break;
    case SQLITE_FLOAT: {
      double real = sqlite3_value_double(value);
      memcpy(&number, &real, 8);
      break;
    }
    case SQLITE_TEXT:
      bytes = sqlite3_value_text(value);
      length = sqlite3_value_bytes(value);
      number = (uint64_t)length;
      break;
    case SQLITE_BLOB:
      bytes = sqlite3_value_blob(value);
      length = sqlite3_value_bytes(value);
      number = (uint64_t)length;
      break;
    default: break;
  }
  add_head(sum, type, number);
  if (bytes && length > 0) add_bytes(sum, bytes, (size_t)length);
}

static void row_checksum(sqlite3_context *context, int count, sqlite3_value **values) {
  if (count == 0) {
    sqlite3_result_error(context, "row_checksum needs the number of key columns", -1);
    return;
  }
  int keys = sqlite3_value_int(values[0]);
  sum row = {.count = 0, .crc = ~0u};
  uint32_t key = 0;
  for (int index = 1; index < count; index++) {
    add_value(&row, values[index]);
    if (index == keys) {
      flush(&row);
      key = ~row.crc;
    }
  }
  flush(&row);
  sqlite3_result_int64(context, (sqlite3_int64)((uint64_t)key << 32 | (uint32_t)~row.crc));
}

uint32_t belfry_row_checksum_key(const int64_t *numbers, size_t count) {
  sum row = {.count = 0, .crc = ~0u};
  for (size_t index = 0; index < count; index++) {
    add_head(&row, SQLITE_INTEGER, (uint64_t)numbers[index]);
  }
  flush(&row);
  return ~row.crc;
}

int belfry_row_checksum_register(sqlite3 *connection) {
  return sqlite3_create_function_v2(
      connection, "row_checksum", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL,
      row_checksum, NULL, NULL, NULL);
}
