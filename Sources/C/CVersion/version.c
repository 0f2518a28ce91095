#include "version.h"

// Package.swift defines it: Swift's own settings have names without values.
const char *belfry_commit(void) { return BELFRY_COMMIT; }
