#pragma once
#include <stddef.h>
#include <stdint.h>

/// Returns the CRC-32C that continues `crc` with `bytes`; the caller inverts the initial and the final value.
uint32_t crc32c_add(uint32_t crc, const unsigned char *bytes, size_t length);
