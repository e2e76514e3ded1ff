package ps

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/streams"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/gradient"
	host "github.com/inalab/inalab/nodes/ps"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo/plan"
)

// System is all-reduce by sharded parameter servers.
type System struct {
	job.HostsOnly
	Transport stream.Transport // empty means TCP; others are for the virtual clock
	Count     int              // servers; zero: as many as workers
	Dedicated bool             // servers have hosts of their own
	Partition int              // bytes that a server takes, adds and answers at once; zero: it streams slices of 32 KiB
	// Cross: the shard of a host's own colocated server crosses the network too, under
	// the virtual clock.
	Cross bool
}

// Name returns "ps".
func (System) Name() string { return "ps" }

// Rank is its place in tables.
func (System) Rank() int { return job.RankEndToEnd + 20 }

// Description says what it is.
func (System) Description() string {
	return "parameter servers, one (N to 1) or as many as workers (N to N), beside them or on hosts of their own, over TCP, or RoCE under the virtual clock"
}

// Placements of the servers, as the knob has them.
const (
	colocated = "colocated"
	dedicated = "dedicated"
)

// maxCount bounds the servers of a job (assumed: as many as a lab has workers).
const maxCount = 200

// Configure reads the section "ps", which may be left out.
func (p System) Configure(k job.Knobs) job.System {
	p.Transport = streams.Transport(k, "ps.transport")
	p.Dedicated = k.Choice("ps.servers", colocated, dedicated) == dedicated
	p.Count = k.IntOr("ps.count", 1, maxCount, 0)
	p.Cross = k.Flag("ps.cross")
	return p
}

// Benches returns both placements of as many servers as workers (N to N), and one server for all (N to 1).
func (p System) Benches(job.BenchLimits) []job.Bench {
	return []job.Bench{
		{Name: p.Name(), Note: "servers beside the workers", System: System{}},
		{Name: "ps-dedicated", Note: "on as many hosts more", System: System{Dedicated: true}},
		{Name: "ps-nto1", Note: "one server, on a host of its own", System: System{Dedicated: true, Count: 1}},
	}
}

// Servers returns the hosts that dedicated servers need.
func (p System) Servers(workers int) int {
	if p.Dedicated {
		return p.count(workers)
	}
	return 0
}

// count returns how many servers a job of so many workers has.
func (p System) count(workers int) int { return cmp.Or(p.Count, workers) }

// Layout joins every worker to every server by a stream.
func (p System) Layout(j *job.Job) (job.Layout, error) {
	if err := p.check(j); err != nil {
		return job.Layout{}, err
	}
	n := len(j.Hosts())
	return streams.Layout(j, p.Transport, j.Members(), func(i int, on plan.Host) streams.Host {
		c := host.Config{
			Node: on.Name, Host: i, Workers: n, Servers: p.count(n), Dedicated: p.Dedicated, Cross: p.Cross,
			Tensor: j.Params, Sample: j.Sample.Every, Partition: p.Partition,
		}
		return streams.Host{Config: c, Values: c.Values(), Bytes: p.sent(i, n, 4*j.Params), Peers: c.Peers()}
	})
}

// check says why a job cannot be laid out.
func (p System) check(j *job.Job) error {
	if p.Dedicated && p.Cross {
		return errors.New("ps.cross is for colocated servers: no shard of a dedicated one stays on a host")
	}
	if p.Cross && !j.Virtual {
		return errors.New("ps.cross runs under the virtual clock only: live, what a host sends to itself stays inside its kernel: use --clock virtual, or ps.cross=false")
	}
	workers, system := len(j.Hosts()), j.System.Name()
	if !p.Dedicated && p.Count > workers {
		return fmt.Errorf("%s.count: %d servers beside %d workers: a host has one at most: use %s.count=%d or less, or %s.servers=dedicated", system, p.Count, workers, system, workers, system)
	}
	if n := p.count(workers); j.Params < n {
		return fmt.Errorf("%s: a tensor of %d elements for %d servers: each needs an element: set a lower %s.count", system, j.Params, n, system)
	}
	return streams.CheckServers(j, p.Servers(workers), fmt.Sprintf("dedicated servers take %s.count hosts, or as many as workers do, colocated ones none", system))
}

// sent is how many bytes of a tensor cross the line of host i, one way: a worker sends and
// receives the tensor once, and a server its shard once for each worker. Where both share a link,
// they do so together, less the shard that stays on the host. A server is silent until the first partition
// is in; its line then carries what its worker pushes, if there is one. Whose line is occupied longest
// sets the time, whatever the shares of the others meanwhile: no line waits for a slower one.
func (p System) sent(i, workers, tensor int) int {
	count := p.count(workers)
	shards, first := workers*tensor/count, min(p.Partition, tensor/count)
	switch {
	case p.Dedicated && i >= workers:
		return shards + workers*first
	case p.Dedicated || i >= count: // a worker alone
		return tensor + count*first
	case p.Cross:
		return tensor + shards + max(0, workers*first-tensor)
	}
	return tensor*(count+workers-2)/count + max(0, (workers-1)*first-tensor*(count-1)/count)
}

// NewCore makes one worker, with the server beside it.
func (System) NewCore(config json.RawMessage, rec gradient.Recorder, _ trace.Sink) (worker.Collective, error) {
	return job.Make(config, host.New, func(c *host.Config) { c.Recorder = rec })
}

// NewServer makes a dedicated server.
func (System) NewServer(config json.RawMessage, _ trace.Sink) (job.Server, error) {
	cfg, err := job.Decode[host.Config](config)
	if err != nil {
		return nil, err
	}
	return host.NewServer(cfg)
}
