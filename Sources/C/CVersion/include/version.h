#pragma once

// The commit that this build is of, short; empty where it was not built in a repository.
const char *belfry_commit(void);
