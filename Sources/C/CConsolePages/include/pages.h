#ifndef BELFRY_CONSOLE_PAGES_H
#define BELFRY_CONSOLE_PAGES_H

#include <stddef.h>

/// A file of the console's pages, as it is in Sources/Console/Pages.
struct console_page {
  const char *_Nonnull name;
  const unsigned char *_Nonnull bytes;
  size_t length;
};

/// The number of files.
size_t console_page_count(void);

/// The file with this index, which is less than the count; it lasts as long as the process.
struct console_page console_page_at(size_t index);

#endif
