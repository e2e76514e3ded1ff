package job

import (
	"encoding/json"
	"errors"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/ring"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Ring is ring all-reduce, without help from the network.
type Ring struct {
	Transport stream.Transport // empty means TCP; RoCE is for the virtual clock
}

// Name returns "ring".
func (Ring) Name() string { return "ring" }

// Description says what it is.
func (Ring) Description() string {
	return "ring all-reduce between the workers, over TCP, or RoCE under the virtual clock; no aggregation in the network"
}

// Configure reads the section "ring", which may be left out.
func (r Ring) Configure(k Knobs) System {
	r.Transport = transport(k, "ring.transport")
	return r
}

// Layout joins every worker to its neighbours by streams.
func (r Ring) Layout(j *Job) (Layout, error) {
	if err := j.carried(r.Name(), r.Transport); err != nil {
		return Layout{}, err
	}
	n := len(j.Hosts())
	l := Layout{
		Transport: r.Transport, Time: j.streamTime(r.Transport, 2*(n-1)*4*j.Params/n), Block: j.Params,
		Peers: peersOf(n, func(i int) []stream.Peer { return ring.Peers(i, n) }),
	}
	for _, h := range j.Hosts() {
		c := ring.Config{Node: h.Name, Rank: h.Index, Workers: n, Tensor: j.Params, Sample: j.Sample.Every}
		l.Cores, l.Values = append(l.Cores, c), c.Values()
	}
	return l, nil
}

// NewCore makes one worker of the ring.
func (Ring) NewCore(config json.RawMessage, rec gradient.Recorder, _ trace.Sink) (worker.Collective, error) {
	cfg, err := Decode[ring.Config](config)
	if err != nil {
		return nil, err
	}
	cfg.Recorder = rec
	return ring.New(cfg)
}

// NewEngine refuses: a ring has no switch program.
func (Ring) NewEngine(json.RawMessage, trace.Sink) (dataplane.Engine, error) {
	return nil, errors.New("ring has no switch program")
}
