package virtual

import (
	"math"
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/nodes/atpps"
)

// Bounds on how far the reference program may be from the pipeline, where its switch takes as long for a fragment's way
// there and back as the pipeline does for one on an idle chip.
const (
	atpBound = 0.02
	// insideBound is that of jobs at the rate of their lines: the port inside has 4% less.
	insideBound = 0.05
	// tcpBound is that of a job beside TCP: both halve their windows, at other times.
	tcpBound = 0.2
)

// atpPoint is a point of a figure of ATP, with a smaller load.
type atpPoint struct {
	figure string
	bound  float64
	lab    func(*experiment.Env) tenantLab
	value  func([]result.Cell) float64
}

// iterationMean is the mean iteration of all jobs, in milliseconds.
func iterationMean(cells []result.Cell) float64 { return warmMean(cells).Milliseconds() }

// firstTook is how long the first job's tensor takes, in milliseconds.
func firstTook(cells []result.Cell) float64 {
	return testbed.Took(cells[0].Samples, 0).Milliseconds()
}

// byServers is the contributions that servers added, of all jobs.
func byServers(cells []result.Cell) (n float64) {
	for i := range cells {
		n += float64(summed(&cells[i], atpps.CountSingle))
	}
	return n
}

// short has jobs send so many tensors of 1 MiB and compute nothing.
func short(l tenantLab, tensors int) tenantLab {
	for i := range l.jobs {
		l.jobs[i].model, l.jobs[i].mib, l.jobs[i].iterations = "", 1, tensors
	}
	return l
}

// slow gives jobs a small window that stays full, and a table of so many of them.
func slow(l tenantLab, windows int) tenantLab {
	const window = 64 // three of them are below what the port inside carries
	for i := range l.jobs {
		s := l.jobs[i].sys.(atp.System)
		s.Fixed, s.Window, s.Span, s.Aggregators = true, window, window, windows*window
		l.jobs[i].sys = s
	}
	return l
}

// atpPoints are points of all figures of ATP with several jobs or racks, or several tensors. Where all jobs send at
// once at the rate of their lines the port inside limits them, which the reference program has not: such points are in
// [chipPoints].
func atpPoints() []atpPoint {
	return []atpPoint{
		{"Fig 12", insideBound, func(e *experiment.Env) tenantLab { return short(fig12Lab(e, copyingTenant(e), threshold(e)), 6) }, iterationMean},
		{"Fig 13a, jobs behind each other", atpBound, func(e *experiment.Env) tenantLab {
			starts := []units.Duration{0, 2 * units.Millisecond, 4 * units.Millisecond}
			return short(fig13Lab(e, atpTenant(e, span13b*fig13Jobs/2, span13b), starts), 3)
		}, iterationMean},
		{"Fig 13b, nothing moves", 0, func(e *experiment.Env) tenantLab { return slow(short(rehashings()[4].lab(e), 3), fig13Jobs) }, byServers},
		{"Fig 13b, room", 0, func(e *experiment.Env) tenantLab { return slow(short(rehashings()[5].lab(e), 3), 5) }, byServers},
		{"Fig 14, one job", atpBound, func(e *experiment.Env) tenantLab {
			return short(fig14Lab(e, hashed.system(e, span13b, 1), 1), 3)
		}, iterationMean},
		{"Fig 15, window of 200", atpBound, func(e *experiment.Env) tenantLab {
			kinds := fig15Kinds(e, span13b)
			return short(kinds[1].lab(e), 3)
		}, iterationMean},
		{"Fig 16", tcpBound, func(e *experiment.Env) tenantLab {
			r := fig16{start: units.Millisecond}
			return short(r.lab(e, 1), 3)
		}, iterationMean},
		{"Fig 20, a job alone", atpBound, func(e *experiment.Env) tenantLab {
			p := pairing{workers: [2]int{5, 2}, models: [2]string{"vgg16", "vgg16"}}
			return short(p.lab(e, 0), 3)
		}, iterationMean},
		{"two of 16 jobs", 0, func(e *experiment.Env) tenantLab {
			l := manyLab(stillTenant(e, atp.DefaultAggregators, manyWindow))
			l.jobs, l.hosts, l.inside = l.jobs[:2], 2*(manyWorkers+1), 2*manyWindow*frameTime()
			for i := range l.jobs {
				l.jobs[i].elements, l.jobs[i].model = manyWindow*wire.Values, "vgg16"
			}
			return l
		}, byServers},
		{"one of three jobs of five workers", insideBound, func(e *experiment.Env) tenantLab {
			l := jobOffLab(e, spansOf(e))
			l.jobs, l.hosts = l.jobs[:1], fiveWorkers+1
			return short(l, 1)
		}, firstTook},
	}
}

// A point of each figure comes to the same on the reference program as on the pipeline, within a bound.
func TestATPReferenceAgreesWithTheChip(t *testing.T) {
	if testing.Short() {
		t.Skip("many packets, many times slower under the race detector")
	}
	for _, p := range atpPoints() {
		t.Run(p.figure, func(t *testing.T) {
			t.Parallel()
			e := experimenttest.NewEnv(t)
			labs := []tenantLab{p.lab(e), p.lab(e)}
			if labs[1].inside == 0 { // a fragment takes one pass more on its way up
				labs[1].inside = testbed.SwitchTime(e) + testbed.PassTime(e)/2
			}
			labs[1].oracle = true
			cells, err := together(t.Context(), e, labs)
			if err != nil {
				t.Fatal(err)
			}
			if labs[0].ran != testbed.OnTimedPipeline || labs[1].ran != testbed.OnReference {
				t.Errorf("they ran on %q and %q", labs[0].ran, labs[1].ran)
			}
			within(t, p.value(cells[0]), p.value(cells[1]), p.bound)
		})
	}
}

// atpCalls are points of the figures of single tensors, and of Fig 10.
func atpCalls(e *experiment.Env) []call {
	calls := []call{atpSchemes(e)[schemeATP], newFig10(e).atp.call, onATP(e, "Fig 19", testbed.ATP(e), testbed.ATPHost(e))}
	calls[0].name, calls[1].name, calls[2].workers = "Fig 8", "Fig 10, no loss", fewestWorkers
	lossy := calls[1]
	lossy.name, lossy.first = "Fig 10, loss of 0.1%", noHarm
	return append(calls, lossy)
}

// Likewise of calls.
func TestATPReferenceAgreesWithTheChipOnCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("many packets, many times slower under the race detector")
	}
	e := experimenttest.NewEnv(t)
	for _, c := range atpCalls(e) {
		t.Run(c.name, func(t *testing.T) {
			c.mib, c.trace = chipTestMiB/2, nil
			other := c
			other.sys, other.inside = onPipe(c.sys, atp.Pipe{}), testbed.SwitchTime(e)+testbed.PassTime(e)/2
			calls := []call{c, other}
			took, err := aggregate(t.Context(), e, calls)
			if err != nil {
				t.Fatal(err)
			}
			if calls[0].ran != testbed.OnTimedPipeline || calls[1].ran != testbed.OnReference {
				t.Errorf("they ran on %q and %q", calls[0].ran, calls[1].ran)
			}
			within(t, took[0].Milliseconds(), took[1].Milliseconds(), atpBound)
		})
	}
}

// within holds what came of the reference program against the pipeline.
func within(t *testing.T, chip, reference, bound float64) {
	t.Helper()
	off := 0.0
	if chip != reference {
		off = reference/chip - 1
	}
	if math.Abs(off) > bound {
		t.Errorf("%v on the reference program, %v on the pipeline: %.2f%% apart, at most %.2f%% are allowed", reference, chip, 100*off, 100*bound)
	}
	t.Logf("pipeline %v, reference program %+.3f%%", chip, 100*off)
}

// A lab of more ports than a pipe has for jobs stays on the reference program.
func TestLabsBeyondThePorts(t *testing.T) {
	e := experimenttest.NewEnv(t)
	for hosts, chip := range map[int]bool{16: true, 17: false} {
		l := fig14Lab(e, atpTenant(e, atp.DefaultAggregators, 0), 1)
		l.hosts = hosts
		if err := l.onChip(e); err != nil {
			t.Fatal(err)
		}
		if got := l.jobs[0].sys.(atp.System).Pipe.Pipeline; got != chip || (l.inside > 0) != chip {
			t.Errorf("%d hosts: on the chip %v, %v inside", hosts, got, l.inside)
		}
	}
}
