package inalab_test

import "testing"

// What the tree must look like. The rules are the tables here; how they are
// checked is in arch_check_test.go, arch_rules_test.go and arch_maps_test.go,
// and that each of them can fail is in arch_self_test.go. The levels and the
// bans bind what ships: a test may import what it likes.

// architecture holds the rules of this module.
var architecture = rules{
	module:    "github.com/inalab/inalab",
	levels:    levels,
	sideways:  sideways,
	confined:  confined,
	machines:  7,
	imports:   bannedImports,
	clockUses: clockUses,
	allowed:   allowed,
	names:     bannedNames,
}

// levels lists every package, top level first. "x" is the package x alone,
// "x/**" is x and all below it; the longest entry that matches counts.
var levels = []level{
	{1, "commands", []string{
		".", // holds no code: the package of these tests
		"cmd/inalab",
		"nodes/train/data/cut", // run by go generate, linked into nothing
	}},
	{2, "what to run", []string{
		"scenarios", "experiments",
		"examples/toy",            // a system and its scenario, for docs/add-a-system.md
		"examples/switchmlclient", // a client of the switch's service, for docs/switchml.md
	}},
	{3, "what came out", []string{"reports/**"}},
	{4, "experiment and runner", []string{"harness", "harness/node"}},
	{5, "the two clocks, namespaces, processes, checks", []string{
		"harness/sim", "harness/live", "harness/check", "harness/check/parity", "harness/fidelity", "harness/netns", "harness/proc",
		"harness/stall",  // why nothing moves
		"harness/events", // what of a trace is worth keeping
	}},
	{6, "sockets, drivers, live loops", []string{
		"switchd/daemon", "switchd/control/**", "switchd/xdp", "nodes/worker/live", "nodes/stream/live", "nodes/program",
		"harness/job",         // from plain data to machines, for either clock
		"harness/journal",     // what was made, so that it can be undone
		"internal/tensorfile", // written by workers, read by checks
		"internal/pktio", "internal/pktio/afpacket", "internal/pktio/udp", "internal/pktio/tcp",
		"internal/pktio/poll", "internal/pktio/pktiotest", "internal/pktio/pcap",
		"internal/pktio/netnstest",    // namespaces and wires, for tests
		"internal/wire/switchmlproto", // generated, with all that gRPC stands on
	}},
	{7, "machines that join machines", []string{
		"internal/pktio/impair",
		"switchd/program/**", "switchd/forward", "switchd/chassis",
		"switchd/chassis/chassistest", // plans, programs and packets for the tests of what drives a chassis
		"nodes/worker", "nodes/train/**", "nodes/hostmodel",
		"nodes/stream/streamtest", // networks for the tests of collectives
	}},
	{8, "protocol cores and engines", []string{
		"nodes/trioml", "nodes/switchml", "nodes/switchmlrdma", "nodes/atp", "nodes/xagg", "nodes/ring", "nodes/halving",
		"nodes/stream", "nodes/newreno", "nodes/roce", "nodes/tensor", "nodes/ps", "nodes/tcpagg", "nodes/gradient",
		"internal/sansio/sansiotest", // machines for the tests of machines
		"switchd/trio/**", "switchd/tofino/**", "switchd/microcode/**",
	}},
	{9, "the words that all use", []string{
		"internal/units", "internal/rng", "internal/sansio", "internal/trace", "internal/vec", "internal/wire/**",
		"internal/vtime",      // a queue as plain data, without a clock: machines with events inside keep one, too
		"internal/suggest",    // the word that was meant, for errors
		"internal/strictjson", // documents of which nothing is passed over
		"internal/golden",     // files to compare with, for tests
		"topo", "topo/gen", "topo/plan", "topo/spec",
		"internal/fault", "internal/result", "switchd/dataplane",
	}},
}

// sideways lists the imports inside one level. A row that nothing uses any more
// is an error as soon as both of its packages exist.
var sideways = []pair{
	{"**", "internal/units", "times, rates and sizes are the vocabulary of every package"},
	{"internal/sansio", "internal/wire/inet", "a train carries the headers of its frames"},
	{"internal/sansio", "internal/result", "a machine's effects include records"},
	{"internal/wire/roce", "internal/wire/inet", "the invariant CRC covers the headers below"},
	{"internal/fault", "internal/rng", "a fault has a stream of its own"},
	{"topo/gen", "topo", "a generator returns a graph"},
	{"topo/gen", "internal/suggest", "an unknown name is answered with the nearest"},
	{"topo/plan", "topo", "a plan numbers a graph"},
	{"topo/spec", "topo", "a file describes a graph"},
	{"switchd/dataplane", "internal/sansio", "an engine is a machine"},
	{"switchd/dataplane", "internal/wire/inet", "an engine meets parsed headers"},
	{"switchd/dataplane", "internal/trace", "an engine says which sources it has"},
	{"switchd/dataplane", "internal/strictjson", "a job is told by a document"},
	{"nodes/**", "nodes/gradient", "a protocol core quantises what it sends"},
	{"nodes/**", "nodes/tensor", "collectives over streams cut tensors alike"},
	{"nodes/**", "nodes/stream", "a collective says which streams it wants"},
	{"nodes/stream", "nodes/newreno", "a stream goes over TCP"},
	{"nodes/stream", "nodes/roce", "a stream goes over a reliable connection"},
	{"nodes/stream/streamtest", "internal/pktio/impair", "a test network has links"},
	{"nodes/train", "nodes/train/data", "training reads the images"},
	{"nodes/worker", "nodes/train/**", "the training loop steps the model over the images"},
	{"switchd/microcode/vm", "switchd/microcode/isa", "the engine runs compiled programs"},
	{"switchd/microcode", "switchd/microcode/**", "the compiler joins its stages"},
	{"switchd/microcode/check", "switchd/microcode/**", "the checker makes a program of a tree"},
	{"switchd/trio", "switchd/trio/mem", "threads share memory"},
	{"switchd/trio", "switchd/microcode/isa", "a PFE is loaded with a program"},
	{"switchd/trio", "switchd/microcode/vm", "its threads run the program"},
	{"switchd/tofino/fit", "switchd/tofino/ir", "it places programs"},
	{"switchd/tofino", "switchd/tofino/**", "a chip runs a program that fits"},
	{"switchd/tofino/vm", "switchd/tofino/ir", "it runs what a program says"},
	{"switchd/tofino/vm", "switchd/tofino/fit", "only programs that fit are run"},
	{"switchd/program/switchmltofino", "switchd/program/switchml", "it runs the jobs of the same program"},
	{"switchd/program/switchmltofino", "switchd/program/switchmlroce", "it runs its jobs, and counts by the same names"},
	{"switchd/program/triomc", "switchd/program/trioml", "it runs the Microcode of the same program"},
	{"switchd/program/telemetry", "switchd/program/middlebox/**", "all traffic passes it"},
	{"switchd/program/police", "switchd/program/middlebox/**", "all traffic passes it"},
	{"switchd/chassis/chassistest", "switchd/program/trioml", "switches of tests run it"},
	{"switchd/program/switchmlroce", "switchd/program/switchml", "the front for RDMA hands packets to the same slots"},
	{"switchd/chassis", "switchd/forward", "what no program claims is forwarded"},
	{"switchd/chassis", "internal/pktio/impair", "ports and fabric have links"},
	{"nodes/hostmodel", "internal/pktio/impair", "a host's cores serve frames as a line does"},
	{"internal/pktio/afpacket", "internal/pktio", "a driver meets the interface"},
	{"internal/pktio/afpacket", "internal/pktio/poll", "a driver waits for its descriptor"},
	{"internal/pktio/udp", "internal/pktio", "a driver meets the interface"},
	{"internal/pktio/udp", "internal/pktio/poll", "a driver waits for its descriptor"},
	{"internal/pktio/tcp", "internal/pktio", "a driver meets the interface"},
	{"internal/pktio/tcp", "internal/pktio/poll", "a driver waits for its descriptor"},
	{"internal/pktio/pktiotest", "internal/pktio", "the fake meets the interface"},
	{"switchd/daemon", "internal/pktio/**", "the daemon owns its ports"},
	{"switchd/daemon", "switchd/control/**", "a switch answers its control planes"},
	{"switchd/control/switchmlrpc", "internal/wire/switchmlproto", "the service speaks the generated protocol"},
	{"switchd/program/**", "switchd/program/switchmljob", "engines and sessions share the document of a job"},
	{"nodes/worker/live", "internal/pktio/**", "a live worker owns its sockets"},
	{"nodes/stream/live", "internal/pktio/**", "a live server owns its sockets"},
	{"nodes/worker/live", "internal/tensorfile", "a live worker keeps its tensors for the checker"},
	{"harness/live", "harness/netns", "a live run happens in namespaces"},
	{"harness/live", "harness/proc", "a live run starts processes"},
	{"harness/live", "harness/check", "a run ends with the check of its sums"},
	{"harness/live", "harness/fidelity", "a live run is judged"},
	{"harness/sim", "harness/check", "a run ends with the check of its sums"},
	{"harness/check/parity", "harness/check", "two runs are compared by what the oracle reads"},
	{"harness/sim", "harness/stall", "a run that stalls says why"},
	{"harness/live", "harness/stall", "a run that stalls says why"},
	{"harness/live", "harness/events", "nodes keep as many events as can be used"},
	{"reports/compare", "reports/stat", "a comparison carries its statistics"},
	{"reports/render", "reports/compare", "tables are made of its rows"},
	{"reports/bench", "reports/render", "benchmarks are shown as tables"},
	{"reports/claims", "reports/render", "verdicts are shown as tables"},
	{"reports/bench", "reports/stat", "medians of repeats"},
}

// confined names packages that may import nothing of the module but what is
// listed, whatever their level.
var confined = []confinement{
	{
		"reports/**", []string{
			"reports/**", "internal/result", "internal/units",
			"internal/suggest", // an unknown claim is answered with the nearest
		},
		"a report is made from recorded results alone, so that an old run can be reported again without running it",
	},
}

// bannedImports are the packages that a machine (levels 7 to 9) does without.
var bannedImports = []ban{
	{[]string{"os", "os/**", "syscall", "golang.org/x/sys/unix"},
		"a machine does no I/O", "take the content as an argument; do the I/O in harness, nodes/worker/live or switchd/daemon"},
	{[]string{"net", "net/**"},
		"a machine has no sockets", "use net/netip for addresses; sockets belong to internal/pktio"},
	{[]string{"time"},
		"a machine has no clock: it is told the time", "take now as an argument, in internal/units picoseconds"},
	{[]string{"sync", "sync/**"},
		"one goroutine owns a machine", "let the caller, which owns the goroutine, do the locking"},
	{[]string{"log", "log/slog"},
		"a machine emits typed trace events", "send an internal/trace event, or return an error"},
	{[]string{"math/rand", "math/rand/**", "crypto/rand"},
		"all randomness comes from named streams of one seed", "take an *rng.Stream"},
	{[]string{"unsafe"},
		"a machine must not read beyond its buffers, whatever a packet says", "use encoding/binary or internal/vec"},
}

// clockUses are the parts of package time that read or wait for the wall
// clock; they stay banned in a machine that may import time.
var clockUses = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// bannedNames say nothing about what a package holds.
var bannedNames = []string{
	"util", "utils", "common", "helper", "helpers", "types", "mock", "mocks", "misc", "base", "lib",
}

// allowed lists the imports that one package is let off, each with its reason.
var allowed = []exception{
	{"internal/rng", "math/rand/v2", "it is where the streams come from"},
	{"internal/golden", "os", "it compares with files; only tests import it"},
}

func TestArchitecture(t *testing.T) {
	tree, err := readTree(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range architecture.check(tree) {
		t.Error(f)
	}
}
