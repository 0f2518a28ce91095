#include "version.h"

// Package.swift defines BELFRY_COMMIT for C, because Swift's compilation conditions can't have values.
const char *belfry_commit(void) { return BELFRY_COMMIT; }
