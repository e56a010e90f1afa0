# Rally: `make help` says what there is.

SHELL := /bin/sh
PREFIX ?= /usr/local
SWIFT ?= swift
FORMATTED := Package.swift Sources Tests Benchmarks Pictures
RELEASE := -c release --product rally
PHASE := Scripts/phase

.DEFAULT_GOAL := help
.PHONY: help run build test check format-check format lint bench pictures install uninstall \
  clean dependencies test-dependencies

help: ## List these targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## Install what is missing, build Rally and start it on its own embedded server.
	@exec "$$($(SWIFT) build $(RELEASE) --show-bin-path)/rally"

build: dependencies ## Build the release binary.
	@$(PHASE) build $(SWIFT) build $(RELEASE)

test: test-dependencies ## Install what is missing, build everything and run all tests.
	@$(PHASE) 'build with tests' $(SWIFT) build --build-tests
	@$(PHASE) 'official client' Scripts/python-environment
	@$(PHASE) 'unit and integration tests' $(SWIFT) test --skip-build --skip EndToEndTests
	@$(PHASE) 'end-to-end tests' $(SWIFT) test --skip-build --filter EndToEndTests

check: format-check lint test ## Check the format, lint, build without warnings and run all tests.

format-check:
	@$(PHASE) format Scripts/check-format $(FORMATTED)

lint:
	@$(PHASE) lint $(SWIFT) format lint --strict --recursive $(FORMATTED)

format: ## Format all sources in place.
	@$(SWIFT) format --in-place --recursive $(FORMATTED)

bench: dependencies ## Measure the release binary and print one table.
	@$(PHASE) 'release build' $(SWIFT) build -c release
	@"$$($(SWIFT) build -c release --show-bin-path)/rally-bench"

pictures: test-dependencies ## Draw the README's and the documentation's pictures anew.
	@$(PHASE) 'pictures' $(SWIFT) build --product rally-pictures
	@"$$($(SWIFT) build --show-bin-path)/rally-pictures" docs/pictures

install: build ## Copy the release binary to PREFIX/bin (default /usr/local).
	@install -d "$(DESTDIR)$(PREFIX)/bin"
	@install -m 0755 "$$($(SWIFT) build $(RELEASE) --show-bin-path)/rally" "$(DESTDIR)$(PREFIX)/bin/rally"
	@echo "Installed $(DESTDIR)$(PREFIX)/bin/rally"

uninstall: ## Remove what install copied.
	@rm -f "$(DESTDIR)$(PREFIX)/bin/rally"

clean: ## Remove everything that was built.
	@rm -rf .build

dependencies:
	@Scripts/install-dependencies

test-dependencies:
	@Scripts/install-dependencies --tests
