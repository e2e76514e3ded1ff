package ring

import (
	"encoding/json"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/streams"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/gradient"
	host "github.com/inalab/inalab/nodes/ring"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo/plan"
)

// System is ring all-reduce, without help from the network.
type System struct {
	job.HostsOnly
	Transport stream.Transport // empty means TCP; others are for the virtual clock
}

// Name returns "ring".
func (System) Name() string { return "ring" }

// Rank is its place in tables.
func (System) Rank() int { return job.RankEndToEnd }

// Description says what it is.
func (System) Description() string {
	return "ring all-reduce between the workers, over TCP, or RoCE under the virtual clock; no aggregation in the network"
}

// Benches returns the system as it is: there is no window to set.
func (r System) Benches(job.BenchLimits) []job.Bench {
	return []job.Bench{{Name: r.Name(), Sim: true, System: r}}
}

// Configure reads the section "ring", which may be left out.
func (r System) Configure(k job.Knobs) job.System {
	r.Transport = streams.Transport(k, "ring.transport")
	return r
}

// Layout joins every worker to its neighbours by streams.
func (r System) Layout(j *job.Job) (job.Layout, error) {
	n := len(j.Hosts())
	l, err := streams.Layout(j, r.Transport, j.Hosts(), func(i int, on plan.Host) streams.Host {
		c := host.Config{Node: on.Name, Rank: i, Workers: n, Tensor: j.Params, Sample: j.Sample.Every}
		return streams.Host{Config: c, Values: c.Values(), Bytes: 2 * (n - 1) * 4 * j.Params / n, Peers: host.Peers(i, n)}
	})
	if err == nil {
		l.Time, l.Fluid = r.time(j), false
	}
	return l, err
}

// NewCore makes one worker of the ring.
func (System) NewCore(config json.RawMessage, rec gradient.Recorder, _ trace.Sink) (worker.Collective, error) {
	return job.Make(config, host.New, func(c *host.Config) { c.Recorder = rec })
}
