# inalab: `make help` lists what can be made.
#
# One rule shapes this file: `sudo make` must leave nothing in the tree, the
# module cache or the build cache that the person who typed it cannot remove.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help build profile scenario report reproduce test race lint cross bench fuzz-short clean generate need-go go-env

# ---- knobs ----------------------------------------------------------------

S ?= straggler
SCENARIOS := straggler

# Each limit is for the test binary of one package. The race detector makes
# code 2 to 20 times slower (go.dev/doc/articles/race_detector).
TEST_TIMEOUT ?= 5m
RACE_TIMEOUT ?= 15m
BENCH_TIMEOUT ?= 20m
TESTFLAGS ?=
# What property tests draw from, so that a run can be repeated. 0 draws a new one.
RAPID_SEED ?= 1
BENCH ?= .
FUZZTIME ?= 5s
FUZZCOMPILE ?= 60s
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
DATASET := /usr/share/datasets/fashion-mnist

# ---- who asked ------------------------------------------------------------
# Under sudo that is SUDO_UID: AS_CALLER then runs a command as that person, in
# their home, so that bin/ and the caches are theirs. Without sudo it is empty.
# It is empty, too, where that person cannot write this tree (a clone that root
# owns): then there is nothing of theirs to spoil, and root builds for itself.

ID_U := $(shell id -u)
UNDER_SUDO := $(if $(filter 0,$(ID_U)),$(filter-out 0,$(SUDO_UID)))

ifneq ($(UNDER_SUDO),)
CALLER_UID := $(SUDO_UID)
CALLER_GID := $(or $(SUDO_GID),$(SUDO_UID))
# BusyBox has a setpriv that cannot change the user; sudo itself can.
BY_SETPRIV := setpriv --reuid=$(CALLER_UID) --regid=$(CALLER_GID) --clear-groups
BY_SUDO := sudo -n -u '\#$(CALLER_UID)' -g '\#$(CALLER_GID)'
BECOME := $(if $(shell $(BY_SETPRIV) echo yes 2>/dev/null),$(BY_SETPRIV),$(BY_SUDO))
CALLER_WRITES := $(shell $(BECOME) test -w . && echo yes)
endif

ifneq ($(CALLER_WRITES),)
# An account without a usable home (a service, a bare uid) gets one in .cache.
CALLER_HOME := $(shell h=$$(getent passwd $(CALLER_UID) | cut -d: -f6); \
	if [ -n "$$h" ] && $(BECOME) test -w "$$h"; then echo "$$h"; else echo "$(CURDIR)/.cache/home"; fi)
# TMPDIR and XDG_* may be root's own here (pam_tmpdir, sudo -i).
AS_CALLER := $(BECOME) env -u TMPDIR -u XDG_CACHE_HOME -u XDG_CONFIG_HOME \
	HOME='$(CALLER_HOME)' USER='$(SUDO_USER)' LOGNAME='$(SUDO_USER)'
OWNER := $(CALLER_UID):$(CALLER_GID)
else
AS_CALLER :=
CALLER_HOME := $(HOME)
OWNER :=
endif

# ---- where Go is ----------------------------------------------------------
# sudo's PATH often lacks it. From 1.21 on Go fetches the release that go.mod
# asks for; anything older (Debian 12 ships 1.19) cannot even read go.mod.

define FIND_GO
for g in "$$(command -v go)" /usr/local/go/bin/go "$$HOME/go/bin/go" '$(CALLER_HOME)/go/bin/go' \
	$$(ls -d '$(CALLER_HOME)'/sdk/*/bin/go "$$HOME"/sdk/*/bin/go 2>/dev/null | sort -rV) \
	$$(ls -d /usr/lib/go*/bin/go 2>/dev/null | sort -rV) /snap/bin/go; do \
	[ -n "$$g" ] || continue; \
	case $$(cd / && $(AS_CALLER) "$$g" env GOVERSION 2>/dev/null) in \
	go1.2[1-9]*|go1.[3-9][0-9]*|go[2-9]*|devel*) echo "$$g"; break ;; \
	esac; \
done
endef

# Looked up once, and only by targets that need it; GO=/path/to/go overrides.
GO = $(eval GO := $$(shell $$(FIND_GO)))$(GO)

need-go:
	@if [ -z '$(GO)' ]; then \
		echo "make: no Go of version 1.21 or later found. Looked in PATH, /usr/local/go/bin, $(CALLER_HOME)/go/bin," >&2; \
		echo "  $(CALLER_HOME)/sdk/*/bin, /usr/lib/go*/bin and /snap/bin. Do one of these:" >&2; \
		echo "  - unpack the archive of https://go.dev/dl/ into /usr/local (gives /usr/local/go)" >&2; \
		echo "  - snap install go --classic" >&2; \
		echo "  - say where it is: make GO=/path/to/go ..." >&2; \
		exit 1; fi
	@if [ -n '$(UNDER_SUDO)' ] && [ -z '$(CALLER_WRITES)' ]; then \
		echo "make: user $(SUDO_UID) cannot write $(CURDIR): building as root, with root's caches" >&2; fi
# What an earlier root left here, without sudo or killed in mid-run.
	@if [ -n '$(OWNER)' ]; then for d in bin .cache; do if [ -e $$d ]; then chown -hR '$(OWNER)' $$d; fi; done; fi

# For .ci/run: which go, and the module cache it uses.
go-env: need-go
	@echo '$(GO)'
	@$(AS_CALLER) '$(GO)' env GOMODCACHE

# go as the caller; $(1) is the environment. Its directory leads PATH, for
# programs that call go themselves.
go_as_caller = $(AS_CALLER) env PATH="$(patsubst %/,%,$(dir $(GO))):$$PATH" $(1) '$(GO)'

# ---- tests as root --------------------------------------------------------
# Privileged tests need root, but what go leaves behind must be the caller's.
# Root in the caller's build cache would leave files there that break their next
# build whenever this is killed. So root compiles into .cache/go-build and hands
# that over at the end. It only reads the caller's module cache: the caller
# fills it first, and GOPROXY=off stops root from adding to it. The release of
# Go is settled by the caller likewise (GOROOT, GOTOOLCHAIN=local). Files that
# tests write into the tree (testdata/fuzz, testdata/rapid) are handed over too.

ifneq ($(AS_CALLER),)
define go_test
@set -e; echo "go test $(2)"; \
mkdir -p .cache; touch .cache/started; \
give_back() { \
	chown -hR $(OWNER) .cache; \
	find . -xdev -path ./.cache -prune -o -user 0 -newer .cache/started -exec chown -h $(OWNER) {} +; \
}; \
trap give_back EXIT; trap 'exit 130' HUP INT TERM; \
root=$$($(call go_as_caller) env GOROOT); \
mods=$$($(call go_as_caller) env GOMODCACHE); \
conf=$$($(call go_as_caller) env GOENV); \
$(call go_as_caller) list -buildvcs=false -e -test -deps ./... >/dev/null; \
env -u XDG_CACHE_HOME -u XDG_CONFIG_HOME HOME="$$(getent passwd 0 | cut -d: -f6)" PATH="$$root/bin:$$PATH" \
	GOENV="$$conf" GOMODCACHE="$$mods" GOCACHE='$(CURDIR)/.cache/go-build' GOPROXY=off GOTOOLCHAIN=local \
	$(1) "$$root/bin/go" test -buildvcs=false $(2)
endef
else
define go_test
@echo "go test $(2)"; \
$(call go_as_caller,$(1)) test -buildvcs=false $(2)
endef
endif

# ---- targets --------------------------------------------------------------

help: ## print this list
	@echo 'usage: make TARGET [VARIABLE=value ...]'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo 'scenarios for S=: $(SCENARIOS)'
	@echo
	@echo 'Start with: sudo make scenario'

# git names the version; outside a checkout, without git or before the first
# commit it is "devel". A tree that somebody else owns is no reason to fail.
VERSION = $(or $(shell [ -e .git ] && $(AS_CALLER) git -c safe.directory='*' describe --tags --always --dirty 2>/dev/null | \
	tr -cd 'A-Za-z0-9._+-'),devel)

build: need-go ## build bin/inalab as the calling user
	@echo 'build bin/inalab'
	@$(call go_as_caller,CGO_ENABLED=0) build -trimpath -buildvcs=false -pgo=$(PROFILE) \
		-ldflags '-X main.version=$(VERSION)' -o bin/inalab ./cmd/inalab

# What the virtual clock, the pipelines of SwitchML and ATP, and Microcode spend their time on, for the compiler. It is not named
# default.pgo, so that tests and other builds need not compile everything anew.
PROFILE := cmd/inalab/virtual.pgo

profile: need-go ## measure again what the compiler optimises bin/inalab for (cmd/inalab/virtual.pgo)
	@mkdir -p .cache
	$(call go_as_caller,CGO_ENABLED=0) test -buildvcs=false -trimpath -run '^$$' -bench '^BenchmarkLinkEvents$$' \
		-benchtime 10x -cpuprofile '$(CURDIR)/.cache/links.prof' -o '$(CURDIR)/.cache/sim.test' ./harness/sim
	$(call go_as_caller,CGO_ENABLED=0) test -buildvcs=false -trimpath -run '^$$' -bench '^BenchmarkHandle$$/^chip$$' \
		-benchtime 20000x -cpuprofile '$(CURDIR)/.cache/chip.prof' -o '$(CURDIR)/.cache/chip.test' ./switchd/program/switchml/pipeline
	$(call go_as_caller,CGO_ENABLED=0) test -buildvcs=false -trimpath -run '^$$' -bench '^BenchmarkAggregate$$/^microcode$$' \
		-benchtime 10000x -cpuprofile '$(CURDIR)/.cache/microcode.prof' -o '$(CURDIR)/.cache/microcode.test' ./switchd/program/trioml/microcode
	$(call go_as_caller,CGO_ENABLED=0) test -buildvcs=false -trimpath -run '^$$' -bench '^BenchmarkHandle$$/^chip$$' \
		-benchtime 8000x -cpuprofile '$(CURDIR)/.cache/alone.prof' -o '$(CURDIR)/.cache/alone.test' ./switchd/program/atp/pipeline
	$(call go_as_caller) tool pprof -proto -output '$(CURDIR)/$(PROFILE)' .cache/links.prof .cache/chip.prof .cache/microcode.prof .cache/alone.prof

scenario: build ## run a scenario: S=straggler TOPO=rack SEED=1 OUT=dir (live: sudo make scenario)
	bin/inalab run '$(S)' $(if $(TOPO),--topo '$(TOPO)') $(if $(SEED),--seed '$(SEED)') $(if $(OUT),--out '$(OUT)')

report: build ## write the report of a run again: R=directory (default: the latest run) OUT=file
	bin/inalab report $(if $(R),'$(R)') $(if $(OUT),--out '$(OUT)')

reproduce: build ## check the papers' claims, cut short: C=trio.fig13 for some, SEED=1 OUT=dir (live claims need root)
	bin/inalab reproduce --quick $(C) $(if $(SEED),--seed '$(SEED)') $(if $(OUT),--out '$(OUT)')

test: need-go ## run every test; privileged ones need root, and skip without (TESTFLAGS=-v)
	$(call go_test,CGO_ENABLED=0 RAPID_SEED=$(RAPID_SEED),-timeout $(TEST_TIMEOUT) $(TESTFLAGS) ./...)

race: need-go ## run the tests under the race detector, all but the longest live ones (needs gcc)
	@if ! echo '#include <stdlib.h>' | $$('$(GO)' env CC) -E - >/dev/null 2>&1; then \
		echo "make: the race detector needs a C compiler and the C library's headers." >&2; \
		echo "  Debian, Ubuntu: apt-get install gcc libc6-dev   Fedora: dnf install gcc glibc-devel" >&2; \
		exit 1; fi
	$(call go_test,CGO_ENABLED=1 RAPID_SEED=$(RAPID_SEED),-race -short -timeout $(RACE_TIMEOUT) $(TESTFLAGS) ./...)

lint: need-go ## gofmt, go vet and staticcheck; any finding fails
	@set -e; fmt="$$($(call go_as_caller) env GOROOT)/bin/gofmt"; \
	bad=$$(find . -path './.*' -prune -o -path '*/testdata' -prune -o -name '*.go' -exec "$$fmt" -l {} +); \
	if [ -n "$$bad" ]; then echo "not formatted, run gofmt -w on:" >&2; echo "$$bad" >&2; exit 1; fi
	$(call go_as_caller,CGO_ENABLED=0) vet -buildvcs=false ./...
	$(call go_as_caller,CGO_ENABLED=0 GOFLAGS=-buildvcs=false) run $(STATICCHECK) ./...

# The virtual clock runs on these, and one seed gives the same numbers on all. An
# emulator shows that for arm64: its floating point is not that of amd64, since
# the compiler may fuse a product and a sum there.
CROSS := darwin/amd64 darwin/arm64 linux/arm64
EMULATED := ./cmd/inalab:^TestDeterministicSamples$$ ./internal/vec:.

cross: need-go ## build and vet for macOS and for arm64, and run what must not differ by qemu-aarch64, if installed
	@set -e; for t in $(CROSS); do \
		echo "build and vet for $$t"; \
		$(call go_as_caller,CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/}) build -buildvcs=false ./...; \
		$(call go_as_caller,CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/}) vet -buildvcs=false ./...; \
	done
	@if ! command -v qemu-aarch64 >/dev/null; then \
		echo 'nothing emulated: qemu-aarch64 is not here (Debian, Ubuntu: apt-get install qemu-user)'; exit 0; fi; \
	set -e; for t in $(foreach t,$(EMULATED),'$(t)'); do \
		echo "run on linux/arm64: $${t%%:*}, tests $${t#*:}"; \
		$(call go_as_caller,CGO_ENABLED=0 GOOS=linux GOARCH=arm64) test -buildvcs=false -exec qemu-aarch64 \
			-timeout $(TEST_TIMEOUT) -run "$${t#*:}" $(TESTFLAGS) "$${t%%:*}"; \
	done

bench: need-go ## run the micro-benchmarks: BENCH=regexp TESTFLAGS=-count=10 (root adds the privileged ones)
	$(call go_test,CGO_ENABLED=0,-run '^$$' -bench '$(BENCH)' -benchmem -timeout $(BENCH_TIMEOUT) $(TESTFLAGS) ./...)

# go test fuzzes one target of one package at a time, hence the loop. Each is
# bounded by FUZZTIME, its minimising by as much again, and a hang by -timeout.
fuzz-short: need-go ## fuzz every target for FUZZTIME=5s, the compiler of Microcode for FUZZCOMPILE=60s
	@n=0; failed=; \
	for f in $$(find . -path './.*' -prune -o -path '*/testdata' -prune -o -name '*_test.go' -print | sort); do \
		for name in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$$f"); do \
			n=$$((n + 1)); t=$(FUZZTIME); if [ "$$name" = FuzzCompile ]; then t=$(FUZZCOMPILE); fi; \
			echo "fuzz $$(dirname "$$f") $$name for $$t"; \
			$(call go_as_caller,CGO_ENABLED=0) test -buildvcs=false -run '^$$' -fuzz "^$$name\$$" -fuzztime $$t \
				-fuzzminimizetime $(FUZZTIME) -timeout 2m "$$(dirname "$$f")" || failed="$$failed $$name"; \
		done; \
	done; \
	echo "fuzzed $$n targets"; \
	if [ -n "$$failed" ]; then echo "failed:$$failed (inputs are in testdata/fuzz)" >&2; exit 1; fi

# The objects of switchd/xdp and harness/onehop are compiled by the clang of Debian 12: others make other
# code, and tests hold the committed objects to the sources.
INALAB_CLANG ?= clang-14
INALAB_LLVM_STRIP ?= llvm-strip-14

generate: need-go ## make again what is committed: nodes/train/data (dataset-fashion-mnist), switchd/xdp and harness/onehop (clang-14, llvm-14)
	@if [ -d '$(DATASET)' ]; then \
		$(call go_as_caller,CGO_ENABLED=0) generate ./nodes/train/data && echo 'generated nodes/train/data'; \
	else \
		echo 'nothing generated: $(DATASET) is not here, so nodes/train/data stays as committed.'; \
		echo 'To make it again: apt-get install dataset-fashion-mnist (30 MB), then make generate.'; \
	fi
	@if command -v '$(INALAB_CLANG)' >/dev/null && command -v '$(INALAB_LLVM_STRIP)' >/dev/null; then \
		$(call go_as_caller,CGO_ENABLED=0 INALAB_CLANG='$(INALAB_CLANG)' INALAB_LLVM_STRIP='$(INALAB_LLVM_STRIP)') \
			generate ./switchd/xdp ./harness/onehop && echo 'generated switchd/xdp and harness/onehop'; \
	else \
		echo 'nothing compiled: $(INALAB_CLANG) or $(INALAB_LLVM_STRIP) is not here, so the objects of switchd/xdp and harness/onehop stay as committed.'; \
		echo 'To make it again: apt-get install clang-14 llvm-14 (Debian 12), or name others: make generate INALAB_CLANG=clang INALAB_LLVM_STRIP=llvm-strip.'; \
	fi

clean: ## remove bin/ and .cache/ (results/ stay: they are yours)
	@if [ -d .cache ]; then chmod -R u+w .cache; fi
	rm -rf bin .cache
