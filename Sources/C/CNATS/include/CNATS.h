#pragma once
#include <nats/nats.h>
#include <stdbool.h>

/// Loads libnats, and returns false if it is not installed.
///
/// Call this function before the library's functions, and not from two threads at the same time.
bool belfry_nats_load(void);
