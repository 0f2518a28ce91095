#ifndef BELFRY_CONSOLE_PAGES_H
#define BELFRY_CONSOLE_PAGES_H

#include <stddef.h>

/// A file of the console's pages, exactly as in Sources/Console/Pages.
struct console_page {
  const char *_Nonnull name;
  const unsigned char *_Nonnull bytes;
  size_t length;
};

/// Returns the number of files.
size_t console_page_count(void);

/// Returns the file with this index, which must be less than the count.
///
/// The file's contents exist for the lifetime of the process.
struct console_page console_page_at(size_t index);

#endif
