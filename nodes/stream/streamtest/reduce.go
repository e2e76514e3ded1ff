package streamtest

import (
	"fmt"
	"math"

	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/stream"
)

// Fixed is how cores quantise the gradients of a [Job], which are exact in it.
var Fixed = gradient.Fixed{Factor: 1 << 20}

// Job is workers that reduce one tensor after another.
type Job struct {
	Options
	Workers     int
	Generations int
	Values      int // elements that carry values
	// NewCore makes a worker's core, with [Fixed], and says which streams it wants.
	NewCore func(worker int, rec gradient.Recorder) (sansiotest.Core, []stream.Peer, error)
	More    []Host                         // behind the workers
	Ready   func(worker, g int) units.Time // when a worker may begin; nil: at once
}

// Outcome is what became of a job.
type Outcome struct {
	*Rig
	Workers []*sansiotest.Host
}

// Run runs a job and holds every sum that a worker was given against the dumb
// sum of what the workers say they sent, and that against the gradients.
func (j Job) Run() (Outcome, error) {
	var out Outcome
	hosts, recs, err := j.workers(&out)
	if err != nil {
		return out, err
	}
	if out.Rig, err = New(j.Options, append(hosts, j.More...)); err != nil {
		return out, err
	}
	if err := out.Finish(); err != nil {
		return out, err
	}
	for w, h := range out.Workers {
		if h.Gen() != j.Generations {
			return out, fmt.Errorf("worker %d ended in generation %d of %d, and nothing is on its way", w, h.Gen(), j.Generations)
		}
		for g := range j.Generations {
			if err := j.check(w, g, recs[w]); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

func (j Job) workers(out *Outcome) ([]Host, []*sansiotest.Recorder, error) {
	var hosts []Host
	var recs []*sansiotest.Recorder
	for w := range j.Workers {
		rec := &sansiotest.Recorder{}
		core, peers, err := j.NewCore(w, rec)
		if err != nil {
			return nil, nil, err
		}
		h := &sansiotest.Host{Core: core}
		for g := range j.Generations {
			h.Tensors = append(h.Tensors, j.gradient(w, g))
		}
		if j.Ready != nil {
			h.Ready = func(g int) units.Time { return j.Ready(w, g) }
		}
		hosts, recs = append(hosts, Host{Machine: h, Peers: peers}), append(recs, rec)
		out.Workers = append(out.Workers, h)
	}
	return hosts, recs, nil
}

// integer is what worker w contributes at element i.
func integer(w, g, i int) int32 {
	return int32(uint32(w+1)*2654435761+uint32(g)*40503+uint32(i)*1_000_003) >> 8
}

func (j Job) gradient(w, g int) []float32 {
	out := make([]float32, j.Values)
	for i := range out {
		out[i] = float32(integer(w, g, i)) / float32(Fixed.Factor)
	}
	return out
}

func (j Job) check(w, g int, rec *sansiotest.Recorder) error {
	if len(rec.Out) != j.Generations || len(rec.In) != j.Generations || len(rec.Out[g]) != j.Values {
		return fmt.Errorf("worker %d recorded %d and %d tensors, want %d", w, len(rec.Out), len(rec.In), j.Generations)
	}
	for i, got := range rec.In[g] {
		var want int32
		for v := range j.Workers {
			want += integer(v, g, i)
		}
		if got != want || rec.Out[g][i] != integer(w, g, i) {
			return fmt.Errorf("worker %d, generation %d, element %d: sent %d, was given %d; want %d and %d", w, g, i, rec.Out[g][i], got, integer(w, g, i), want)
		}
	}
	return nil
}

// Took returns how long the slowest worker took for its generations.
func (o Outcome) Took() (d units.Duration) {
	for _, h := range o.Workers {
		d = max(d, h.Ended[len(h.Ended)-1].Sub(h.Began[0]))
	}
	return d
}

// Bytes returns how many stream bytes a host sends and receives for a generation.
func (o Outcome) Bytes(host int) (sent, received int) {
	m, g := o.Meters[host], len(o.Workers[0].Tensors)
	return m.Sent / g, m.Received / g
}

// Within reports whether a time is at most a share of slack longer than want.
func Within(got, want units.Duration, slack float64) bool {
	return got >= want && float64(got) <= math.Ceil(float64(want)*(1+slack))
}
