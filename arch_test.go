package inalab_test

import (
	"testing"

	"github.com/inalab/inalab/internal/arch"
)

// What the tree must look like. The rules are the tables here; internal/arch
// explains patterns and checks the tree. The levels and the bans on machines bind
// what ships: a test may import what it likes.

// architecture holds the rules of this module.
var architecture = arch.Rules{
	Module:   "github.com/inalab/inalab",
	Levels:   levels,
	Families: families,
	Sideways: sideways,
	Confined: confined,
	Machines: 7,
	Machine:  machineBans,
	Test:     testBans,
	File:     fileBans,
	Allowed:  allowed,
}

// levels lists every package, top level first. A new system needs no entry: each of
// its folders matches a pattern.
var levels = []arch.Level{
	{N: 1, What: "commands", Packages: []string{
		".", // holds no code: the package of these tests
		"cmd/*",
		"internal/arch",        // the engine of these tests; linked into nothing
		"nodes/train/data/cut", // run by go generate, linked into nothing
	}},
	{N: 2, What: "what to run", Packages: []string{
		"scenarios",
		"experiments/**",
		"examples/*", // each a system and its scenario, or a client of the switch's service
	}},
	{N: 3, What: "what came out", Packages: []string{"reports/**"}},
	{N: 4, What: "experiment and runner", Packages: []string{"harness", "harness/node"}},
	{N: 5, What: "the two clocks, namespaces, processes, checks", Packages: []string{
		"harness/sim", "harness/live", "harness/check/**", "harness/fidelity", "harness/netns", "harness/proc",
		"harness/stall",  // why nothing moves
		"harness/events", // what of a trace is worth keeping
	}},
	{N: 6, What: "systems, sockets, drivers, live loops", Packages: []string{
		"harness/job/**",      // the contract of a system: from plain data to machines, for either clock
		"harness/system/**",   // the list of systems, and below it each system in a folder
		"harness/journal",     // what was made, so that it can be undone
		"internal/tensorfile", // written by workers, read by checks
		"switchd/daemon", "switchd/control/**", "nodes/live", "nodes/shell", "nodes/program",
		"internal/pktio/**",
		"internal/wire/switchmlproto", // generated, with all that gRPC stands on
	}},
	{N: 7, What: "machines that join machines", Packages: []string{
		"switchd/program/**", "switchd/forward", "switchd/chassis/**",
		"nodes/worker", "nodes/train/**", "nodes/hostmodel",
		"nodes/stream/streamtest", // networks for the tests of collectives
		"internal/pktio/impair",
	}},
	{N: 8, What: "protocol cores and engines", Packages: []string{
		"nodes/*", "switchd/trio/**", "switchd/tofino/**", "switchd/microcode/**",
		"internal/sansio/sansiotest", // machines for the tests of machines
	}},
	{N: 9, What: "the words that all use", Packages: []string{
		"internal/units", "internal/rng", "internal/sansio", "internal/trace", "internal/vec", "internal/wire/**",
		"internal/vtime",      // a queue as plain data, without a clock: machines with events inside keep one, too
		"internal/suggest",    // the word that was meant, for errors
		"internal/strictjson", // documents of which nothing is passed over
		"internal/yamldoc",    // YAML files read strictly, with the place of each fault
		"internal/golden",     // files to compare with, for tests
		"internal/fault", "internal/result", "topo/**", "switchd/dataplane",
	}},
}

// families lists the folders whose packages may import each other inside a level.
var families = []arch.Family{
	{Folder: "reports", Why: "tables, figures and verdicts are made of each other's rows and statistics"},
	{Folder: "internal/pktio", Why: "drivers share the wait for a descriptor"},
	{Folder: "switchd/microcode", Why: "a compiler's stages and the engine share trees and instructions"},
	{Folder: "switchd/tofino", Why: "placement and passes work on one form of a program"},
	{Folder: "switchd/program/*", Why: "the programs of one system share its jobs"},
}

// sideways lists the other imports inside one level, but for those between a folder
// and one inside it, which need no row.
var sideways = []arch.Pair{
	{From: "**", To: "internal/units", Why: "times, rates and sizes are the vocabulary of every package"},
	{From: "internal/sansio", To: "internal/wire/inet", Why: "a train carries the headers of its frames"},
	{From: "internal/sansio", To: "internal/result", Why: "a machine's effects include records"},
	{From: "internal/wire/*", To: "internal/wire/inet", Why: "a format stands on Ethernet, IP and UDP, and its checksums cover them"},
	{From: "internal/fault", To: "internal/rng", Why: "a fault has a stream of its own"},
	{From: "internal/yamldoc", To: "internal/suggest", Why: "an unknown key is answered with the nearest"},
	{From: "topo/gen", To: "internal/suggest", Why: "an unknown name is answered with the nearest"},
	{From: "switchd/dataplane", To: "internal/sansio", Why: "an engine is a machine"},
	{From: "switchd/dataplane", To: "internal/wire/inet", Why: "an engine meets parsed headers"},
	{From: "switchd/dataplane", To: "internal/trace", Why: "an engine says which sources it has"},
	{From: "nodes/**", To: "nodes/gradient", Why: "a protocol core quantises what it sends"},
	{From: "nodes/**", To: "nodes/tensor", Why: "collectives over streams cut tensors alike"},
	{From: "nodes/**", To: "nodes/stream", Why: "a collective says which streams it wants"},
	{From: "nodes/stream", To: "nodes/newreno", Why: "a stream goes over TCP"},
	{From: "nodes/stream", To: "nodes/roce", Why: "a stream goes over a reliable connection"},
	{From: "nodes/stream/streamtest", To: "internal/pktio/impair", Why: "a test network has links"},
	{From: "nodes/worker", To: "nodes/train/**", Why: "the training loop steps the model over the images"},
	{From: "experiments/*", To: "experiments/experiment", Why: "what an experiment is, is given and finds"},
	{From: "experiments/*", To: "experiments/rig", Why: "machines are driven by hand alike"},
	{From: "experiments/*", To: "experiments/testbed", Why: "both clocks take the settings of one testbed"},
	{From: "experiments/*", To: "experiments/chip", Why: "runs are on the PFE of its experiments, and jobs share its pool"},
	{From: "switchd/trio", To: "switchd/microcode/isa", Why: "a PFE is loaded with a program"},
	{From: "switchd/trio", To: "switchd/microcode/vm/**", Why: "its threads run the program"},
	{From: "switchd/program/*", To: "switchd/program/middlebox/**", Why: "a program that all traffic passes is a middlebox"},
	{From: "switchd/program/transit", To: "switchd/program/*", Why: "it lists the programs that frames pass"},
	{From: "switchd/chassis/chassistest", To: "switchd/program/trioml/**", Why: "switches of tests run it"},
	{From: "switchd/chassis", To: "switchd/forward", Why: "what no program claims is forwarded"},
	{From: "switchd/chassis", To: "internal/pktio/impair", Why: "ports and fabric have links"},
	{From: "nodes/hostmodel", To: "internal/pktio/impair", Why: "a host's cores serve frames as a line does"},
	{From: "switchd/daemon", To: "internal/pktio/**", Why: "the daemon owns its ports"},
	{From: "switchd/daemon", To: "switchd/control/**", Why: "a switch answers its control planes"},
	{From: "harness/job", To: "switchd/control", Why: "a system may lay out jobs for a running switch"},
	{From: "harness/job", To: "switchd/daemon", Why: "a system may offer a service to clients of a user's own"},
	{From: "harness/system/*", To: "switchd/control", Why: "it lays out jobs for a running switch"},
	{From: "harness/system/**", To: "switchd/daemon", Why: "it offers a service"},
	{From: "harness/system/**", To: "internal/wire/switchmlproto", Why: "its service speaks the generated protocol"},
	{From: "harness/system/**", To: "harness/job", Why: "a system meets the contract of one"},
	{From: "harness/system/*", To: "harness/system/streams", Why: "systems over byte streams lay out their connections alike"},
	{From: "nodes/live", To: "internal/pktio/**", Why: "a live host owns its sockets"},
	{From: "nodes/shell", To: "internal/pktio", Why: "a node's process drives its machine on a device"},
	{From: "nodes/live", To: "nodes/shell", Why: "workers and servers lead the life of a process"},
	{From: "switchd/daemon", To: "nodes/shell", Why: "so does a switch"},
	{From: "nodes/live", To: "internal/tensorfile", Why: "a live worker keeps its tensors for the checker"},
	{From: "harness/live", To: "harness/netns", Why: "a live run happens in namespaces"},
	{From: "harness/live", To: "harness/proc", Why: "a live run starts processes"},
	{From: "harness/live", To: "harness/check", Why: "a run ends with the check of its sums"},
	{From: "harness/live", To: "harness/fidelity", Why: "a live run is judged"},
	{From: "harness/sim", To: "harness/check", Why: "a run ends with the check of its sums"},
	{From: "harness/sim", To: "harness/stall", Why: "a run that stalls says why"},
	{From: "harness/live", To: "harness/stall", Why: "a run that stalls says why"},
	{From: "harness/live", To: "harness/events", Why: "nodes keep as many events as can be used"},
}

// confined names packages that may import nothing of the module but what is
// listed, whatever their level.
var confined = []arch.Confinement{
	{
		Packages: "reports/**",
		May: []string{
			"reports/**", "internal/result", "internal/units",
			"internal/suggest", // an unknown claim is answered with the nearest
			"internal/yamldoc", // the ledger is read like any other file
		},
		Why: "a report is made from recorded results alone (internal/result), so that an old run can be reported again without running it",
	},
}

// machineBans list what a machine (levels 7 to 9) does without.
var machineBans = []arch.Ban{
	{
		Rule: "import", What: []string{"import os/**", "import syscall", "import golang.org/x/sys/unix"},
		Why: "a machine does no I/O", Fix: "take the content as an argument; do the I/O in harness, nodes/live or switchd/daemon",
	},
	{
		Rule: "import", What: []string{"import net/**"},
		Why: "a machine has no sockets", Fix: "use net/netip for addresses; sockets belong to internal/pktio",
	},
	{
		Rule: "import", What: []string{"import time"},
		Why: "a machine has no clock: it is told the time", Fix: "take now as an argument, in internal/units picoseconds",
	},
	{
		Rule: "import", What: []string{"import sync/**"},
		Why: "one goroutine owns a machine", Fix: "let the caller, which owns the goroutine, do the locking",
	},
	{
		Rule: "import", What: []string{"import log/**"},
		Why: "a machine emits typed trace events", Fix: "send an internal/trace event, or return an error",
	},
	{
		Rule: "import", What: []string{"import math/rand/**", "import crypto/rand"},
		Why: "all randomness comes from named streams of one seed", Fix: "take an *rng.Stream",
	},
	{
		Rule: "import", What: []string{"import unsafe"},
		Why: "a machine must not read beyond its buffers, whatever a packet says", Fix: "use encoding/binary or internal/vec",
	},
	{
		Rule: "import", What: []string{"dot import"},
		Why: "identifiers without a package name cannot be checked here, nor by a reader", Fix: "import it under its name",
	},
	{
		// What reads or waits for the wall clock stays banned where package time is let in.
		Rule: "clock", What: []string{
			"use time.Now", "use time.Since", "use time.Until", "use time.Sleep", "use time.After", "use time.AfterFunc",
			"use time.Tick", "use time.NewTimer", "use time.NewTicker",
		},
		Why: "a machine is told the time", Fix: "take now as an argument",
	},
	{
		Rule: "goroutine", What: []string{"go statement", "select statement", "channel type"},
		Why: "one goroutine owns a machine, and two runs of one seed must not differ",
		Fix: "return effects to the caller; what runs at once belongs to levels 1 to 6",
	},
	{
		Rule: "map order", What: []string{"range over a map", "use maps.Keys", "use maps.Values", "use maps.All"},
		Why: "the order of a map differs from run to run, and two runs of one seed must not",
		Fix: "range over slices.Sorted(maps.Keys(m)) or keep a slice; where the order of a loop cannot escape, " +
			"say why on the line above: // ordered: <reason>",
	},
}

// testBans list what tests do without.
var testBans = []arch.Ban{{
	Rule: "sleep", What: []string{"use time.Sleep"},
	Why: "a test that sleeps is slow when it passes and flaky when it fails",
	Fix: "wait for the event itself: a channel, a process's exit, a virtual clock, testing/synctest",
}}

// fileBans list what every file does without.
var fileBans = []arch.Ban{
	{
		Rule: "init", What: []string{"func init"},
		Why: "nothing happens by being imported; commands build their lists in the open",
		Fix: "make it a function that main calls, or a table",
	},
	{
		Rule: "name", What: []string{
			"package util", "package utils", "package common", "package helper", "package helpers", "package types",
			"package mock", "package mocks", "package misc", "package base", "package lib",
		},
		Why: "a package is one noun that a stranger can define", Fix: "name it after what it holds, or move that to where it is used",
	},
}

// allowed lists what packages are let off.
var allowed = []arch.Pair{
	{From: "**", To: "import net/netip", Why: "addresses are values"},
	{From: "internal/rng", To: "import math/rand/v2", Why: "it is where the streams come from"},
	{From: "internal/golden", To: "import os", Why: "it compares with files; only tests import it"},
}

func TestArchitecture(t *testing.T) {
	tree, err := arch.ReadTree(".")
	if err != nil {
		t.Fatal(err)
	}
	loops, err := architecture.CheckMaps(tree)
	if err != nil {
		t.Error(err)
	}
	for _, f := range append(architecture.Check(tree), loops...) {
		t.Error(f)
	}
}
