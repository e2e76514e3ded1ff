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
)

// System is ring all-reduce, without help from the network.
type System struct {
	job.HostsOnly
	Transport stream.Transport // empty means TCP; RoCE is for the virtual clock
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
	if err := streams.Check(j, r.Name(), r.Transport); err != nil {
		return job.Layout{}, err
	}
	n := len(j.Hosts())
	l := job.Layout{
		Transport: r.Transport, Time: streams.Time(j, r.Transport, 2*(n-1)*4*j.Params/n), Block: j.Params,
		Peers: streams.Peers(n, func(i int) []stream.Peer { return host.Peers(i, n) }),
	}
	for _, h := range j.Hosts() {
		c := host.Config{Node: h.Name, Rank: h.Index, Workers: n, Tensor: j.Params, Sample: j.Sample.Every}
		l.Cores, l.Values = append(l.Cores, c), c.Values()
	}
	return l, nil
}

// NewCore makes one worker of the ring.
func (System) NewCore(config json.RawMessage, rec gradient.Recorder, _ trace.Sink) (worker.Collective, error) {
	cfg, err := job.Decode[host.Config](config)
	if err != nil {
		return nil, err
	}
	cfg.Recorder = rec
	return host.New(cfg)
}
