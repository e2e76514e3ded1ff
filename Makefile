# inalab: `make help` lists what can be made.
#
# One rule shapes this file: `sudo make` must leave nothing in the tree, the
# module cache or the build cache that the person who typed it cannot remove.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help build profile scenario report reproduce test race lint cross bench fuzz-short clean generate release check-root nightly-local need-go go-env

# ---- knobs ----------------------------------------------------------------

S ?= straggler
SCENARIOS := $(sort $(patsubst scenarios/%.scenario.yaml,%,$(wildcard scenarios/*.scenario.yaml)))
INALAB := bin/inalab

# Each limit is for the test binary of one package, on a machine that is busy with
# other things, too. The race detector makes code 2 to 20 times slower
# (go.dev/doc/articles/race_detector).
TEST_TIMEOUT ?= 15m
RACE_TIMEOUT ?= 20m
BENCH_TIMEOUT ?= 20m
# Packages at a time: one more than there are processors, since tests of live runs wait more than they work.
TEST_JOBS ?= $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || nproc) && echo $$((n + 1)))
TESTFLAGS ?=
# What property tests draw from, so that a run can be repeated. 0 draws a new one.
RAPID_SEED ?= 1
BENCH ?= .
FUZZTIME ?= 5s
FUZZCOMPILE ?= 60s
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
ACTIONLINT := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
SCRIPTS := .ci/run packaging/release packaging/check-root packaging/nightly packaging/check-paired
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
	$(1) "$$root/bin/go" test -buildvcs=false $(2) $(3)
endef
else
define go_test
@set -e; echo "go test $(2)"; \
$(call go_as_caller,$(1)) test -buildvcs=false $(2) $(3)
endef
endif

# ---- targets --------------------------------------------------------------

help: ## print this list
	@echo 'usage: make TARGET [VARIABLE=value ...]'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo 'scenarios for S=, and all:'
	@for s in $(SCENARIOS); do sed -n 's/^takes: //p' scenarios/$$s.scenario.yaml | sed "s/^/  $$s: /"; done | \
		awk -F ': ' '{ printf "%-16s %s\n", $$1, $$2 }'
	@echo '"bin/inalab list" says what each is for.'
	@echo
	@echo 'Start with: sudo make scenario'

# git names the version; outside a checkout, without git or before the first
# commit it is "devel". A tree that somebody else owns is no reason to fail.
COMMIT = $(shell [ -e .git ] && $(AS_CALLER) git -c safe.directory='*' rev-parse --verify -q HEAD)
VERSION = $(or $(shell [ -e .git ] && $(AS_CALLER) git -c safe.directory='*' describe --tags --always --dirty 2>/dev/null | \
	tr -cd 'A-Za-z0-9._+-'),devel)

build: need-go ## build bin/inalab as the calling user
	@echo 'build bin/inalab'
	@$(call go_as_caller,CGO_ENABLED=0) build -trimpath -buildvcs=false -pgo=$(PROFILE) \
		-ldflags '-X main.version=$(VERSION) -X main.revision=$(COMMIT)' -o bin/inalab ./cmd/inalab

# What the virtual clock, the pipelines of SwitchML and ATP, and Microcode spend their time on, for the compiler. It is not named
# default.pgo, so that tests and other builds need not compile everything anew.
#
# make profile runs four benchmarks for half a minute each or less, the events of links for one, with the CPU profiler, and
# joins the profiles: each weighs as much as it took. The benchmarks are compiled without a profile. The file is replaced
# when all are done; commit it to have make build use it everywhere. Nothing else needs to be busy on the machine, since shares of
# time count and not times.
PROFILE := cmd/inalab/virtual.pgo

# $(1) names it, $(2) is the benchmark, $(3) how often it is run, $(4) its package.
define profile_of
$(call go_as_caller,CGO_ENABLED=0) test -buildvcs=false -trimpath -run '^$$' -bench '$(2)' -benchtime $(3) \
	-cpuprofile '$(CURDIR)/.cache/$(1).prof' -o '$(CURDIR)/.cache/$(1).test' $(4)
endef

profile: need-go ## measure again what the compiler optimises bin/inalab for (cmd/inalab/virtual.pgo): 3 min
	@$(AS_CALLER) mkdir -p .cache
	$(call profile_of,links,^BenchmarkLinkEvents$$,10x,./harness/sim)
	$(call profile_of,switchml,^BenchmarkHandle$$/^chip$$,20000x,./switchd/program/switchml/pipeline)
	$(call profile_of,trioml,^BenchmarkAggregate$$/^microcode$$,10000x,./switchd/program/trioml/microcode)
	$(call profile_of,atp,^BenchmarkHandle$$/^chip$$,8000x,./switchd/program/atp/pipeline)
	$(call go_as_caller) tool pprof -proto -output '$(CURDIR)/.cache/virtual.pgo' $(foreach n,links switchml trioml atp,.cache/$(n).prof)
	@$(AS_CALLER) mv .cache/virtual.pgo '$(PROFILE)'
	@rm -f $(foreach n,links switchml trioml atp,.cache/$(n).prof .cache/$(n).test)

# The commit decides all bytes; RELEASE says where they go. Sources without git need INALAB_VERSION,
# INALAB_COMMIT and SOURCE_DATE_EPOCH.
RELEASE ?= bin/release

release: need-go ## archives and Debian packages for linux on amd64 and arm64, their parts lists, and checksums: RELEASE=dir
	@$(AS_CALLER) env PATH="$(patsubst %/,%,$(dir $(GO))):$$PATH" packaging/release '$(RELEASE)'

check-root: ## install what make release made in a bare root, and run doctor and a scenario there (root, mmdebstrap)
	@packaging/check-root '$(RELEASE)' || [ $$? -eq 77 ]

# As root live scenarios and claims run as well; what is written is the caller's in the end. Root has caches of its own.
NIGHTLY_DIR ?= nightly
NIGHTLY ?= full
NIGHTLY_OLD ?=
ROOT_HOME := $(if $(AS_CALLER),HOME="$$(getent passwd 0 | cut -d: -f6)")

nightly-local: build ## what the nightly run does, every artifact into NIGHTLY_DIR=nightly; NIGHTLY=quick for a minute or two of it; NIGHTLY_OLD=another build of inalab to compare with
	@$(if $(OWNER),trap 'chown -hR $(OWNER) "$(NIGHTLY_DIR)"' EXIT;) env $(ROOT_HOME) NIGHTLY='$(NIGHTLY)' NIGHTLY_OLD='$(NIGHTLY_OLD)' \
		PATH="$(patsubst %/,%,$(dir $(GO))):$$PATH" packaging/nightly '$(NIGHTLY_DIR)'

RUN = $(if $(CLOCK),--clock '$(CLOCK)') $(if $(TOPO),--topo '$(TOPO)') $(if $(SEED),--seed '$(SEED)') $(if $(OUT),--out '$(OUT)')

# What the exit codes of inalab run mean for expectations. Of a run that this machine was too busy for they say nothing.
define RUN_ALL
table=; failed=0; show() { printf "\nscenario            took  result\n$$table"; }; \
trap 'show; exit 130' INT TERM; \
for s in $(SCENARIOS); do \
	began=$$(date +%s); code=0; echo "$(INALAB) run $$s $(RUN)"; $(INALAB) run $$s $(RUN) || code=$$?; \
	case $$code in \
	0) word='as expected' ;; \
	4) word='not judged: this machine was too busy' ;; \
	130) show; exit 130 ;; \
	1) word='NOT AS EXPECTED, or failed'; failed=1 ;; \
	*) word="NOT RUN: exit code $$code"; failed=1 ;; \
	esac; \
	table="$$table$$(printf '%-16s %5d s  %s' $$s $$(($$(date +%s) - began)) "$$word")\n"; \
done; \
show; exit $$failed
endef

scenario: build ## run a scenario, or all: S=straggler CLOCK=virtual TOPO=rack SEED=1 OUT=dir (live: sudo make scenario)
ifeq ($(S),all)
	@$(RUN_ALL)
else
	$(INALAB) run '$(S)' $(RUN)
endif

report: build ## write the report of a run again: R=directory (default: the latest run) OUT=file
	bin/inalab report $(if $(R),'$(R)') $(if $(OUT),--out '$(OUT)')

reproduce: build ## check the papers' claims, cut short: C=trio.fig13 for some, SEED=1 OUT=dir (live claims need root)
	bin/inalab reproduce --quick $(C) $(if $(SEED),--seed '$(SEED)') $(if $(OUT),--out '$(OUT)')

test: need-go ## run every test; privileged ones need root, and skip without (TESTFLAGS=-v)
	$(call go_test,CGO_ENABLED=0 RAPID_SEED=$(RAPID_SEED),-p $(TEST_JOBS) -timeout $(TEST_TIMEOUT) $(TESTFLAGS),./...)

# A race is two goroutines at one variable, so the detector has nothing to find in tests
# that run one goroutine, and makes them many times slower. A package is left out only if
# nothing in its test binary that is of this module starts a goroutine, runs a process or
# serves requests: neither the package, nor its tests, nor what they import, directly or
# not. internal/arch/concurrent looks at the files for that each time, so no list can go stale.
# At its exit a program of the race detector waits a second for goroutines that its main
# function has left behind; tests start hundreds of them, and wait for their goroutines,
# so it waits 20 ms.
race: need-go ## run the tests that start goroutines under the race detector, all but the longest live ones (needs gcc)
	@if ! echo '#include <stdlib.h>' | $$('$(GO)' env CC) -E - >/dev/null 2>&1; then \
		echo "make: the race detector needs a C compiler and the C library's headers." >&2; \
		echo "  Debian, Ubuntu: apt-get install gcc libc6-dev   Fedora: dnf install gcc glibc-devel" >&2; \
		exit 1; fi
	@mkdir -p .cache; $(call go_as_caller,CGO_ENABLED=1) run -buildvcs=false ./internal/arch/concurrent >.cache/concurrent
	$(call go_test,CGO_ENABLED=1 RAPID_SEED=$(RAPID_SEED) GORACE='atexit_sleep_ms=20 $(GORACE)',-p $(TEST_JOBS) -race -short -timeout $(RACE_TIMEOUT) $(TESTFLAGS),$$(cat .cache/concurrent))

lint: need-go ## gofmt, go vet, staticcheck, actionlint, and shellcheck if installed; any finding fails
	@set -e; fmt="$$($(call go_as_caller) env GOROOT)/bin/gofmt"; \
	bad=$$(find . -path './.*' -prune -o -path '*/testdata' -prune -o -name '*.go' -exec "$$fmt" -l {} +); \
	if [ -n "$$bad" ]; then echo "not formatted, run gofmt -w on:" >&2; echo "$$bad" >&2; exit 1; fi
	$(call go_as_caller,CGO_ENABLED=0) vet -buildvcs=false ./...
	$(call go_as_caller,CGO_ENABLED=0) vet -buildvcs=false -tags manual ./cmd/inalab
	$(call go_as_caller,CGO_ENABLED=0 GOFLAGS='$(strip $(GOFLAGS) -buildvcs=false)') run $(STATICCHECK) ./...
	$(call go_as_caller,CGO_ENABLED=0) run $(ACTIONLINT) .github/workflows/*.yml
	@if command -v shellcheck >/dev/null; then echo 'shellcheck $(SCRIPTS)'; shellcheck --severity=warning $(SCRIPTS); \
	else echo 'scripts not checked: shellcheck is not here (Debian, Ubuntu: apt-get install shellcheck)'; fi

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

generate: need-go ## make again what is committed: docs/scenario-fields.md, JSON Schemas, nodes/train/data (dataset-fashion-mnist), switchd/xdp and harness/onehop (clang-14, llvm-14)
	@$(call go_as_caller,CGO_ENABLED=0) generate ./scenarios ./topo/spec && echo 'generated docs/scenario-fields.md, and JSON Schemas in scenarios and topo/spec'
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
