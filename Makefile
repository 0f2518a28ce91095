# `make run` runs an end-to-end demonstration; `make test` runs every test. docs/development.md describes the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := build
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

test: test-tools
	swift build --build-tests --explicit-target-dependency-import-check error
	scripts/docs --check
	swift build --package-path Examples
	$(SWIFT_TEST)

# What the tests use beyond the compiler. Where the Python environment cannot be made, the tests
# that need it say so: they fail when CI is set, else they are skipped.
.PHONY: test-tools
test-tools:
	@scripts/install-packages build run test optional
	@scripts/python-environment test || true
	@scripts/python-environment tls || true

# Leaks are not looked for: the helpers' sandbox keeps that from reading /proc.
test-asan: test-tools
	swift build --build-tests --sanitize address --scratch-path .build/asan -Xswiftc -DSANITIZED
	ASAN_OPTIONS="suppressions=$(CURDIR)/scripts/asan-suppressions detect_leaks=0 $$ASAN_OPTIONS" $(SWIFT_TEST) --sanitize address --scratch-path .build/asan -Xswiftc -DSANITIZED

test-tsan: test-tools
	swift build --build-tests --sanitize thread --scratch-path .build/tsan -Xswiftc -DSANITIZED
	TSAN_OPTIONS="report_thread_leaks=0 $$TSAN_OPTIONS" $(SWIFT_TEST) --sanitize thread --scratch-path .build/tsan \
	  -Xswiftc -DSANITIZED

lint:
	@scripts/install-packages build
	scripts/lint

# The real client libraries that are too slow or too heavy for `make test`; a Python environment each.
.PHONY: clients
clients:
	@scripts/install-packages build run
	swift build -c release --product belfry
	@scripts/clients

# Certificates and keys of 1,000 devices over ten virtual years, where `make test` has 50.
.PHONY: ten-years
ten-years:
	@scripts/install-packages build test
	BELFRY_TEN_YEARS_DEVICES=1000 swift test --filter TenYearsTests

# Each against its reference in the same run; docs/development.md tells how to read them.
.PHONY: bench bench-quick
bench bench-quick:
	@scripts/install-packages build bench
	swift build -c release --product belfry
	swift build -c release --product ScheduleBenchmark
	@Benchmarks/run $(if $(findstring quick,$@),--quick)
	@.build/release/ScheduleBenchmark $(if $(findstring quick,$@),--quick)

# The schedule against a day-by-day count in Python: 100,000 schedules, where `make test` has 5,000.
SEED ?= 1
.PHONY: oracle
oracle:
	@scripts/install-packages build test
	swift build --build-tests
	CI=1 BELFRY_ORACLE_COUNT=100000 BELFRY_ORACLE_SEED=$(SEED) \
	  swift test --skip-build --filter ScheduleOracleTests

# A whole system under seeds and a virtual clock, in a release build that keeps assertions and exclusivity
# checks: SEED=n replays one world, WORLDS=n plays so many (from SEED, where it is given), SECONDS=n plays new
# ones for so long (60 when none is given). MODEL names the system; LENGTH=short plays more and rougher worlds.
MODEL ?= gateway agent
.PHONY: simulate
simulate:
	@scripts/install-packages build test
	swift build -c release --product Simulate --scratch-path .build/simulate \
	  -Xswiftc -assert-config -Xswiftc Debug -Xswiftc -enforce-exclusivity=checked \
	  -Xswiftc -enable-testing
	set -e; for model in $(MODEL); do \
	  .build/simulate/release/Simulate --model $$model \
	    $(if $(LENGTH),--length $(LENGTH)) \
	    $(if $(filter command environment,$(firstword $(origin SEED))),--seed $(SEED)) \
	    $(if $(filter command environment,$(firstword $(origin SECONDS))),--seconds $(SECONDS)) \
	    $(if $(filter command environment,$(firstword $(origin WORLDS))),--worlds $(WORLDS)); done

# The figures of docs/reliability.md, a tenth of each: SCALE=10 for the whole, FIGURE=name for one.
SCALE ?= 1
.PHONY: reliability
reliability:
	@scripts/install-packages build run test
	@scripts/python-environment test
	swift build -c release --product belfry
	$(MAKE) simulate MODEL=disk WORLDS=1
	scripts/reliability $(FIGURE) --scale $(SCALE)

# The parsers of untrusted bytes under libFuzzer: SECONDS=n for each (20), TARGET=name for one.
.PHONY: fuzz
fuzz:
	@scripts/install-packages build
	scripts/fuzz $(if $(filter command environment,$(firstword $(origin SECONDS))),$(SECONDS),20) $(TARGET)

# The cost of a byte for each handler of untrusted bytes, at 4 KB and at the interface's limit: it may be three times as
# high at the most. QUICK=1: up to 64 KB; ONLY=text: the subjects with that text in their name.
.PHONY: check-cost
check-cost:
	@scripts/install-packages build
	@scripts/check-cost $(if $(QUICK),--quick) $(if $(ONLY),--only "$(ONLY)")

# One operator of the product broken at a time: which breaks does no test notice? AREA=name for one area,
# SAMPLE=n for so many mutants of each, SEED=n for others.
.PHONY: mutate
mutate:
	@scripts/install-packages build test
	scripts/mutate $(if $(AREA),--area $(AREA)) \
	  --sample $(if $(filter command environment,$(firstword $(origin SAMPLE))),$(SAMPLE),150) --seed $(SEED)

# The Debian packages, in .build/packages: Swift's runtime is linked in, so that they run without a toolchain.
.PHONY: deb
deb:
	@scripts/install-packages build package
	@scripts/package-deb

# The same tree for other distributions, with an install.sh; beside the packages.
.PHONY: tarball
tarball:
	@scripts/install-packages build package
	@scripts/package-tarball

# All of it in fresh roots, as root: an upgrade while pushes flow, another distribution, a container.
.PHONY: packages-test
packages-test: deb
	@$(MAKE) --no-print-directory tarball
	@scripts/install-packages build packages-test
	@scripts/packages-test

# The alert rules and the dashboard of docs/operations, with a real Prometheus that scrapes a real gateway.
.PHONY: monitoring-test
monitoring-test:
	@scripts/install-packages build monitoring
	swift build -c release --product belfry
	@scripts/monitoring-test

# The proxies and the firewall of docs/operations, with the real programs in front of a real gateway.
.PHONY: proxies-test
proxies-test:
	@scripts/install-packages build proxies
	swift build -c release --product belfry
	@scripts/proxies-test

# The manual pages, in .build/man: `man -l .build/man/belfry-agent.1` shows one.
.PHONY: man
man: build
	.build/release/belfry man --out .build/man

# A page for each public declaration, and the links of the pages here.
.PHONY: docs
docs:
	@scripts/install-packages build
	scripts/docs

# Every check, the slow ones included, in turn; run it again to continue after an interruption. The result is
# recorded in docs/checks.tsv. ONLY="name name" and SKIP="name name" choose; `scripts/check-all --list` names them.
.PHONY: check-all
check-all:
	@scripts/check-all $(if $(ONLY),--only $(ONLY)) $(if $(SKIP),--skip $(SKIP))
