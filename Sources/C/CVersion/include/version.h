#pragma once

// Returns the abbreviated commit ID of this build; empty if it wasn't built in a repository.
const char *belfry_commit(void);
