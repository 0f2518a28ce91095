#pragma once
// Nothing to call: the file beside this one is there for `make test-tsan` alone.
