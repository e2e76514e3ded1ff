package tcpagg

import (
	"cmp"
	"encoding/json"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/aggtree"
	"github.com/inalab/inalab/harness/system/streams"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/stream"
	host "github.com/inalab/inalab/nodes/tcpagg"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo/plan"
)

// System is aggregation by servers along a tree, over byte streams (XAgg §VI-A).
type System struct {
	job.HostsOnly
	Transport stream.Transport // empty means TCP; others are for the virtual clock
	Tree      aggtree.Kind     // empty means kary
	K         int              // most children of a node of kary; zero means that of the paper's testbed
	Direct    bool             // sums go from the PS to each worker by a stream of its own
}

// Name returns "tcpagg".
func (System) Name() string { return "tcpagg" }

// Rank is its place in tables.
func (System) Rank() int { return job.RankEndToEnd + 30 }

// Description says what it is.
func (System) Description() string {
	return "TCP-Agg: servers add gradients up along a tree to a parameter server, over TCP, or RoCE under the virtual clock; a baseline of XAgg"
}

// Ways down, as the knob has them.
const (
	downTree   = "tree"
	downDirect = "direct"
)

// Configure reads the section "tcpagg", which may be left out.
func (s System) Configure(k job.Knobs) job.System {
	s.Transport = streams.Transport(k, "tcpagg.transport")
	s.Tree = aggtree.Kind(k.Choice("tcpagg.tree", aggtree.Kinds()...))
	s.K = k.IntOr("tcpagg.k", aggtree.LeastK, aggtree.MostK, aggtree.DefaultK)
	s.Direct = k.Choice("tcpagg.down", downTree, downDirect) == downDirect
	return s
}

// Benches returns the system with its default tree.
func (s System) Benches(job.BenchLimits) []job.Bench {
	return []job.Bench{{Name: s.Name(), Note: "servers in a tree, on hosts of their own", System: s}}
}

// Servers returns the hosts that the servers of the tree and the PS need.
func (s System) Servers(workers int) int { return aggtree.Servers(s.tree(), workers, s.k()) }

func (s System) tree() aggtree.Kind { return cmp.Or(s.Tree, aggtree.KAry) }
func (s System) k() int             { return cmp.Or(s.K, aggtree.DefaultK) }

// Layout joins every host to its parent by a stream.
func (s System) Layout(j *job.Job) (job.Layout, error) {
	n := len(j.Hosts())
	tree, err := aggtree.Choose(s.tree(), n, s.Servers(n), s.k())
	if err != nil {
		return job.Layout{}, err
	}
	if err := streams.CheckServers(j, s.Servers(n), "tcpagg.tree and tcpagg.k say how many servers there are, and the PS is one more"); err != nil {
		return job.Layout{}, err
	}
	c := host.Config{Workers: n, Parents: tree.Parents, Direct: s.Direct, Tensor: j.Params, Sample: j.Sample.Every}
	l, err := streams.Layout(j, s.Transport, j.Members(), func(i int, on plan.Host) streams.Host {
		c := c
		c.Node, c.Host = on.Name, i
		return streams.Host{Config: c, Values: c.Values(), Bytes: c.Crossings(i) * 4 * j.Params, Peers: c.Peers()}
	})
	l.Notes = append(l.Notes, s.notes()...)
	return l, err
}

// notes says how sums come to the workers: TCP has no multicast.
func (s System) notes() []string {
	if s.Direct {
		return []string{"the PS sends the sums to each worker by a TCP stream of its own; XAgg broadcasts them"}
	}
	return []string{"sums go down the tree from server to server; XAgg broadcasts them, and TCP cannot (tcpagg.down=direct: from the PS to each worker)"}
}

// NewCore makes one worker.
func (System) NewCore(config json.RawMessage, rec gradient.Recorder, _ trace.Sink) (worker.Collective, error) {
	return job.Make(config, host.New, func(c *host.Config) { c.Recorder = rec })
}

// NewServer makes a server of the tree, or the PS.
func (System) NewServer(config json.RawMessage, _ trace.Sink) (job.Server, error) {
	cfg, err := job.Decode[host.Config](config)
	if err != nil {
		return nil, err
	}
	return host.NewServer(cfg)
}
