# `make run` runs an end-to-end demonstration; `make test` runs every test. docs/development.md describes all targets.
SHELL := /bin/bash
.DEFAULT_GOAL := build
# `belfry --version` reports this commit; SwiftPM caches the commit that it reads itself.
export BELFRY_COMMIT ?= $(shell git rev-parse --short=10 HEAD 2>/dev/null)
SWIFT_TEST := scripts/run-tests

.PHONY: build run test lint test-asan test-tsan

build:
	@scripts/install-packages build
	swift build -c release --product belfry
	swift build -c release --product belfry-sound
	swift build -c release --product belfry-focus
	swift build -c release --product belfry-center

run:
	@scripts/install-packages build run
	swift build -c release --product belfry
	swift build -c release --product belfry-sound
	@scripts/python-environment run || true
	@scripts/run

# Starts three gateways with PostgreSQL and NATS, and stops them at Ctrl-C.
.PHONY: cluster
cluster:
	@scripts/install-packages build run cluster
	swift build -c release --product belfry
	@scripts/cluster

# Plays faults in a cluster with real engines, in network namespaces, as root: FAULTS=n in total (9 by default) of the
# sequence SEED=n. Run it again to continue. MINUTES=n starts no fault after that time; KIND=name plays one kind.
.PHONY: cluster-test
cluster-test:
	@scripts/install-packages build cluster-test
	@scripts/python-environment cluster-test
	swift build -c release --product belfry
	@.build/python-cluster-test/bin/python scripts/cluster-test/run --seed $(SEED) \
	  $(if $(FAULTS),--faults $(FAULTS)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(KIND),--kind $(KIND))

test: test-tools
	swift build --build-tests --explicit-target-dependency-import-check error
	scripts/docs --check
	swift build --package-path Examples
	$(SWIFT_TEST)

# The tools that the tests need in addition to the compiler. If the Python environment cannot be created, the tests that
# need it fail if CI is set, and are skipped with the reason otherwise.
.PHONY: test-tools
test-tools:
	@scripts/install-packages build run test optional
	@scripts/python-environment test || true
	@scripts/python-environment tls || true

# Sanitized programs are slow, so the tests wait up to five minutes for each event instead of one.
# Leaks are not checked, because the helpers' sandbox prevents LeakSanitizer from reading /proc.
test-asan: test-tools
	swift build --build-tests --sanitize address --scratch-path .build/asan -Xswiftc -DSANITIZED
	BELFRY_TEST_SECONDS=$${BELFRY_TEST_SECONDS:-300} \
	  ASAN_OPTIONS="suppressions=$(CURDIR)/scripts/asan-suppressions detect_leaks=0 $$ASAN_OPTIONS" $(SWIFT_TEST) --sanitize address --scratch-path .build/asan -Xswiftc -DSANITIZED

test-tsan: test-tools
	swift build --build-tests --sanitize thread --scratch-path .build/tsan -Xswiftc -DSANITIZED
	BELFRY_TEST_SECONDS=$${BELFRY_TEST_SECONDS:-300} TSAN_OPTIONS="report_thread_leaks=0 $$TSAN_OPTIONS" \
	  $(SWIFT_TEST) --sanitize thread --scratch-path .build/tsan -Xswiftc -DSANITIZED

lint:
	@scripts/install-packages build
	scripts/lint

# Tests the real client libraries that are too slow or too large for `make test`, each in its own Python environment.
.PHONY: clients
clients:
	@scripts/install-packages build run
	swift build -c release --product belfry
	@scripts/clients

# Uses Debian's Firefox, about 300 MB, as a device of a gateway.
.PHONY: firefox-test
firefox-test:
	@scripts/install-packages build run firefox
	@scripts/python-environment test
	swift build --product belfry
	@.build/python-test/bin/python scripts/firefox-test .build/debug/belfry

# Simulates the certificates and keys of 1,000 devices over ten virtual years; `make test` does so with 50 devices.
.PHONY: ten-years
ten-years:
	@scripts/install-packages build test
	BELFRY_TEN_YEARS_DEVICES=1000 swift test --filter TenYearsTests

# Runs each benchmark and its reference in the same run; docs/development.md explains how to read the results.
.PHONY: bench bench-quick
bench bench-quick:
	@scripts/install-packages build bench
	swift build -c release --product belfry
	swift build -c release --product ScheduleBenchmark
	swift build -c release --product StoreBenchmark
	@Benchmarks/run $(if $(findstring quick,$@),--quick)
	@.build/release/ScheduleBenchmark $(if $(findstring quick,$@),--quick)
	@.build/release/StoreBenchmark $(if $(findstring quick,$@),--quick)

# Measures one, two and three gateways of a cluster beside a gateway with its own files.
.PHONY: bench-cluster
bench-cluster:
	@scripts/install-packages build bench cluster
	swift build -c release --product belfry
	@Benchmarks/cluster

# Compares 100,000 schedules with a day-by-day count in Python; `make test` compares 5,000.
SEED ?= 1
.PHONY: oracle
oracle:
	@scripts/install-packages build test
	swift build --build-tests
	CI=1 BELFRY_ORACLE_COUNT=100000 BELFRY_ORACLE_SEED=$(SEED) \
	  swift test --skip-build --filter ScheduleOracleTests

# Simulates a whole system with seeds and a virtual clock, in a release build that keeps assertions and exclusivity
# checks. SEED=n replays one world. WORLDS=n runs that many worlds, starting from SEED if it is given. SECONDS=n runs
# new worlds for that long (60 if none of these is given). MODEL selects the system; LENGTH=short runs more worlds, with
# more faults. PLANT=fault makes a part of a simulated cluster break a rule.
MODEL ?= gateway agent
.PHONY: simulate
simulate:
	@scripts/install-packages build test
	swift build -c release --product Simulate --scratch-path .build/simulate \
	  -Xswiftc -assert-config -Xswiftc Debug -Xswiftc -enforce-exclusivity=checked \
	  -Xswiftc -enable-testing
	set -e; for model in $(MODEL); do \
	  .build/simulate/release/Simulate --model $$model \
	    $(if $(LENGTH),--length $(LENGTH)) $(if $(PLANT),--plant $(PLANT)) \
	    $(if $(filter command environment,$(firstword $(origin SEED))),--seed $(SEED)) \
	    $(if $(filter command environment,$(firstword $(origin SECONDS))),--seconds $(SECONDS)) \
	    $(if $(filter command environment,$(firstword $(origin WORLDS))),--worlds $(WORLDS)); done

# Measures the figures of docs/reliability.md at a tenth of their full scale. SCALE=10 measures them at full scale, and
# FIGURE=name measures only one.
SCALE ?= 1
.PHONY: reliability
reliability:
	@scripts/install-packages build run test
	@scripts/python-environment test
	swift build -c release --product belfry
	$(MAKE) simulate MODEL=disk WORLDS=1
	scripts/reliability $(FIGURE) --scale $(SCALE)

# Runs the parsers of untrusted bytes under libFuzzer, for SECONDS=n each (20 by default). TARGET=name runs only one.
.PHONY: fuzz
fuzz:
	@scripts/install-packages build
	scripts/fuzz $(if $(filter command environment,$(firstword $(origin SECONDS))),$(SECONDS),20) $(TARGET)

# Measures the cost per byte of each handler of untrusted bytes, at 4 KB and up to the interface's limit, where it may
# be at most three times as high. QUICK=1 stops at 64 KB; ONLY=text selects the subjects whose names contain the text.
.PHONY: check-cost
check-cost:
	@scripts/install-packages build
	@scripts/check-cost $(if $(QUICK),--quick) $(if $(ONLY),--only "$(ONLY)")

# Breaks one operator of the product at a time, and lists the breaks that no test detects. AREA=name selects an area,
# SAMPLE=n sets the number of mutants per area, and SEED=n selects other mutants.
.PHONY: mutate
mutate:
	@scripts/install-packages build test
	scripts/mutate $(if $(AREA),--area $(AREA)) \
	  --sample $(if $(filter command environment,$(firstword $(origin SAMPLE))),$(SAMPLE),150) --seed $(SEED)

# Builds the Debian packages in .build/packages, with Swift's runtime linked in, so that they run without a toolchain.
.PHONY: deb
deb:
	@scripts/install-packages build package
	@scripts/package-deb

# Builds an archive of the same files for other distributions, with an install.sh, next to the packages.
.PHONY: tarball
tarball:
	@scripts/install-packages build package
	@scripts/package-tarball

# Tests the packages and the archive in fresh root file systems, as root: an upgrade while pushes are delivered, another
# distribution, a container.
.PHONY: packages-test
packages-test: deb
	@$(MAKE) --no-print-directory tarball
	@scripts/install-packages build packages-test
	@scripts/packages-test

# Tests the alert rules and the dashboard of docs/operations with a real Prometheus that scrapes a real gateway.
.PHONY: monitoring-test
monitoring-test:
	@scripts/install-packages build monitoring
	swift build -c release --product belfry
	@scripts/monitoring-test

# Tests the proxy and firewall files of docs/operations with the real programs in front of a real gateway.
.PHONY: proxies-test
proxies-test:
	@scripts/install-packages build proxies
	swift build -c release --product belfry
	@scripts/proxies-test

# Writes the manual pages to .build/man; `man -l .build/man/belfry-agent.1` shows one.
.PHONY: man
man: build
	.build/release/belfry man --out .build/man

# Generates a page for each public declaration, and checks the links in docstrings.
.PHONY: docs
docs:
	@scripts/install-packages build
	scripts/docs

# Runs every check in turn, including the slow ones; run it again to continue after an interruption. The results are
# recorded in docs/checks.tsv. ONLY="name name" and SKIP="name name" select checks; `scripts/check-all --list` lists
# them.
.PHONY: check-all
check-all:
	@scripts/check-all $(if $(ONLY),--only $(ONLY)) $(if $(SKIP),--skip $(SKIP))
