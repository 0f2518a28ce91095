#include "crc32c.h"

#include <string.h>

#include "row_checksum.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <arm_acle.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

// MARK: Eight tables

static uint32_t tables[8][256];

static void make_tables(void) {
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ ((crc & 1) ? 0x82F63B78u : 0);
    tables[0][byte] = crc;
  }
  for (uint32_t byte = 0; byte < 256; byte++) {
    for (int table = 1; table < 8; table++) {
      uint32_t before = tables[table - 1][byte];
      tables[table][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
}

static uint32_t add_portably(uint32_t crc, const unsigned char *bytes, size_t length) {
  for (; length >= 8; bytes += 8, length -= 8) {
    uint32_t low = crc ^ ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                          (uint32_t)bytes[3] << 24);
    crc = tables[7][low & 0xFF] ^ tables[6][low >> 8 & 0xFF] ^ tables[5][low >> 16 & 0xFF] ^
          tables[4][low >> 24] ^ tables[3][bytes[4]] ^ tables[2][bytes[5]] ^ tables[1][bytes[6]] ^
          tables[0][bytes[7]];
  }
  for (; length > 0; bytes++, length--) crc = (crc >> 8) ^ tables[0][(crc ^ *bytes) & 0xFF];
  return crc;
}

// MARK: The processor's instruction

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) static uint32_t add_by_instruction(
    uint32_t crc, const unsigned char *bytes, size_t length) {
  uint64_t wide = crc;
  for (; length >= 8; bytes += 8, length -= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    wide = _mm_crc32_u64(wide, word);
  }
  crc = (uint32_t)wide;
  for (; length > 0; bytes++, length--) crc = _mm_crc32_u8(crc, *bytes);
  return crc;
}

static int has_instruction(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("sse4.2");
}

#elif defined(__aarch64__) && defined(__linux__)

__attribute__((target("crc"))) static uint32_t add_by_instruction(
    uint32_t crc, const unsigned char *bytes, size_t length) {
  for (; length >= 8; bytes += 8, length -= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    crc = __crc32cd(crc, word);
  }
  for (; length > 0; bytes++, length--) crc = __crc32cb(crc, *bytes);
  return crc;
}

static int has_instruction(void) { return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0; }

#else

static uint32_t add_by_instruction(uint32_t crc, const unsigned char *bytes, size_t length) {
  return add_portably(crc, bytes, length);
}

static int has_instruction(void) { return 0; }

#endif

static uint32_t (*add)(uint32_t, const unsigned char *, size_t) = add_portably;

/// Chooses the implementation before any thread runs.
__attribute__((constructor)) static void choose(void) {
  make_tables();
  if (has_instruction()) add = add_by_instruction;
}

uint32_t crc32c_add(uint32_t crc, const unsigned char *bytes, size_t length) {
  return add(crc, bytes, length);
}

uint32_t belfry_crc32c(const void *bytes, size_t length) { return ~add(~0u, bytes, length); }

uint32_t belfry_crc32c_portable(const void *bytes, size_t length) {
  return ~add_portably(~0u, bytes, length);
}
