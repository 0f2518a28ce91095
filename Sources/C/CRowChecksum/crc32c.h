#pragma once
#include <stddef.h>
#include <stdint.h>

/// Continues a CRC-32C, whose first and last bits the caller inverts.
uint32_t crc32c_add(uint32_t crc, const unsigned char *bytes, size_t length);
