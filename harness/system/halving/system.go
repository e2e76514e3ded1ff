package halving

import (
	"encoding/json"
	"math/bits"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/streams"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/gradient"
	host "github.com/inalab/inalab/nodes/halving"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo/plan"
)

// System is all-reduce by recursive halving and doubling.
type System struct {
	job.HostsOnly
	Transport stream.Transport // empty means TCP; others are for the virtual clock
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
	n := len(j.Hosts())
	return streams.Layout(j, h.Transport, j.Hosts(), func(i int, on plan.Host) streams.Host {
		c := host.Config{Node: on.Name, Rank: i, Workers: n, Tensor: j.Params, Sample: j.Sample.Every}
		return streams.Host{Config: c, Values: c.Values(), Bytes: sent(n, j.Params), Peers: host.Peers(i, n)}
	})
}

// sent is how many bytes cross the line of a host: 2(p-1)/p of the tensor, p the largest
// power of two among the workers, where steps follow one another; in odd pairings
// a half before it, then the other half's sums, and the whole result after it
// (Thakur, Rabenseifner and Gropp 2005, section 4.4).
func sent(workers, params int) int {
	p := 1 << (bits.Len(uint(workers)) - 1)
	bytes := 2 * (p - 1) * 4 * params / p
	if workers > p {
		bytes += 2 * 4 * params
	}
	return bytes
}

// NewCore makes one worker.
func (System) NewCore(config json.RawMessage, rec gradient.Recorder, _ trace.Sink) (worker.Collective, error) {
	return job.Make(config, host.New, func(c *host.Config) { c.Recorder = rec })
}
