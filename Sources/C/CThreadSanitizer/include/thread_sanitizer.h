#pragma once
// This header declares nothing; the target exists for mutex.c, which `make test-tsan` needs.
