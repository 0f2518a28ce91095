#include "version.h"

// Package.swift defines BELFRY_COMMIT for C, because Swift's own settings have names without values.
const char *belfry_commit(void) { return BELFRY_COMMIT; }
