package halving

import (
	"encoding/json"
	"math/bits"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/streams"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	host "github.com/inalab/inalab/nodes/halving"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/worker"
)

// System is all-reduce by recursive halving and doubling.
type System struct {
	job.HostsOnly
	Transport stream.Transport // empty means TCP; RoCE is for the virtual clock
}

// Name returns "halving".
func (System) Name() string { return "halving" }

// Rank is its place in tables.
func (System) Rank() int { return job.RankEndToEnd + 10 }

// Description says what it is.
func (System) Description() string {
	return "all-reduce by recursive halving and doubling, over TCP, or RoCE under the virtual clock; no aggregation in the network"
}

// Benches returns the system as it is: there is no window to set.
func (h System) Benches(job.BenchLimits) []job.Bench {
	return []job.Bench{{Name: h.Name(), System: h}}
}

// Configure reads the section "halving", which may be left out.
func (h System) Configure(k job.Knobs) job.System {
	h.Transport = streams.Transport(k, "halving.transport")
	return h
}

// Layout joins every worker to its partners by streams.
func (h System) Layout(j *job.Job) (job.Layout, error) {
	if err := streams.Check(j, h.Name(), h.Transport); err != nil {
		return job.Layout{}, err
	}
	n := len(j.Hosts())
	l := job.Layout{
		Transport: h.Transport, Time: h.time(j), Block: j.Params,
		Peers: streams.Peers(n, func(i int) []stream.Peer { return host.Peers(i, n) }),
	}
	for _, h := range j.Hosts() {
		c := host.Config{Node: h.Name, Rank: h.Index, Workers: n, Tensor: j.Params, Sample: j.Sample.Every}
		l.Cores, l.Values = append(l.Cores, c), c.Values()
	}
	return l, nil
}

// time is the analytic time at link rate: 2(p-1)/p of the tensor, p the largest
// power of two among the workers, where steps follow one another; in odd pairings
// a half before it, then the other half's sums, and the whole result after it
// (Thakur, Rabenseifner and Gropp 2005, section 4.4).
func (h System) time(j *job.Job) units.Duration {
	n := len(j.Hosts())
	p := 1 << (bits.Len(uint(n)) - 1)
	bytes := 2 * (p - 1) * 4 * j.Params / p
	if n > p {
		bytes += 2 * 4 * j.Params
	}
	return streams.Time(j, h.Transport, bytes)
}

// NewCore makes one worker.
func (System) NewCore(config json.RawMessage, rec gradient.Recorder, _ trace.Sink) (worker.Collective, error) {
	cfg, err := job.Decode[host.Config](config)
	if err != nil {
		return nil, err
	}
	cfg.Recorder = rec
	return host.New(cfg)
}
