# Rally: `make help` says what there is.

SHELL := /bin/sh
PREFIX ?= /usr/local
SWIFT ?= swift
FORMATTED := Package.swift Sources Tests Benchmarks Pictures
# What makes a released program start faster.
FAST := $(shell Scripts/release-options "$(SWIFT)")
# Tests talk to real servers within time limits of their own: too many at once starve each other.
AT_ONCE := --experimental-maximum-parallelization-width 4
# Of every debug build here: with other options each of them would build everything anew.
QUICK := -debug-info-format none
# Debug information, which only the packages keep: to make it takes a sixth of a first build.
SYMBOLS := -debug-info-format none
RELEASE = -c release $(FAST) $(SYMBOLS)
RELEASED = "$$($(SWIFT) build $(RELEASE) --show-bin-path)"
# The folder of the programs that are installed.
BUILT ?= $$($(SWIFT) build $(RELEASE) --show-bin-path)
PHASE := Scripts/phase
BIN := $(DESTDIR)$(PREFIX)/bin
# Where the program lies that `rally serve` becomes: nobody types its name.
LIBEXEC := $(DESTDIR)$(PREFIX)/libexec/rally
MAN := $(DESTDIR)$(PREFIX)/share/man
BASH_COMPLETIONS := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH_COMPLETIONS := $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISH_COMPLETIONS := $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
UNITS := $(DESTDIR)$(PREFIX)/lib/systemd/system

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run build test test-browser soak check check-deep format-check format lint docs bench \
  bench-start bench-doors bench-cluster pictures strings install install-programs install-units uninstall \
  packages deb tarball image static-build clean dependencies test-dependencies

help: ## List these targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## Install what is missing, build Rally and start it on its own embedded server.
	@exec $(RELEASED)/rally

# The package manager builds one product a call.
build: dependencies ## Build both programs for release.
	@$(PHASE) 'build of rally' $(SWIFT) build $(RELEASE) --product rally
	@$(PHASE) 'build of rally-server' $(SWIFT) build $(RELEASE) --product rally-server

test: test-dependencies ## Install what is missing, build everything and run all tests.
	@$(PHASE) 'build with tests' $(SWIFT) build --build-tests $(QUICK)
	@$(PHASE) 'official client' Scripts/python-environment
	@$(PHASE) 'tables of docs/scale.md' Benchmarks/Cluster/scale-tables --check
	@Scripts/run-tests '$(SWIFT)' $(AT_ONCE)

test-browser: test-dependencies ## Install a browser and run the tests of what a browser shows.
	@Scripts/install-dependencies --browser
	@$(PHASE) 'build with tests' $(SWIFT) build --build-tests $(QUICK)
	@$(PHASE) 'tests in a browser' $(SWIFT) test --skip-build --filter "PageTests"

SOAK_SECONDS ?= 300
SOAK_SEEDS ?= 1,2,3

soak: test-dependencies ## Type, click and paste at random for minutes, and see that memory stays flat.
	@$(PHASE) 'build with tests' $(SWIFT) build --build-tests $(QUICK)
	@RALLY_SOAK_SECONDS=$(SOAK_SECONDS) RALLY_SOAK_SEEDS=$(SOAK_SEEDS) \
	  $(PHASE) soak $(SWIFT) test --skip-build --filter SoakTests

check: format-check lint test ## Check the format, lint, build without warnings and run all tests.

check-deep: test-dependencies ## Build for release, fuzz with more seeds, run tests under sanitizers; hours.
	@SWIFT='$(SWIFT)' Scripts/check-deep $(ROUNDS)

format-check:
	@$(PHASE) format Scripts/check-format $(FORMATTED)

lint:
	@$(PHASE) lint $(SWIFT) format lint --strict --recursive $(FORMATTED)
	@$(PHASE) 'names in the documents' Scripts/check-documents
	@$(PHASE) 'shape of the code' Scripts/check-seeds
	@$(PHASE) 'what intents say' Scripts/check-intents
	@$(PHASE) 'folders' Scripts/check-folders

format: ## Format all sources in place.
	@$(SWIFT) format --in-place --recursive $(FORMATTED)

docs: dependencies ## Write docs/keys.md and the pages for man, and the API's pages (DocC) to .build/docc.
	@$(PHASE) build $(SWIFT) build --product rally $(QUICK)
	@"$$($(SWIFT) build --show-bin-path)/rally" manual --into docs
	@$(PHASE) 'API reference' Scripts/api-docs '$(SWIFT)'

bench: build ## Measure the release programs and print one table; STRICT=1 fails over a target.
	@$(PHASE) 'build of the measurements' $(SWIFT) build $(RELEASE) --product rally-bench
	@$(RELEASED)/rally-bench $(BENCH) $(if $(STRICT),--strict)

bench-start: ## Measure only the first frames, in turns with other programs, in a minute.
	@$(MAKE) bench BENCH=--starts-only

bench-doors: ## Measure the packages, the time until a bare Debian shows Rally, and guests over SSH.
	@Scripts/packaging/bench $(PACKAGES)
	@$(MAKE) bench BENCH=--guests-only

COSTS := Benchmarks/Cluster/costs.json

bench-cluster: ## Measure three servers on one PostgreSQL beside one, and compute docs/scale.md anew.
	@$(MAKE) test-dependencies bench BENCH='--cluster-only $(COSTS)'
	@Benchmarks/Cluster/scale-tables

strings: ## List all sentences that people read, with file and line.
	@Scripts/list-strings Sources/RallyTUI Sources/RallyWords Sources/RallyDomain \
	  Sources/RallyCommand Sources/rally Sources/rally-server

pictures: test-dependencies ## Draw the README's and the documentation's pictures anew.
	@$(PHASE) 'pictures' $(SWIFT) build --product rally-pictures $(QUICK)
	@"$$($(SWIFT) build --show-bin-path)/rally-pictures" docs/pictures

install: build install-programs install-units ## Put everything below PREFIX (/usr/local).
	@echo "Installed $(BIN)/rally and $(LIBEXEC)/rally-server"

# What `make install` and the packages put in place: the programs of BUILT, man pages, completions.
install-programs:
	@install -d "$(BIN)" "$(LIBEXEC)" "$(MAN)/man1" "$(MAN)/man5" "$(MAN)/man7" \
	  "$(BASH_COMPLETIONS)" "$(ZSH_COMPLETIONS)" "$(FISH_COMPLETIONS)"
	@install -m 0755 "$(BUILT)/rally-server" "$(LIBEXEC)/rally-server"
	@install -m 0755 "$(BUILT)/rally" "$(BIN)/rally"
	@install -m 0644 docs/man/rally.1 "$(MAN)/man1/rally.1"
	@install -m 0644 docs/man/rally-config.5 "$(MAN)/man5/rally-config.5"
	@install -m 0644 docs/man/rally-keys.7 "$(MAN)/man7/rally-keys.7"
	@"$(BIN)/rally" completions bash | sed '1{/^#!/d}' > "$(BASH_COMPLETIONS)/rally"
	@"$(BIN)/rally" completions zsh > "$(ZSH_COMPLETIONS)/_rally"
	@"$(BIN)/rally" completions fish > "$(FISH_COMPLETIONS)/rally.fish"
	@chmod 0644 "$(BASH_COMPLETIONS)/rally" "$(ZSH_COMPLETIONS)/_rally" \
	  "$(FISH_COMPLETIONS)/rally.fish"

install-units:
	@install -d "$(UNITS)"
	@install -m 0644 Packaging/systemd/rally.socket Packaging/systemd/rally.service "$(UNITS)"
	@sed 's|/usr/bin/rally|$(PREFIX)/bin/rally|' Packaging/systemd/rally.service \
	  > "$(UNITS)/rally.service"

uninstall: ## Remove what install put there.
	@rm -f "$(BIN)/rally" "$(LIBEXEC)/rally-server" "$(MAN)/man1/rally.1" \
	  "$(MAN)/man5/rally-config.5" "$(MAN)/man7/rally-keys.7" \
	  "$(BASH_COMPLETIONS)/rally" "$(ZSH_COMPLETIONS)/_rally" \
	  "$(FISH_COMPLETIONS)/rally.fish" "$(UNITS)/rally.service" "$(UNITS)/rally.socket"
	@rmdir "$(LIBEXEC)" 2>/dev/null || true

PACKAGES := .build/packages
STATIC := .build/static
CHECKSUMS := rally*.deb rally*.tar.xz rally*.tar rally*.json

packages deb tarball image: SYMBOLS :=

packages: deb tarball image ## Make all of these three and SHA256SUMS, in .build/packages.
	@cd $(PACKAGES) && sha256sum $(CHECKSUMS) > SHA256SUMS

deb: build ## Pack for Debian: rally, rally-server, debug symbols.
	@$(PHASE) 'packages for Debian' Scripts/packaging/deb $(RELEASED) $(PACKAGES)

tarball: static-build ## Pack a folder that runs anywhere (glibc 2.35 or newer).
	@$(PHASE) 'relocatable archive' Scripts/packaging/tarball $(STATIC) $(PACKAGES)

image: static-build ## Pack the server as a container's image (OCI).
	@$(PHASE) 'image of the server' Scripts/packaging/image $(STATIC) $(PACKAGES)

static-build: dependencies
	@Scripts/packaging/require gcc:gcc
	@$(PHASE) 'release with static libraries' Scripts/packaging/static-build $(STATIC) $(SWIFT) $(RELEASE)

clean: ## Remove everything that was built.
	@rm -rf .build

dependencies:
	@Scripts/install-dependencies

test-dependencies:
	@Scripts/install-dependencies --tests
