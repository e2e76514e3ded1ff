package atp

import (
	"slices"

	"github.com/inalab/inalab/harness/job"
	wire "github.com/inalab/inalab/internal/wire/atp"
	host "github.com/inalab/inalab/nodes/atp"
	server "github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/nodes/gradient"
)

// Most that knobs may say; all assumed.
const (
	mostServers = 64
	mostThreads = 16
	mostPackets = 1 << 16 // of a window, a span or a ring
	mostFactor  = 1e15    // int32 cannot say a value of 1e-5 then
)

// Words of knobs, in the order of what they stand for.
var (
	indexings = []string{host.ByPosition: "position", host.ByNumber: "sequence", host.Linear: "linear", host.Static: "static"}
	rehashes  = []string{server.ToFree: "free", server.ByIndex: "index", server.Never: "never", server.Recycle: "recycle"}
	resends   = []string{host.Expected: "expected", host.Passed: "passed", host.Gaps: "gaps"}
	levels    = []string{TwoLevels: "two", RackLevel: "rack", AllLevels: "all"}
)

// choice reads a knob whose words stand for 0, 1 and so on.
func choice[T ~uint8](k job.Knobs, path string, words []string) T {
	return T(slices.Index(words, k.Choice(path, words...)))
}

// second reports whether a knob has the second of two words.
func second(k job.Knobs, path, first, second string) bool {
	return k.Choice(path, first, second) == second
}

// Configure reads the section "atp", which may be left out.
func (s System) Configure(k job.Knobs) job.System {
	if s.Aggregators = k.IntOr("atp.aggregators", 0, wire.MaxAggregators, DefaultAggregators); s.Aggregators == 0 {
		s.Aggregators = None
	}
	s.Unscaled = k.Flag("atp.unscaled")
	s.Indexing = choice[host.Indexing](k, "atp.indexing", indexings)
	s.Parts = k.IntOr("atp.parts", 1, 256, 1)
	s.Rehash = choice[server.Rehash](k, "atp.rehash", rehashes)
	s.ByPlace = second(k, "atp.moves", "index", "place")
	s.Aligned = second(k, "atp.remap", "at-once", "aligned")
	s.Levels = choice[Levels](k, "atp.levels", levels)
	s.Age = k.Duration("atp.age", "default", "")
	s.Colocated = second(k, "atp.servers", "dedicated", "colocated")
	s.ServerCount = k.IntOr("atp.server-count", 1, mostServers, 1)
	s.Threads = k.IntOr("atp.threads", 1, mostThreads, 1)
	s.Factor = k.IntOr("atp.factor", 1, mostFactor, gradient.DefaultFactor)
	s.configureWindow(k)
	s.Superset = second(k, "atp.overlap", "drop", "superset")
	s.Copy = k.Rate("atp.copy", "none", "")
	s.Ring = k.IntOr("atp.ring", 0, mostPackets, 0)
	s.Pipe.configure(k)
	return s
}

// configureWindow reads what is about windows and resends.
func (s *System) configureWindow(k job.Knobs) {
	s.Window = k.IntOr("atp.window", 1, mostPackets, host.DefaultWindow)
	s.Span = k.IntOr("atp.span", 1, mostPackets, host.DefaultSpan)
	s.LeastWindow = k.IntOr("atp.least-window", 1, mostPackets, 1)
	s.Fixed = second(k, "atp.congestion-control", "on", "off")
	s.Doubling = second(k, "atp.growth", "literal", "doubling")
	s.Avoidance = second(k, "atp.threshold", "none", "start")
	s.EachMark = second(k, "atp.halving", "window", "ack")
	s.Resend = choice[host.Resend](k, "atp.resend", resends)
	s.ExpectedOnly = second(k, "atp.timeout-resend", "window", "expected")
	s.Keep = second(k, "atp.timeout-window", "halve", "keep")
	s.Timeout = k.Duration("atp.timeout", "default", "")
}
