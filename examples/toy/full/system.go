// Package full is the toy as a system of the first rank: benchmarks measure it, tables
// have a place for it, and its switch takes jobs while it runs. The toy itself does the
// work; each offer beyond [job.System] is an interface of its own.
package full

import (
	"encoding/json"

	"github.com/inalab/inalab/examples/toy"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/dataplane"
)

// System is the toy with everything that a system may offer. It meets job.Configurable,
// job.Ranked, job.Benched, job.Sharer and job.Runtime.
type System struct{ toy.System }

// New returns the system with its default knobs.
func New() System { return System{toy.System{Values: defaultValues}} }

// Values of a block.
const defaultValues, maxValues = 1000, 2000

// Configure returns the system with the knobs of a scenario, which may lack its section.
func (System) Configure(k job.Knobs) job.System {
	return System{toy.System{Values: k.IntOr("toy.values", 1, maxValues, defaultValues)}}
}

// KnobTexts says what the knobs mean, for docs/scenario-fields.md.
func (System) KnobTexts() map[string]string { return map[string]string{"toy.values": "of a block"} }

// Rank puts the toy behind all other systems with help from the network.
func (System) Rank() int { return job.RankInNetwork + 99 }

// Benches returns what is measured: the toy as it is, since it has no timers and a
// window of one packet.
func (s System) Benches(job.BenchLimits) []job.Bench {
	return []job.Bench{{Name: s.Name(), Note: "stop-and-wait", System: s}}
}

// Layout is the toy's, with a switch program that takes further jobs.
func (s System) Layout(j *job.Job) (job.Layout, error) {
	l, err := s.System.Layout(j)
	sw := &j.Plan.Switches[0]
	l.Programs = [][]any{{Config{Node: sw.Name, Jobs: []Job{newJob(sw, j.ID, s.Values, j.HostPorts())}}}}
	return l, err
}

// Merge returns the program of several jobs.
func (System) Merge(programs []any) (any, error) {
	merged := Config{Node: programs[0].(Config).Node}
	for _, p := range programs {
		merged.Jobs = append(merged.Jobs, p.(Config).Jobs...)
	}
	return merged, nil
}

// NewCore makes a worker's end, which also reduces integers.
func (s System) NewCore(text json.RawMessage, rec gradient.Recorder, sink trace.Sink) (worker.Collective, error) {
	c, err := s.System.NewCore(text, rec, sink)
	if err != nil {
		return nil, err
	}
	return &core{Core: c.(*toy.Core)}, nil
}

// NewEngine makes the switch's end.
func (System) NewEngine(text json.RawMessage, _ trace.Sink) (dataplane.Engine, error) {
	cfg, err := job.Decode[Config](text)
	if err != nil {
		return nil, err
	}
	return newEngine(cfg)
}

// core is a worker's end. It meets worker.IntegerCollective.
type core struct {
	*toy.Core
	n int // elements of the tensor
}

// BeginInts starts reducing a tensor as it is.
func (c *core) BeginInts(now units.Time, gen int, q []int32, eff *sansio.Effects) {
	c.n = copy(c.Q, q)
	c.Begin(now, gen, nil, eff)
}

// Sums returns the sums.
func (c *core) Sums() []int32 { return c.Core.Sums[:c.n] }
