package job

import (
	"encoding/json"
	"errors"
	"math/bits"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/halving"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Halving is all-reduce by recursive halving and doubling.
type Halving struct {
	Transport stream.Transport // empty means TCP; RoCE is for the virtual clock
}

// Name returns "halving".
func (Halving) Name() string { return "halving" }

// Description says what it is.
func (Halving) Description() string {
	return "all-reduce by recursive halving and doubling, over TCP, or RoCE under the virtual clock; no aggregation in the network"
}

// Configure reads the section "halving", which may be left out.
func (h Halving) Configure(k Knobs) System {
	h.Transport = transport(k, "halving.transport")
	return h
}

// Layout joins every worker to its partners by streams.
func (h Halving) Layout(j *Job) (Layout, error) {
	if err := j.carried(h.Name(), h.Transport); err != nil {
		return Layout{}, err
	}
	n := len(j.Hosts())
	l := Layout{
		Transport: h.Transport, Time: h.time(j), Block: j.Params,
		Peers: peersOf(n, func(i int) []stream.Peer { return halving.Peers(i, n) }),
	}
	for _, host := range j.Hosts() {
		c := halving.Config{Node: host.Name, Rank: host.Index, Workers: n, Tensor: j.Params, Sample: j.Sample.Every}
		l.Cores, l.Values = append(l.Cores, c), c.Values()
	}
	return l, nil
}

// time is the analytic time at link rate: 2(p-1)/p of the tensor, p the largest
// power of two among the workers, where steps follow one another; in odd pairings
// a half before it, then the other half's sums, and the whole result after it
// (Thakur, Rabenseifner and Gropp 2005, section 4.4).
func (h Halving) time(j *Job) units.Duration {
	n := len(j.Hosts())
	p := 1 << (bits.Len(uint(n)) - 1)
	bytes := 2 * (p - 1) * 4 * j.Params / p
	if n > p {
		bytes += 2 * 4 * j.Params
	}
	return j.streamTime(h.Transport, bytes)
}

// NewCore makes one worker.
func (Halving) NewCore(config json.RawMessage, rec gradient.Recorder, _ trace.Sink) (worker.Collective, error) {
	cfg, err := Decode[halving.Config](config)
	if err != nil {
		return nil, err
	}
	cfg.Recorder = rec
	return halving.New(cfg)
}

// NewEngine refuses: there is no switch program.
func (Halving) NewEngine(json.RawMessage, trace.Sink) (dataplane.Engine, error) {
	return nil, errors.New("halving has no switch program")
}
