# `make run` shows the whole system at work; `make test` runs every test. docs/development.md has the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := build

.PHONY: build test lint

build:
	@scripts/install-packages build
	swift build -c release --product belfry

test:
	@scripts/install-packages build test
	swift build --build-tests --explicit-target-dependency-import-check error
	swift test --skip-build --parallel

lint:
	@scripts/install-packages build
	scripts/lint
