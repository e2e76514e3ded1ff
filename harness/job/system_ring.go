package job

import (
	"encoding/json"
	"errors"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/ring"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Ring is ring all-reduce, without help from the network.
type Ring struct{}

// Name returns "ring".
func (Ring) Name() string { return "ring" }

// Description says what it is.
func (Ring) Description() string {
	return "ring all-reduce between the workers, over TCP; no aggregation in the network"
}

// Configure returns the same: a ring has no knobs.
func (r Ring) Configure(Knobs) System { return r }

// Layout joins every worker to its neighbours by streams.
func (Ring) Layout(j *Job) (Layout, error) {
	l := Layout{Streams: true, Time: j.ringTime(), Block: j.Params}
	for i := range j.Plan.Hosts {
		h := &j.Plan.Hosts[i]
		l.Cores = append(l.Cores, ring.Config{Node: h.Name, Rank: h.Index, Workers: len(j.Plan.Hosts), Tensor: j.Params})
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
